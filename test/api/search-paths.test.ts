// A search of the index in its path, as SIEM connectors send it, and the hints of searches that are answered and yet do not do what
// their sender expects. Bodies of programs that could differ between backends are in test/contract/search-requests.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publicPrefixes } from '../../src/http/requests/path-versions.ts';
import { INDEX_NAMES } from '../../src/query/mapping/document-types.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;

before(async () => {
  service = await startService();
  const created = '2026-11-01T00:00:00.000Z';
  await service.addDocuments([
    { _type: 'event', id: 'e1', name: 'Login', created },
    { _type: 'event', id: 'e2', name: 'Logout', created },
    { _type: 'event', id: 'e3', name: 'Login', created: '2026-11-02T00:00:00.000Z' },
    { _type: 'role', id: 'r1', name: 'Login' },
  ]);
});
after(() => service.stop());

const PLANTED = 'id:(e1 OR e2 OR e3 OR r1)';

interface Asked {
  readonly status: number;
  readonly ids: readonly string[];
  readonly causes: readonly string[];
  readonly total: string | null;
  readonly warning: string | null;
}

async function ask(path: string, body: object): Promise<Asked> {
  const answer = await service.call('POST', path, { query: { query: PLANTED }, ...body });
  const value = JSON.parse(await answer.text());
  return {
    status: answer.status,
    ids: Array.isArray(value) ? value.map(({ id }) => id) : [],
    causes: Array.isArray(value) ? [] : value.causes.map(({ text }: { text: string }) => text),
    total: answer.headers.get('x-total-count'),
    warning: answer.headers.get('warning'),
  };
}

for (const path of publicPrefixes('/search')) {
  test(`${path}/{index} searches that index alone`, async () => {
    const page = await ask(`${path}/events?limit=2&offset=1&count=true`, { sort: ['id'] });
    assert.deepEqual(page, {
      ...{ status: 200, ids: ['e2', 'e3'], total: '3', causes: [], warning: null },
    });
    assert.deepEqual((await ask(`${path}/roles`, {})).ids, ['r1']);
  });
}

test('each of the six indices may be in the path, and no other name', async () => {
  for (const index of INDEX_NAMES) {
    assert.equal((await ask(`/v2025/search/${index}`, {})).status, 200, index);
  }
  for (const other of ['people', 'Events', '*', 'events,roles', 'constructor', 'v1']) {
    const { status, causes } = await ask(`/v2025/search/${encodeURIComponent(other)}`, {});
    assert.equal(status, 404, other);
    assert.match(causes.join(), /is none of .*events/);
  }
});

const INDICES: readonly (readonly [indices: unknown, status: number, cause?: RegExp])[] = [
  [undefined, 200],
  [null, 200],
  [[], 200],
  [['events'], 200],
  [['events', 'events'], 200],
  [['roles'], 400, /^indices\[0\]: "roles" is not events, the index in the path/],
  [['events', 'roles'], 400, /^indices\[1\]: "roles" is not events/],
  [['*'], 400, /^indices\[0\]: "\*" is not events/],
  ['events', 400, /^indices: expected an array of strings/],
  [[1], 400, /^indices: expected an array of strings/],
];
for (const [indices, status, cause = /^$/] of INDICES) {
  test(`the body of a search in events may name ${JSON.stringify(indices)}: ${status}`, async () => {
    const answer = await ask('/v2024/search/events', { indices, sort: ['id'] });
    assert.equal(answer.status, status);
    assert.deepEqual(answer.ids, status === 200 ? ['e1', 'e2', 'e3'] : []);
    assert.match(answer.causes[0] ?? '', cause);
  });
}

test('a body that is no object is refused as without an index', async () => {
  for (const body of ['[]', 'null', '"x"', '{']) {
    const answer = await service.call('POST', '/v3/search/events', body);
    assert.equal(answer.status, 400, body);
    assert.match(await answer.text(), /400\.0 Bad request syntax/);
  }
});

const TIES =
  /^299 - "Documents with the same created as the last one of a page are lost between pages/;
