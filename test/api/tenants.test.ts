// Two tenants on one service: to each, the other is not there. What is asked by another tenant's id is answered, byte for
// byte but for the tracking id, as what is asked by an id that nobody has.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addTenant, type Party } from '../support/callers.ts';
import { ahead, dsl } from '../support/search-bodies.ts';
import { type RunningService, startService } from '../support/service.ts';

const SECRET = 'xyzzy-plugh-frobozz';
const RANDOM_ID = 'f00dfacef00dfacef00dfacef00dface';

let service: RunningService;
let other: Party;
let otherTokenId: string;
let otherApiKeyId: string;
let otherClientId: string;

before(async () => {
  service = await startService();
  other = await addTenant(service, 'other');
  const planted = {
    _type: 'identity',
    id: 'planted',
    name: SECRET,
    attributes: { [SECRET]: SECRET },
    access: [{ id: 'held', type: 'ROLE', name: SECRET }],
  };
  const shared = { _type: 'role', id: 'shared', name: SECRET };
  const body = [planted, shared].map((document) => JSON.stringify(document)).join('\n');
  const answer = await other.call('POST', '/admin/v1/documents?refresh=wait', body, {
    'content-type': 'application/x-ndjson',
  });
  assert.equal(((await answer.json()) as { created: number }).created, 2);
  await service.addDocuments([{ _type: 'role', id: 'shared', name: 'ours' }]);
  otherTokenId = other.clientId;
  const key = await other.call('POST', '/admin/v1/api-keys', { name: SECRET });
  otherApiKeyId = ((await key.json()) as { id: string }).id;
  const client = await other.call('POST', '/v2024/oauth-clients', { name: 'export' });
  otherClientId = ((await client.json()) as { id: string }).id;
});
after(() => service.stop());

/** Everything of an answer that its reader can tell apart. */
async function seen(answer: Response): Promise<string> {
  const text = await answer.text();
  const { trackingId } = (text.startsWith('{') ? JSON.parse(text) : {}) as { trackingId?: string };
  return `${answer.status} ${trackingId === undefined ? text : text.replaceAll(trackingId, '…')}`;
}

const PATCH = { 'content-type': 'application/json-patch+json' };
const GRANT = [{ op: 'add', path: '/capabilities/-', value: 'HELPDESK' }];
const RENAME = [{ op: 'replace', path: '/name', value: 'mine now' }];

const ROUTES: readonly (readonly [
  what: string,
  id: () => string,
  method: string,
  path: (id: string) => string,
  body?: unknown,
])[] = [
  ['an auth user', () => other.userId, 'GET', (id) => `/v2024/auth-users/${id}`],
  ['an auth user', () => other.userId, 'PATCH', (id) => `/v2024/auth-users/${id}`, GRANT],
  ['an auth user', () => other.userId, 'GET', (id) => `/auth-users/v1/${id}`],
  ['a document', () => 'planted', 'GET', (id) => `/v2024/search/identities/${id}`],
  ['a document', () => 'planted', 'DELETE', (id) => `/admin/v1/documents/identities/${id}`],
  ['an API key', () => otherApiKeyId, 'DELETE', (id) => `/admin/v1/api-keys/${id}`],
  ['a token', () => otherTokenId, 'PATCH', (id) => `/v2024/personal-access-tokens/${id}`, RENAME],
  ['a token', () => otherTokenId, 'DELETE', (id) => `/v2024/personal-access-tokens/${id}`],
  ['an API client', () => otherClientId, 'GET', (id) => `/v2024/oauth-clients/${id}`],
  ['an API client', () => otherClientId, 'PATCH', (id) => `/v2024/oauth-clients/${id}`, RENAME],
  ['an API client', () => otherClientId, 'DELETE', (id) => `/v2024/oauth-clients/${id}`],
  [
    'the tokens of a user',
    () => other.userId,
    'GET',
    (id) => `/v2024/personal-access-tokens?owner-id=${id}`,
  ],
];

for (const [what, id, method, path, body] of ROUTES) {
  test(`${method} ${path('…')}: ${what} of another tenant is answered like a random id`, async () => {
    const headers = method === 'PATCH' ? PATCH : {};
    const theirs = await seen(await service.call(method, path(id()), body, headers));
    const nobodys = await seen(await service.call(method, path(RANDOM_ID), body, headers));
    assert.equal(theirs.replaceAll(id(), '…'), nobodys.replaceAll(RANDOM_ID, '…'));
  });
}

