// API clients over HTTP: who may manage them, what they can be, what their tokens open, and what is in the trail.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publicPrefixes } from '../../src/http/requests/path-versions.ts';
import { addUser, tokenOf } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const PATCH = { 'content-type': 'application/json-patch+json' };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const PATHS = publicPrefixes('/oauth-clients');
const [PATH = ''] = PATHS;

interface Client {
  readonly id: string;
  readonly secret: string;
  readonly scope: string[];
  readonly modified: string;
  readonly created: string;
  readonly enabled: boolean;
}

type Call = RunningService['call'];

async function create(body: object, call: Call = service.call): Promise<Client> {
  const answer = await call('POST', PATH, body);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text) as Client;
}

const patch = (id: string, operations: unknown, call: Call = service.call) =>
  call('PATCH', `${PATH}/${id}`, operations, PATCH);

const read = async (id: string) =>
  (await (await service.call('GET', `${PATH}/${id}`)).json()) as Client;

interface Fault {
  readonly detailCode: string;
  readonly causes: readonly { readonly text: string }[];
}

async function faultOf(answer: Response): Promise<[number, string, string | undefined]> {
  const { detailCode, causes } = (await answer.json()) as Fault;
  return [answer.status, detailCode, causes[0]?.text];
}

/** A call with the token of a client. */
async function callAs(
  client: Client,
): Promise<(method: string, path: string, body?: unknown) => Promise<Response>> {
  const token = await tokenOf(service.url, { clientId: client.id, clientSecret: client.secret });
  return (method, path, body) =>
    service.call(method, path, body, { authorization: `Bearer ${token}` });
}

for (const path of PATHS) {
  test(`${path} serves a client from its creation to its end`, async () => {
    const made = (await (await service.call('POST', path, { name: path })).json()) as Client;
    assert.match(made.id, UUID);
    assert.match(made.secret, /^[0-9a-f]{64}$/);
    const shown = await service.call('GET', `${path}/${made.id}`);
    assert.deepEqual(await shown.json(), { ...made, secret: null });
    const listed = (await (await service.call('GET', path)).json()) as Client[];
    assert.ok(listed.some(({ id }) => id === made.id));
    assert.doesNotMatch(JSON.stringify(listed), new RegExp(made.secret));
    const answer = await service.call(
      ...(['PATCH', `${path}/${made.id}`] as const),
      [{ op: 'replace', path: '/name', value: 'renamed' }],
      PATCH,
    );
    assert.equal(((await answer.json()) as { name: string }).name, 'renamed');
    assert.equal((await service.call('DELETE', `${path}/${made.id}`)).status, 204);
    assert.equal((await service.call('GET', `${path}/${made.id}`)).status, 404);
    assert.equal((await service.call('DELETE', `${path}/${made.id}`)).status, 404);
  });
}

const RIGHTS: readonly (readonly [capabilities: string[], scope: string[], status: number])[] = [
  [['ORG_ADMIN'], ['sp:oauth-client:manage'], 200],
  [['ORG_ADMIN'], ['idn:oauth-client:manage'], 200],
  [['ORG_ADMIN'], ['sp:scopes:all'], 200],
  [['ORG_ADMIN'], ['sp:search:read'], 403],
  [['ORG_ADMIN'], ['sp:all-personal-access-tokens:manage'], 403],
  [['HELPDESK', 'SOURCE_ADMIN', 'ROLE_ADMIN'], ['sp:scopes:all'], 403],
  [[], ['sp:scopes:all'], 403],
];
for (const [capabilities, scope, status] of RIGHTS) {
  test(`levels "${capabilities}" with the scope ${scope}: each call is ${status}`, async () => {
    const { call } = await addUser(service, { capabilities, scope });
    const { id } = await create({ name: 'n' });
    const calls = [
      call('GET', PATH),
      call('POST', PATH, { name: 'mine', scope: [] }),
      call('GET', `${PATH}/${id}`),
      patch(id, [], call),
    ];
    for (const answer of calls) assert.equal((await answer).status, status);
    const deleted = await call('DELETE', `${PATH}/${id}`);
    assert.equal(deleted.status, status === 200 ? 204 : status);
  });
}

