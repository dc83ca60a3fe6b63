// suite: slow
// Personal access tokens that have expired are gone with all that they made: refused, in no list and no
// count at once, then deleted with an event of the trail. API clients and keys are the other credentials.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publicPrefixes } from '../../src/http/requests/path-versions.ts';
import type { Credential } from '../../src/service/ports/store.ts';
import { cause, type Json, json } from '../support/answers.ts';
import { addUser, type Party, tokenOf } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService({ CARDEA_MCP: 'on' });
});
after(() => service.stop());

const PATH = '/v3/personal-access-tokens';
const PATCH = { 'content-type': 'application/json-patch+json' };
const create = (call: Party['call'], body: object): Promise<Json> => json(call('POST', PATH, body));
const namesOf = async (call: Party['call'], path = PATH): Promise<string[]> =>
  ((await json(call('GET', `${path}?owner-id=me`))) as Json[]).map(({ name }) => name).sort();
const purge = () => service.cardea.purge.run();

/** Lets tokens expire, as if time had passed. */
async function expire(...ids: readonly string[]): Promise<void> {
  const expires = new Date(Date.now() - 1_000).toISOString();
  await service.cardea.store.write(async (records) => {
    for (const id of ids) {
      const token = (await records.credentialById(id)) ?? assert.fail(id);
      await records.updateCredential(service.tenantId, { ...token, expires });
    }
  });
}

const stored = (id: string): Promise<Credential | null> =>
  service.cardea.store.read.credentialById(id);

/** The events of the trail about the target, as `action technicalName actor`. */
async function eventsOf(target: string): Promise<string[]> {
  const { status } = service.cardea.services;
  await status.waitUntilSearchable(await service.cardea.store.read.lastSequence(), 60_000);
  const body = { indices: ['events'], query: { query: `target.name.exact:"${target}"` } };
  const events = (await json(
    service.call('POST', '/v3/search', { ...body, sort: ['created', 'id'] }),
  )) as Json[];
  return events
    .map(({ action, technicalName, actor }) => `${action} ${technicalName} ${actor.name}`)
    .sort();
}

for (const prefix of publicPrefixes('/personal-access-tokens')) {
  test(`${prefix}: an expired token is in no list, counts nowhere and gives its name back`, async () => {
    const { call } = await addUser(service, { capabilities: ['HELPDESK'] });
    const made: Json[] = [];
    for (let n = 0; n < 9; n++) made.push(await create(call, { name: `t${n}` }));
    assert.match(await cause(call('POST', prefix, { name: 'eleventh' })), /at most 10/);
    await expire(made[0]!['id'], made[1]!['id']);
    const names = await namesOf(call, prefix);
    assert.equal(names.length, 8);
    assert.ok(!names.includes('t0') && !names.includes('t1'));
    const change = [{ op: 'replace', path: '/expirationDate', value: '2099-01-01T00:00:00Z' }];
    await json(call('PATCH', `${prefix}/${made[0]!['id']}`, change, PATCH), 404);
    await json(call('DELETE', `${prefix}/${made[0]!['id']}`), 404);
    for (const name of ['t0', 'eleventh']) await json(call('POST', prefix, { name }));
    assert.match(await cause(call('POST', prefix, { name: 'twelfth' })), /at most 10/);
    for (const { id } of made.slice(0, 2)) assert.equal(await stored(id), null);
  });
}

test('a change of a token deletes the expired ones of its owner, whose names it may take', async () => {
  const { call } = await addUser(service, { capabilities: ['HELPDESK'] });
  const [gone, kept] = [await create(call, { name: 'a' }), await create(call, { name: 'b' })];
  await expire(gone['id']);
  const rename = [{ op: 'replace', path: '/name', value: 'a' }];
  await json(call('PATCH', `${PATH}/${kept['id']}`, rename, PATCH));
  assert.equal(await stored(gone['id']), null);
  assert.equal((await stored(kept['id']))?.name, 'a');
});