test('what was tried from outside has changed nothing inside', async () => {
  const user = await other.call('GET', `/v2024/auth-users/${other.userId}`);
  assert.deepEqual(((await user.json()) as { capabilities: string[] }).capabilities, ['ORG_ADMIN']);
  assert.equal((await other.call('GET', '/v2024/search/identities/planted')).status, 200);
  const keys = await (await other.call('GET', '/admin/v1/api-keys')).json();
  assert.deepEqual(
    (keys as { id: string }[]).map(({ id }) => id),
    [otherApiKeyId],
  );
});

test('the API clients of another tenant are not listed', async () => {
  assert.deepEqual(await (await service.call('GET', '/v3/oauth-clients')).json(), []);
  const theirs = await (await other.call('GET', '/v3/oauth-clients')).json();
  assert.deepEqual(
    (theirs as { id: string; name: string }[]).map(({ id, name }) => [id, name]),
    [[otherClientId, 'export']],
  );
});

test('the API keys of another tenant are not listed', async () => {
  assert.deepEqual(await (await service.call('GET', '/admin/v1/api-keys')).json(), []);
});

const QUERIES: readonly string[] = [
  SECRET,
  `"${SECRET}"`,
  'xyzz*',
  '/xyzzy|plugh/',
  'xyzzi~',
  `name.exact:${SECRET}`,
  `attributes.${SECRET}:*`,
  'attributes.\\*:plugh',
  'id:planted',
  `org:other`,
];

for (const query of QUERIES) {
  test(`${query} finds a planted value in its own tenant only`, async () => {
    const body = { query: { query } };
    for (const path of ['/v2024/search?count=true', '/v2024/search/count']) {
      const mine = await service.call('POST', path, body);
      assert.equal(mine.headers.get('x-total-count'), '0', await mine.text());
      const theirs = await other.call('POST', path, body);
      assert.notEqual(theirs.headers.get('x-total-count'), '0');
    }
  });
}

const everyone = { query: { query: '*' } };
const terms = (field: string) => ({ values: { terms: { field, size: 1000 } } });
const bucket = (field: string) => ({
  bucket: { name: 'Values', type: 'TERMS', field, size: 1000 },
});

/** Requests of every kind that tell of the planted value to those it belongs to. */
const KINDS: readonly (readonly [kind: string, path: string, body: object, accept?: string])[] = [
  ['DSL', 'search', dsl({ match_all: {} })],
  ['DSL', 'search', dsl({ query_string: { query: 'xyzz*' } })],
  [
    'DSL in an array',
    'search',
    dsl({ nested: { path: 'access', query: { prefix: { 'access.name': 'xyzz' } } } }),
  ],
  ['TEXT', 'search', { queryType: 'TEXT', textQuery: { terms: ['xyzz'], fields: ['*'] } }],
  ['TYPEAHEAD', 'search', ahead({ query: 'xyzz', field: 'name' })],
  ['TYPEAHEAD in an array', 'search', ahead({ query: 'xyzz', field: 'access.name' })],
  ['TYPEAHEAD of an attribute', 'search', ahead({ query: 'x', field: `attributes.${SECRET}` })],
  ['innerHit', 'search', { query: { query: '*', innerHit: { query: '*', type: 'access' } } }],
  ['a cursor', 'search', { ...everyone, sort: ['name'], searchAfter: ['xyz'] }],
  ['a projection', 'search', { ...everyone, queryResultFilter: { includes: ['attributes.*'] } }],
  ['aggregations', 'search/aggregate', { aggregationsDsl: terms('name.exact') }],
  [
    'aggregations of all documents',
    'search/aggregate?limit=0',
    {
      query: { query: 'nothing' },
      aggregationsDsl: { all: { global: {}, aggs: terms('name.exact') } },
    },
  ],
  [
    'aggregations of an attribute',
    'search/aggregate',
    { aggregationsDsl: terms(`attributes.${SECRET}`) },
  ],
  [
    'aggregations of an array',
    'search/aggregate?limit=0',
    { aggregationsDsl: { held: { nested: { path: 'access' }, aggs: terms('access.name.exact') } } },
  ],
  [
    'top hits',
    'search/aggregate?limit=0',
    {
      aggregationsDsl: {
        top: { terms: { field: '_type' }, aggs: { one: { top_hits: { size: 50 } } } },
      },
    },
  ],
  [
    'the vendor form',
    'search/aggregate',
    { aggregationType: 'SAILPOINT', aggregations: bucket('name') },
  ],
  [
    'CSV',
    'search/aggregate',
    { aggregationType: 'SAILPOINT', aggregations: bucket('name') },
    'text/csv',
  ],
];