test('a client has no scope that the token of its creator has not', async () => {
  const scope = ['sp:oauth-client:manage', 'sp:search:read'];
  const { call } = await addUser(service, { capabilities: ['ORG_ADMIN'], scope });
  for (const beyond of ['sp:scopes:all', 'idn:scopes:all', 'sp:auth-user:manage']) {
    const answer = await call('POST', PATH, { name: 'n', scope: ['sp:search:read', beyond] });
    assert.deepEqual(await faultOf(answer), [
      ...([403, '403 Forbidden'] as const),
      `scope: your token does not have ${beyond}`,
    ]);
  }
  assert.deepEqual((await create({ name: 'n' }, call)).scope, scope);
  const narrow = await create({ name: 'n', scope: ['sp:search:read'] }, call);
  assert.deepEqual(narrow.scope, ['sp:search:read']);
  const widened = await patch(narrow.id, [{ op: 'add', path: '/scope/-', value: 'x' }], call);
  assert.deepEqual(await faultOf(widened), [
    400,
    '400.1.1 Illegal update attempt',
    'path "/scope/-"',
  ]);
  assert.deepEqual((await create({ name: 'n' })).scope, ['sp:scopes:all']);
});

const NEEDS_A_USER: readonly (readonly [string, string, unknown?])[] = [
  ['GET', '/v3/personal-access-tokens?owner-id=me'],
  ['GET', '/v3/personal-access-tokens'],
  ['POST', '/v3/personal-access-tokens', { name: 'n' }],
  ['GET', PATH],
  ['POST', PATH, { name: 'n' }],
  ['GET', '/admin/v1/api-keys'],
  ['GET', '/api/profiles'],
];
test("a client's token searches with any scope that allows it, and is refused where a user is needed", async () => {
  await service.addDocuments([{ _type: 'role', id: 'r-1', name: 'Clients read this' }]);
  const body = { indices: ['roles'], query: { query: 'name:clients' } };
  for (const scope of [['sp:scopes:all'], ['sp:search:read'], ['idn:search:read']]) {
    const call = await callAs(await create({ name: 'n', scope }));
    const hits = (await (await call('POST', '/v3/search', body)).json()) as { id: string }[];
    assert.deepEqual(
      hits.map(({ id }) => id),
      ['r-1'],
    );
    for (const path of ['/v3/search/count', '/v3/search/aggregate']) {
      assert.ok((await call('POST', path, body)).ok);
    }
    for (const refused of NEEDS_A_USER) assert.equal((await call(...refused)).status, 403);
    const user = await call('GET', `/v3/auth-users/${service.adminId}`);
    assert.deepEqual(await faultOf(user), [
      ...([403, '403 Forbidden'] as const),
      'This operation needs the token of a user, not of an API client.',
    ]);
  }
  for (const scope of [[], ['sp:scopes:default'], ['sp:oauth-client:manage']]) {
    const call = await callAs(await create({ name: 'n', scope }));
    assert.equal((await call('POST', '/v3/search', body)).status, 403);
  }
});

test('the token of a disabled client is refused at once, also when the client is enabled again', async () => {
  const client = await create({ name: 'n' });
  let call = await callAs(client);
  const search = async () => (await call('GET', '/v3/search/roles/nothing')).status;
  assert.equal(await search(), 404);
  const enabled = (value: boolean) => [{ op: 'replace', path: '/enabled', value }];
  assert.equal((await patch(client.id, enabled(false))).status, 200);
  assert.equal(await search(), 401);
  await assert.rejects(callAs(client), /401: .*invalid_client/);
  await patch(client.id, enabled(true));
  assert.equal(await search(), 401);
  call = await callAs(client);
  assert.equal(await search(), 404);
  assert.equal((await service.call('DELETE', `${PATH}/${client.id}`)).status, 204);
  assert.equal(await search(), 401);
  await assert.rejects(callAs(client), /401: .*invalid_client/);
});