test('the purge deletes what has expired, with all that it made, and the trail says so once', async () => {
  const owner = await addUser(service, { capabilities: ['ORG_ADMIN'] });
  const { id: parent, secret } = await create(owner.call, {
    name: 'the parent',
    scope: ['sp:scopes:all'],
  });
  const credentials = { clientId: parent, clientSecret: secret };
  const authorization = `Bearer ${await tokenOf(service.url, credentials)}`;
  const asParent: Party['call'] = (method, path, body) =>
    service.call(method, path, body, {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      authorization,
    });
  const child = await create(asParent, { name: 'the child' });
  const client = await json(asParent('POST', '/v3/oauth-clients', { name: 'the client' }));
  const key = await json(asParent('POST', '/admin/v1/api-keys', { name: 'the key' }), 201);
  assert.equal((await asParent('GET', '/oauth/userinfo')).status, 200);
  await expire(parent);
  // Refused before anything is deleted.
  const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
  for (const [method, path, body] of [
    ['GET', '/oauth/userinfo'],
    ['GET', '/v3/personal-access-tokens?owner-id=me'],
    ['POST', '/mcp', message],
  ] as const) {
    assert.equal((await asParent(method, path, body)).status, 401, path);
  }
  for (const made of [child, client]) {
    const { id: clientId, secret: clientSecret } = made as { id: string; secret: string };
    await assert.rejects(tokenOf(service.url, { clientId, clientSecret }), /invalid_client/);
  }
  await assert.rejects(tokenOf(service.url, credentials), /invalid_client/);
  assert.ok((await stored(parent)) !== null);
  // Two at once, as two nodes do.
  const counts = await Promise.all([purge(), purge()]);
  assert.equal(
    counts.reduce((sum, each) => sum + each.personal_access_tokens, 0),
    1,
  );
  for (const { id } of [{ id: parent }, child]) assert.equal(await stored(id), null);
  assert.equal((await owner.call('GET', `/v3/oauth-clients/${client['id']}`)).status, 404);
  const keys = (await json(owner.call('GET', '/admin/v1/api-keys'))) as Json[];
  assert.ok(!keys.some(({ id }) => id === key['id']));
  await assert.rejects(tokenOf(service.url, credentials), /invalid_client/);
  const ends = async (target: string) =>
    (await eventsOf(target)).filter((event) => !/CREATE|AUTHENTICATION/.test(event));
  for (const name of ['the parent', 'the child']) {
    assert.deepEqual(
      await ends(name),
      ['PERSONAL_ACCESS_TOKEN_EXPIRED PERSONAL_ACCESS_TOKEN_EXPIRE_PASSED cardea'],
      name,
    );
  }
  for (const name of ['the client', 'the key']) {
    assert.match((await ends(name)).join(), / API_\w+DELETE\w* cardea$/, name);
  }
});

test('what has not expired stays, and so do keys of profile management that have', async () => {
  const { call } = await addUser(service, { capabilities: ['ORG_ADMIN'] });
  const ids = [await create(call, { name: 'in time' }), await create(call, { name: 'never' })].map(
    ({ id }) => String(id),
  );
  await service.cardea.store.write(async (records) => {
    const token = (await records.credentialById(ids[1] ?? '')) ?? assert.fail();
    await records.updateCredential(service.tenantId, { ...token, expires: null });
  });
  const soon = new Date(Date.now() + 60_000).toISOString();
  const key = await json(call('POST', '/admin/v1/api-keys', { name: 'k', expires: soon }), 201);
  const { store, tenantId } = { store: service.cardea.store, tenantId: service.tenantId };
  const past = new Date(Date.now() - 1_000).toISOString();
  await store.write(async (records) => {
    const held = (await records.credentialById(key['id'])) ?? assert.fail();
    await records.updateCredential(tenantId, { ...held, expires: past });
  });
  assert.equal((await purge()).personal_access_tokens, 0);
  for (const id of ids) assert.ok(await stored(id));
  const keys = (await json(call('GET', '/admin/v1/api-keys'))) as Json[];
  assert.equal(keys.find(({ id }) => id === key['id'])?.['expires'], past);
});

test('ids of new API clients are UUIDs, and clients with older ids stay valid', async () => {
  const { id, secret } = await json(service.call('POST', '/v3/oauth-clients', { name: 'new' }));
  assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  const older = `${'0'.repeat(31)}1`;
  await service.cardea.store.write(async (records) => {
    const client = (await records.credentialById(id)) ?? assert.fail();
    await records.addCredential(service.tenantId, { ...client, id: older });
  });
  for (const clientId of [id, older]) {
    assert.ok(await tokenOf(service.url, { clientId, clientSecret: secret }));
    assert.equal((await service.call('GET', `/v3/oauth-clients/${clientId}`)).status, 200);
  }
});
