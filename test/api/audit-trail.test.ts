// The audit trail over HTTP: no request alters what the service recorded, and each change tells who, whom, before, after,
// from where and in which request.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { verifyAudit } from '../../src/service/audit/audit-verification.ts';
import { addUser } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

interface Event {
  readonly id: string;
  readonly technicalName: string;
  readonly actor: { readonly name: string };
  readonly target: { readonly name: string };
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The events that a query finds, oldest first, once everything is searchable. */
async function trail(query: string): Promise<Event[]> {
  const { status } = service.cardea.services;
  await status.waitUntilSearchable(await status.lastSequence(), 60_000);
  const body = { indices: ['events'], query: { query }, sort: ['created', 'id'] };
  return (await (await service.call('POST', '/v3/search?limit=1000', body)).json()) as Event[];
}

const PATCH = { 'content-type': 'application/json-patch+json' };
const NDJSON = { 'content-type': 'application/x-ndjson' };

const lines = (records: readonly object[]) =>
  records.map((record) => JSON.stringify(record)).join('\n');

async function newUser(): Promise<string> {
  const [id = ''] = await service.addAuthUsers(1);
  return id;
}

async function grant(id: string): Promise<Response> {
  const operations = [{ op: 'add', path: '/capabilities/-', value: 'HELPDESK' }];
  return service.call('PATCH', `/v3/auth-users/${id}`, operations, PATCH);
}

test('an administrator can neither delete nor overwrite a recorded event, nor import one that looks recorded', async () => {
  const id = await newUser();
  await grant(id);
  const query = `technicalName:AUTH_USER_MODIFY_PASSED AND target.name:${id}`;
  const [event] = await trail(query);
  assert.ok(event);
  const removal = await service.call('DELETE', `/admin/v1/documents/events/${event.id}`);
  assert.equal(removal.status, 403);
  assert.match(await removal.text(), /only imported events can be deleted/);
  const forged = { _type: 'event', id: event.id, name: 'x', actor: { name: 'somebody.else' } };
  const fresh = { ...forged, id: 'f'.repeat(32), stack: 'cardea', target: { name: id } };
  const foreign = { ...forged, id: 'e'.repeat(32), stack: 'elsewhere' };
  for (const path of ['/admin/v1/documents', '/admin/v1/documents?index=events']) {
    const body = lines([forged, fresh, foreign]);
    const report = (await (await service.call('POST', path, body, NDJSON)).json()) as {
      failed: number;
      faults: { line: number; reason: string }[];
    };
    assert.deepEqual(
      report.faults.map(({ line }) => line),
      [2, 1].sort(),
    );
    assert.match(JSON.stringify(report.faults), /belongs to an event of the audit trail/);
    assert.match(JSON.stringify(report.faults), /reserved for events that this service records/);
  }
  assert.deepEqual(await trail(query), [event]);
  const left = await service.call('DELETE', `/admin/v1/documents/events/${foreign.id}`);
  assert.equal(left.status, 204);
  const { store } = service.cardea;
  assert.deepEqual((await verifyAudit(store.read, service.tenantId)).faults, []);
});

test('an import of auth users leaves an event for each user it created or changed, with what and by whom', async () => {
  const [one, two] = [await newUser(), await newUser()];
  const same = { id: two, uid: two, displayName: two, capabilities: [] };
  const body = lines([
    { id: one, uid: one, displayName: 'Promoted', capabilities: ['ORG_ADMIN'] },
    same,
    { id: 'n'.repeat(32), uid: 'newcomer', capabilities: ['HELPDESK'] },
  ]);
  const answer = await service.call('POST', '/admin/v1/auth-users', body, NDJSON);
  const requestId = answer.headers.get('slpt-request-id');
  const origin = { actorId: service.adminId, remoteAddress: '127.0.0.1', requestId };
  const events = await trail(`attributes.requestId:${requestId} AND type:USER_MANAGEMENT`);
  assert.deepEqual(
    events
      .map(({ technicalName, actor, target }) => [technicalName, actor.name, target.name])
      .sort(),
    [
      ['AUTH_USER_CREATE_PASSED', 'test.admin', 'newcomer'],
      ['AUTH_USER_MODIFY_PASSED', 'test.admin', one],
      ['USER_ROLE_ADMIN_GRANT_PASSED', 'test.admin', one],
      ['USER_ROLE_HELPDESK_GRANT_PASSED', 'test.admin', 'newcomer'],
    ],
  );
  const changed = events.find(
    ({ target, technicalName }) => target.name === one && technicalName.startsWith('AUTH_USER_'),
  );
  assert.deepEqual(changed?.attributes, {
    ...origin,
    targetId: one,
    changed: ['displayName', 'capabilities'],
    before: `{"displayName":"${one}","capabilities":[]}`,
    after: '{"displayName":"Promoted","capabilities":["ORG_ADMIN"]}',
    capabilitiesBefore: [],
    capabilitiesAfter: ['ORG_ADMIN'],
  });
  await service.call('POST', '/admin/v1/auth-users', lines([same]), NDJSON);
  assert.equal(
    (await trail(`attributes.targetId:${two} AND technicalName:*_MODIFY_PASSED`)).length,
    0,
  );
});

test('each kind of change names the address and the request that made it', async () => {
  const changes: readonly (readonly [string, () => Promise<Response>, more?: string])[] = [
    [
      'AUTH_USER_MODIFY_PASSED',
      async () => grant(await newUser()),
      'USER_ROLE_HELPDESK_GRANT_PASSED',
    ],
    [
      'PERSONAL_ACCESS_TOKEN_CREATE_PASSED',
      () => post('/v3/personal-access-tokens', { name: 'a' }),
    ],
    [
      'API_CLIENT_CREATE_PASSED',
      () =>
        post('/v3/oauth-clients', {
          ...{ name: 'b', description: null, accessTokenValiditySeconds: 750 },
          ...{ grantTypes: ['CLIENT_CREDENTIALS'], accessType: 'ONLINE', enabled: true },
        }),
    ],
    ['API_KEY_CREATE_PASSED', () => post('/admin/v1/api-keys', { name: 'c' })],
    ['DOCUMENT_IMPORT_PASSED', () => post('/admin/v1/documents', { _type: 'role', id: 'r1' })],
    ['DOCUMENT_DELETE_PASSED', () => service.call('DELETE', '/admin/v1/documents/roles/r1')],
    ['NE_ROLE_CREATE_PASSED', () => post('/api/roles', { roles: [{ name: 'd' }] })],
  ];
  for (const [technicalName, change, level] of changes) {
    const answer = await change();
    assert.ok(answer.ok, `${technicalName}: ${answer.status} ${await answer.clone().text()}`);
    const requestId = answer.headers.get('slpt-request-id');
    const events = await trail(`attributes.requestId:${requestId}`);
    const names = events.map((one) => one.technicalName).sort();
    assert.deepEqual(names, [technicalName, ...(level === undefined ? [] : [level])]);
    const event = events.find((one) => one.technicalName === technicalName);
    const { actorId, remoteAddress } = event?.attributes ?? {};
    assert.deepEqual([actorId, remoteAddress], [service.adminId, '127.0.0.1'], technicalName);
  }
});

const post = (path: string, body: object) => service.call('POST', path, body);

test('a token that is issued leaves an event with its owner and credential', async () => {
  const party = await addUser(service, {});
  assert.equal((await party.call('GET', `/v3/auth-users/${party.userId}`)).status, 200);
  const query = `technicalName:AUTHENTICATION_REQUEST_PASSED AND attributes.actorId:${party.userId}`;
  const [event] = await trail(query);
  assert.equal(event?.attributes['remoteAddress'], '127.0.0.1');
  assert.match(String(event?.attributes['requestId']), /^[0-9a-f]{32}$/);
});