test('the lifetime of a token is that of its client', async () => {
  const client = await create({ name: 'n', accessTokenValiditySeconds: 15 });
  const answer = await fetch(`${service.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret },
    }),
  });
  const { expires_in, access_token } = (await answer.json()) as Record<string, string>;
  assert.equal(expires_in, 15);
  const claims = JSON.parse(Buffer.from(access_token?.split('.')[1] ?? '', 'base64url').toString());
  assert.equal(claims.exp - claims.iat, 15);
  assert.equal(claims.strategy, 'client');
  assert.equal('identity_id' in claims, false);
});

test('a client without the grant type REFRESH_TOKEN, and one with a code, are refused in terms of OAuth', async () => {
  const client = await create({
    ...{ name: 'n', grantTypes: ['CLIENT_CREDENTIALS', 'AUTHORIZATION_CODE'] },
    redirectUris: ['http://localhost:1'],
  });
  const ask = async (parameters: Record<string, string>) => {
    const body = { client_id: client.id, client_secret: client.secret, ...parameters };
    const answer = await fetch(`${service.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(body),
    });
    const { error } = (await answer.json()) as { error: string };
    return [answer.status, error];
  };
  const code = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'http://localhost:1' };
  assert.deepEqual(await ask(code), [400, 'unsupported_grant_type']);
  const refresh = { grant_type: 'refresh_token', refresh_token: 'x' };
  assert.deepEqual(await ask(refresh), [400, 'unauthorized_client']);
});

const REFUSED: readonly (readonly [body: unknown, code: string, cause: string])[] = [
  ['{', '400.0 Bad request syntax error', ''],
  ['[]', '400.1 Bad Request Content', 'the body must be an object'],
  [
    { name: 'x'.repeat(256) },
    '400.1.3 Illegal value',
    'name: 1 to 255 printable characters are needed',
  ],
  [{ name: 'n', enabled: 1 }, '400.1 Bad Request Content', 'enabled: a boolean is needed'],
  [
    { name: 'n', accessTokenValiditySeconds: 1e9 },
    ...(['400.1.3 Illegal value', 'accessTokenValiditySeconds: from 15 to 43200'] as const),
  ],
];
for (const [body, code, cause] of REFUSED) {
  test(`the body ${JSON.stringify(body).slice(0, 60)} is ${code}`, async () => {
    const before = (await (await service.call('GET', PATH)).json()) as Client[];
    const [status, detailCode, text] = await faultOf(await service.call('POST', PATH, body));
    assert.deepEqual([status, detailCode], [400, code]);
    if (cause !== '') assert.equal(text, cause);
    assert.deepEqual(await (await service.call('GET', PATH)).json(), before);
  });
}

test('a patch is applied whole or not at all', async () => {
  const { id } = await create({ name: 'n' });
  const before = await read(id);
  const rename = { op: 'replace', path: '/name', value: 'other' };
  const refused: readonly (readonly [unknown, string])[] = [
    [[rename, { op: 'test', path: '/enabled', value: false }], '400.1.3 Illegal value'],
    [[rename, { op: 'replace', path: '/secret', value: 'mine' }], '400.1.1 Illegal update attempt'],
    [[rename, { op: 'add', path: '/grantTypes/-', value: 'PASSWORD' }], '400.1.3 Illegal value'],
    [[rename, { op: 'increase', path: '/name' }], '400.1 Bad Request Content'],
    [{ name: 'other' }, '400.1 Bad Request Content'],
  ];
  for (const [operations, code] of refused) {
    const [status, detailCode] = await faultOf(await patch(id, operations));
    assert.deepEqual([status, detailCode], [400, code]);
  }
  const doubling = Array.from({ length: 40 }, () => ({
    ...{ op: 'copy', from: '/redirectUris', path: '/redirectUris/-' },
  }));
  assert.equal((await patch(id, doubling)).status, 400);
  assert.deepEqual(await read(id), before);
});