for (const [kind, path, body, accept = 'application/json'] of KINDS) {
  test(`${kind} tells of a planted value in its own tenant only: ${path} ${JSON.stringify(body).slice(0, 70)}`, async () => {
    const explained = async (party: Pick<Party, 'call'>) =>
      (await party.call('POST', `/v2024/${path}`, body, { accept })).text();
    assert.match(await explained(other), /xyzzy/);
    // A field's name that the request itself holds is the request's.
    const mine = (await explained(service)).replaceAll(`attributes.${SECRET}`, '');
    assert.doesNotMatch(mine, /xyzzy|planted/);
  });
}

test('explain knows neither the documents nor the attributes of others', async () => {
  const request = {
    indices: ['identities'],
    query: { query: 'dispaly:x attributes.xyzzy-plug-frobozz:x' },
  };
  const text = await (await service.call('POST', '/v2024/search/explain', request)).text();
  assert.doesNotMatch(text, new RegExp(SECRET));
  const theirs = await (await other.call('POST', '/v2024/search/explain', request)).text();
  assert.match(theirs, new RegExp(SECRET), 'the nearest name is told to those who have it');
  const [planted, nobody] = await Promise.all(
    ['planted', RANDOM_ID].map(async (id) => {
      const path = `/v2024/search/explain?index=identities&id=${id}`;
      return (await seen(await service.call('POST', path, request))).replaceAll(id, '…');
    }),
  );
  assert.equal(planted, nobody);
  assert.match(planted ?? '', /^404/);
});

test('filters, sorting and searchAfter do not reach over', async () => {
  const filters = { name: { type: 'TERMS', terms: [SECRET] } };
  const filtered = await service.call('POST', '/v2024/search', { query: { query: '*' }, filters });
  assert.deepEqual(await filtered.json(), []);
  // The other tenant's attribute is a name that means nothing here.
  const sort = [`attributes.${SECRET}`];
  const sorted = await service.call('POST', '/v2024/search', { query: { query: '*' }, sort });
  assert.equal(sorted.status, 400);
  const all = await service.call('POST', '/v2024/search?limit=10000', {
    query: { query: '*' },
    sort: ['id'],
    searchAfter: ['pl'],
  });
  assert.doesNotMatch(await all.text(), /planted|xyzzy/);
});

test('one id is one document in each tenant', async () => {
  const name = async (party: Pick<Party, 'call'>) =>
    ((await (await party.call('GET', '/v2024/search/roles/shared')).json()) as { name: string })
      .name;
  assert.equal(await name(service), 'ours');
  assert.equal(await name(other), SECRET);
  await service.call('DELETE', '/admin/v1/documents/roles/shared?refresh=wait');
  const left = await other.call('POST', '/v2024/search', { query: { query: 'id:shared' } });
  assert.equal(((await left.json()) as unknown[]).length, 1);
});

test('the audit trail of a tenant tells of nobody else', async () => {
  const body = { indices: ['events'], query: { query: '*' } };
  const trail = await (await service.call('POST', '/v2024/search?limit=10000', body)).text();
  assert.doesNotMatch(trail, new RegExp(`other|${other.userId}|${otherTokenId}`));
});

test('a tenant that no token can name is never made', async () => {
  const before = await service.cardea.store.read.tenants();
  const header = Buffer.from('{"alg":"ES256","typ":"JWT","kid":"x"}').toString('base64url');
  const claims = { tenant_id: 'ghost', org: 'ghost', iss: 'https://elsewhere.test', aud: 'cardea' };
  const payload = Buffer.from(JSON.stringify({ ...claims, exp: 4e9 })).toString('base64url');
  const answer = await fetch(`${service.url}/v2024/search`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${header}.${payload}.c2ln`,
      'content-type': 'application/json',
    },
    body: '{"query":{"query":"*"}}',
  });
  assert.equal(answer.status, 401);
  assert.deepEqual(Object.keys((await answer.json()) as object), ['error']);
  assert.deepEqual(await service.cardea.store.read.tenants(), before);
});