const HINTS: readonly (readonly [
  what: string,
  path: string,
  body: object,
  warning: RegExp | null,
])[] = [
  [
    'a page after one key that is not unique',
    '/v2024/search/events',
    { sort: ['created'], searchAfter: ['2026-11-01T00:00:00.000Z'] },
    TIES,
  ],
  [
    'the mend with the direction of the key',
    '/v3/search',
    { indices: ['events'], sort: ['-created'], searchAfter: ['2026-11-02T00:00:00.000Z'] },
    /sort by \[\\"-created\\",\\"id\\"\], and send the values of both in searchAfter"$/,
  ],
  [
    'a page after two keys without the id',
    '/v3/search/events',
    { sort: ['created', 'name'], searchAfter: ['2026-11-01T00:00:00.000Z', 'Login'] },
    /the same created, name as/,
  ],
  [
    'an aggregation with such a page',
    '/v3/search/aggregate',
    { indices: ['events'], sort: ['created'], searchAfter: ['2026-11-01T00:00:00.000Z'] },
    TIES,
  ],
  [
    'no searchAfter, which may be all that is read',
    '/v3/search/events',
    { sort: ['created'], searchAfter: [] },
    null,
  ],
  [
    'a page after a key and the id',
    '/v3/search/events',
    { sort: ['created', '-id'], searchAfter: ['2026-11-01T00:00:00.000Z', 'e2'] },
    null,
  ],
  [
    'a size in the body',
    '/v3/search/events',
    { size: 1 },
    /^299 - "\\"size\\" in the body is not read; send limit in the URL, such as \?limit=250"$/,
  ],
  [
    'all parameters in the body',
    '/beta/search',
    { size: 1, from: 2, count: true },
    /^299 - "\\"size\\" in .*, 299 - "\\"from\\" in .*, 299 - "\\"count\\" in the body [^,]*, such as \?count=true"$/,
  ],
  [
    'the body of Elasticsearch',
    '/v2026/search/aggregate',
    { index: 'events', size: 0, aggs: {}, _source: ['id'] },
    /"indices\\": \[.*send limit in.*aggregationsDsl.*queryResultFilter/,
  ],
  [
    'a filter that a count does not read',
    '/v3/search/count',
    { filter: { type: 'x' }, limit: 1 },
    /^299 - "\\"filter\\" in the body is not read; send \\"filters\\": [^,]*, \\"terms\\": \[\\"HR\\"\]\}\}"$/,
  ],
  [
    'a time zone beside the query',
    '/v3/search/events',
    { timeZone: 'GMT' },
    /^299 - "\\"timeZone\\" in the body is not read; send \\"timeZone\\" in \\"query\\""$/,
  ],
  [
    'parameters in the URL that belong into the body',
    '/v3/search/events?sort=created&size=1&colour=red',
    {},
    /^299 - "Ignored unknown parameters \\"sort\\", \\"size\\", \\"colour\\"; known are offset, limit, count", 299 - "Instead of \\"sort\\" send \\"sort\\": .* in the body", 299 - "Instead of \\"size\\" send limit in the URL, such as \?limit=250"$/,
  ],
  [
    'both at once',
    '/v3/search/events?q=a',
    { sortBy: 'created' },
    /^299 - "Ignored .*, 299 - "Instead of \\"q\\" .*, 299 - "\\"sortBy\\" in the body/,
  ],
  ['parameters of a search', '/v3/search/events?limit=1&offset=0&count=False', {}, null],
  ['the parameters of pages on a count', '/v3/search/count?limit=1&count=true', {}, null],
  ['a limit in the body of rows', '/v3/search/rows', { indices: ['events'], limit: 1 }, null],
  ['a size in the body of rows', '/v3/search/rows', { indices: ['events'], size: 1 }, /limit/],
  ['members that nobody knows', '/v3/search/events', { colour: 'red', limit: null }, null],
];
for (const [what, path, body, warning] of HINTS) {
  test(`${warning === null ? 'warns not of' : 'warns of'} ${what}`, async () => {
    const answer = await service.call('POST', path, { query: { query: PLANTED }, ...body });
    const text = await answer.text();
    assert.equal(answer.status, path.includes('/count') ? 204 : 200, text);
    const header = answer.headers.get('warning');
    if (warning === null) assert.equal(header, null);
    else assert.match(String(header), warning);
  });
}

/** Bodies that are refused, and the first cause. */
const REFUSED: readonly (readonly [body: object, cause: string])[] = [
  [{ query: 'name:a*' }, 'query: expected an object, such as {"query": "name:a*"}'],
  [
    { query: { query: '*' }, sort: 'name' },
    'sort: expected an array of strings, such as ["name", "-created"]',
  ],
  [
    { query: { query: '*' }, sort: [{ name: 'asc' }] },
    'sort: expected an array of strings, such as ["name", "-created"]',
  ],
  [
    { query: { query: '*' }, sort: [['displayName', '+id']] },
    'sort: expected an array of strings, such as ["name", "-created"]',
  ],
  [
    { query: { query: '*' }, indices: 'identities' },
    'indices: expected an array of strings, such as ["identities"]',
  ],
  [
    { query: { query: '*' }, queryResultFilter: ['id'] },
    'queryResultFilter: expected an object, such as {"includes": ["id", "name"]}',
  ],
  [
    { queryString: 'name:a*' },
    'query.query: is required for queryType SAILPOINT; "queryString" in the body is not read; send "query": {"query": "name:a*"}',
  ],
  [
    { sortBy: 'x', queryDsl: { match_all: {} } },
    'query.query: is required for queryType SAILPOINT; "queryDsl" is not read, as queryType is SAILPOINT; send "queryType": "DSL"',
  ],
  [
    { query: { text: 'a', querystring: 'name:a*' } },
    'query.query: is required for queryType SAILPOINT; "querystring" in "query" is not read; send "query": {"query": "name:a*"}',
  ],
  [
    { queryType: 'TEXT', query: { query: '*' } },
    'textQuery: is required for queryType TEXT; "query" is not read, as queryType is TEXT; send "queryType": "SAILPOINT"',
  ],
  [{ queryType: 'DSL' }, 'queryDsl: is required for queryType DSL'],
  [
    { queryType: 'DSL', queryDsl: { query: { match_all: {} }, size: 1 } },
    'queryDsl: expected exactly one query clause, found query, size; send the clause itself as queryDsl, without "query" around it',
  ],
];
for (const [body, cause] of REFUSED) {
  test(`${JSON.stringify(body)} is refused with how to send it`, async () => {
    const answer = await service.call('POST', '/v2024/search', body);
    const { causes } = (await answer.json()) as { causes: { text: string }[] };
    assert.equal(answer.status, 400);
    assert.equal(causes[0]?.text, cause);
  });
}

const LISTS: readonly (readonly [path: string, warning: RegExp | null])[] = [
  ['/v3/accounts?limit=1', null],
  ['/v2025/roles?include-unsegmented=true&sorters=name', null],
  [
    '/v2026/identities?filter=x&sort=name',
    /^299 - "Ignored unknown parameters \\"filter\\", \\"sort\\"; known are limit, offset, count, filters, sorters, defaultFilter", 299 - "Instead of \\"filter\\" send filters, .*", 299 - "Instead of \\"sort\\" send sorters, such as sorters=name"$/,
  ],
  ['/accounts/v1?name=ada', /Instead of \\"name\\" send filters=name eq \\"A\\""$/],
  ['/beta/sources?page=2&pageSize=10', /send offset, .*send limit, such as limit=250"$/],
  [
    '/v2024/saved-searches?sort=name',
    /Ignored unknown parameters \\"sort\\"; known are offset, limit, count, filters"$/,
  ],
  ['/v3/personal-access-tokens?owner-id=me&limit=3', null],
  [
    '/v3/personal-access-tokens?owner-id=me&page=3',
    /\\"page\\"; known are owner-id, limit, offset, count, filters"/,
  ],
  ['/admin/v1/auth-users?search=ada', /Instead of \\"search\\" send filters/],
];
for (const [path, warning] of LISTS) {
  test(`GET ${path} ${warning === null ? 'carries no Warning' : 'says what it does not read'}`, async () => {
    const answer = await service.call('GET', path);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    const header = answer.headers.get('warning');
    if (warning === null) assert.equal(header, null);
    else assert.match(String(header), warning);
  });
}

test('hints come beside the warnings of unknown names', async () => {
  const { warning } = await ask('/v3/search/events', { size: 1, query: { query: 'nmae:x' } });
  assert.match(String(warning), /did you mean.*, 299 - .*in the body is not read/);
});