for (const [filters, cause] of [
  ['name eq "n"', 'offset 0: name cannot be filtered by; the fields are lastUsed'],
  [
    'lastUsed le yesterday',
    'offset 12: expected a date-time, a date or a year for lastUsed, found "yesterday"',
  ],
  ['lastUsed ge 2026-01-01', 'offset 9: ge is no operator of lastUsed; it has le, isnull'],
] as const) {
  test(`the filter ${filters} is refused`, async () => {
    const answer = await service.call('GET', `${PATH}?filters=${encodeURIComponent(filters)}`);
    assert.deepEqual(await faultOf(answer), [
      ...([400, '400.1 Bad Request Content'] as const),
      `filters, ${cause}`,
    ]);
  });
}

test('the list is narrowed by the last use, which a token request moves', async () => {
  const client = await create({ name: 'n' });
  const ids = async (filters: string) => {
    const answer = await service.call('GET', `${PATH}?filters=${encodeURIComponent(filters)}`);
    return ((await answer.json()) as Client[]).map(({ id }) => id);
  };
  assert.ok((await ids('lastUsed isnull')).includes(client.id));
  await callAs(client);
  assert.ok(!(await ids('lastUsed isnull')).includes(client.id));
  assert.ok((await ids('lastUsed le 2999-01-01T00:00:00Z')).includes(client.id));
});

interface Event {
  readonly technicalName: string;
  readonly actor: { readonly name: string };
  readonly attributes: Record<string, unknown>;
}

test('each change leaves one event with who, what and the values before and after; a refusal leaves none', async () => {
  const client = await create({ name: 'audited' });
  await patch(client.id, [
    { op: 'replace', path: '/enabled', value: false },
    { op: 'replace', path: '/description', value: 'd' },
  ]);
  await patch(client.id, []);
  await patch(client.id, [{ op: 'replace', path: '/enabled', value: false }]);
  await patch(client.id, [{ op: 'replace', path: '/id', value: 'x' }]);
  await service.call('DELETE', `${PATH}/${client.id}`);
  await service.call('DELETE', `${PATH}/${client.id}`);
  const sequence = await service.cardea.services.status.lastSequence();
  await service.cardea.services.status.waitUntilSearchable(sequence, 60_000);
  const query = { query: `attributes.clientId:${client.id}` };
  const body = { indices: ['events'], query, sort: ['created', 'technicalName'] };
  const hits = (await (await service.call('POST', '/v3/search', body)).json()) as Event[];
  const byName = new Map(hits.map((event) => [event.technicalName, event]));
  assert.deepEqual(
    [...byName.keys()].sort(),
    ['CREATE', 'DELETE', 'MODIFY'].map((operation) => `API_CLIENT_${operation}_PASSED`),
  );
  assert.equal(hits.length, 3);
  for (const { actor, attributes } of hits) {
    assert.equal(actor.name, 'test.admin');
    assert.equal(attributes['actorId'], service.adminId);
  }
  const { changed, before, after } = byName.get('API_CLIENT_MODIFY_PASSED')?.attributes ?? {};
  assert.deepEqual(changed, ['description', 'enabled']);
  assert.deepEqual(JSON.parse(String(before)), { description: '', enabled: true });
  assert.deepEqual(JSON.parse(String(after)), { description: 'd', enabled: false });
  assert.doesNotMatch(JSON.stringify(hits), new RegExp(client.secret));
});

test('a patch that changes nothing does not move the date of the last change', async () => {
  const client = await create({ name: 'n' });
  const same = await patch(client.id, [{ op: 'replace', path: '/name', value: 'n' }]);
  assert.equal(((await same.json()) as Client).modified, client.modified);
});
