// suite: slow
// What people type and programs send, and what a search makes of it: pages in the body, quotes that are
// none, addresses without quotes. Every way to search reads it alike and says so in the same words.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publicPrefixes } from '../../src/http/requests/path-versions.ts';
import { type Json, json } from '../support/answers.ts';
import { type RunningService, startService } from '../support/service.ts';

const PEOPLE = [
  ['p0', 'Ada Lovelace', 'ada@acme.com'],
  ['p1', 'Ada Byron', 'steve@acme.com'],
  ['p2', 'Grace Hopper', 'grace@acme.com'],
  ['p3', 'Steve Stone', 'steve@other.org'],
  ['p4', 'Mary Stone', 'mary@other.org'],
].map(([id, displayName, email]) => ({ _type: 'identity', id, name: id, displayName, email }));

let service: RunningService;
before(async () => {
  service = await startService({ CARDEA_MCP: 'on' });
  await service.addDocuments(PEOPLE);
});
after(() => service.stop());

const found = (query: string, more: object = {}) => ({
  ...{ indices: ['identities'], query: { query }, sort: ['id'] },
  ...more,
});

async function search(body: object, below = '', prefix = '/v3/search') {
  const answer = await service.call('POST', `${prefix}${below}`, body);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  const warning = answer.headers.get('warning') ?? '';
  return { ids: idsIn(text), warning, total: answer.headers.get('x-total-count') };
}

/** The ids of the rows of an answer, of JSON and CSV. */
const idsIn = (text: string): string => [...new Set(text.match(/\bp\d\b/g))].join(' ');

for (const prefix of publicPrefixes('/search')) {
  test(`${prefix}: limit and offset of the body page it unless the URL has them`, async () => {
    const cases: readonly (readonly [page: object, url: string, ids: string, warning?: RegExp])[] =
      [
        [{ limit: 2 }, '', 'p0 p1'],
        [{ limit: 2, offset: 1 }, '', 'p1 p2'],
        [{ limit: '2', offset: '3' }, '', 'p3 p4'],
        [{ offset: 4 }, '', 'p4'],
        [{ limit: 0 }, '', ''],
        [{ limit: null, offset: null }, '', 'p0 p1 p2 p3 p4'],
        [{ limit: 2, offset: 1 }, '?limit=3', 'p1 p2 p3', /"limit\\" in the body .* has limit=3/],
        [{ limit: 2, offset: 1 }, '?offset=0', 'p0 p1', /"offset\\" in the body .* offset=0/],
        [{ limit: 2 }, '?limit=2&offset=2', 'p2 p3'],
        [{ size: 2 }, '', 'p0 p1 p2 p3 p4', /limit in the URL/],
      ];
    for (const [page, url, ids, warning = /^$/] of cases) {
      const at = `${JSON.stringify(page)} ${url}`;
      const answer = await search(found('*', page), url, prefix);
      assert.equal(answer.ids, ids, at);
      assert.match(answer.warning, warning, at);
      const one = { ...found('*', page), indices: [] };
      assert.equal((await search(one, `/identities${url}`, prefix)).ids, ids, at);
      const aggregated = {
        ...found('*', page),
        aggregationsDsl: { n: { terms: { field: 'id' } } },
      };
      const body = await json(service.call('POST', `${prefix}/aggregate${url}`, aggregated));
      assert.equal(body.hits.map(({ id }: Json) => id).join(' '), ids, at);
    }
    assert.equal((await search(found('*', { limit: 2 }), '?count=true', prefix)).total, '5');
    const rows = { ...found('*', { limit: 2 }), columns: ['id'] };
    assert.equal((await search(rows, '/rows?format=csv', prefix)).ids, 'p0 p1');
    assert.equal((await search(rows, '/rows?format=csv&limit=3', prefix)).ids, 'p0 p1 p2');
    const counted = await service.call('POST', `${prefix}/count`, found('*', { limit: 2 }));
    assert.deepEqual([counted.status, counted.headers.get('x-total-count')], [204, '5']);
    for (const [page, cause] of [
      [{ limit: {} }, /limit: expected a number/],
      [{ limit: true }, /limit: expected a number/],
      [{ limit: -1 }, /limit: .*-1.* not a whole number/],
      [{ limit: 1.5 }, /limit: .*1\.5.* not a whole number/],
      [{ limit: 'ten' }, /limit: .*ten.* not a whole number/],
      [{ offset: 10_000 }, /rows in offset \+ limit/],
      [{ offset: 1, searchAfter: ['p0'] }, /offset: must be 0 with searchAfter/],
    ] as const) {
      const refused = await json(service.call('POST', prefix, found('*', page)), 400);
      assert.match(refused.causes[0].text, cause);
    }
  });
}

const QUOTES =
  /Typographic quotes are no quotes but characters \(at \\"[\w*]+\\"\): write plain ones/;
const WORDS = /Without quotes steve@acme\.com is any of its words, steve OR acme\.com: write /;
const PATTERN =
  /No word has an @, so email:steve@acm\* finds nothing: write email\.exact:steve@acm\*/;

/** Query texts, what they find, and what is said of them; null: nothing. */
const REMARKS: readonly (readonly [query: string, ids: string, remark: RegExp | null])[] = [
  ['displayName:"Ada Lovelace"', 'p0', null],
  ['displayName:\u201cAda Lovelace\u201d', 'p0 p1', QUOTES],
  ['displayName:\u201eAda Lovelace\u201c', 'p0 p1', QUOTES],
  ['displayName:\u00abAda Lovelace\u00bb', 'p0 p1', QUOTES],
  ['displayName:(Grace OR \u2018Ada Lovelace\u2019)', 'p0 p1 p2', QUOTES],
  ['\u201cGrace\u201d', 'p2', QUOTES],
  ['displayName.exact:\u201cAda\u201d', '', QUOTES],
  ['displayName:\u201cAd*', '', QUOTES],
  ['displayName:"\u201cAda\u201d"', 'p0 p1', null],
  ['displayName:O\u2019Ada', '', null],
  ['email:steve@acme.com', 'p0 p1 p2 p3', WORDS],
  ['steve@acme.com', 'p0 p1 p2 p3', WORDS],
  ['email:(steve@acme.com AND grace)', 'p2', WORDS],
  ['email:"steve@acme.com"', 'p1', null],
  ['email.exact:steve@acme.com', 'p1', null],
  ['id:steve@acme.com', '', null],
  ['email:steve', 'p1 p3', null],
  ['email:steve@acm*', '', PATTERN],
  ['email.exact:steve@acm*', 'p1', null],
  ['@access(name:nobody)', '', null],
];

/** The ways to search with a query text: each returns what was found, if it shows that, and the remarks. */
const WAYS: Readonly<
  Record<string, (query: string) => Promise<{ readonly ids?: string; readonly warning: string }>>
> = {
  search: (query) => search(found(query)),
  'search of one index': (query) => search(found(query), '/identities'),
  'rows as CSV': (query) => search({ ...found(query), columns: ['id'] }, '/rows?format=csv'),
  count: async (query) => {
    const answer = await service.call('POST', '/v3/search/count', found(query));
    return { warning: answer.headers.get('warning') ?? '' };
  },
  aggregations: async (query) => {
    const body = found(query, { aggregationsDsl: { n: { terms: { field: 'id' } } } });
    return search(body, '/aggregate');
  },
  'a query_string of the DSL': (query) => {
    const queryDsl = { query_string: { query } };
    return search({ indices: ['identities'], queryType: 'DSL', queryDsl, sort: ['id'] });
  },
  explain: async (query) => {
    const { warnings } = await json(service.call('POST', '/v3/search/explain', found(query)));
    return { warning: JSON.stringify(warnings) };
  },
  'a saved search': async (query) => {
    const body = { name: 'n', indices: ['identities'], query };
    const made = await service.call('POST', '/v3/saved-searches', body);
    assert.equal(made.status, 201);
    const { id } = (await made.json()) as Json;
    const path = `/v3/saved-searches/${id}`;
    const test = { owner: { type: 'IDENTITY', id: service.adminId }, recipients: [] };
    const answers = [
      made,
      await service.call('PUT', path, body),
      await service.call('POST', `${path}/execute`, test),
    ];
    const [warning = '', ...others] = answers.map(({ headers }) => headers.get('warning') ?? '');
    assert.deepEqual(others, [warning, warning]);
    await json(service.call('DELETE', path), 204);
    return { warning };
  },
  'a tile of a dashboard': async (query) => {
    const search = { indices: ['identities'], query };
    const tile = { kind: 'number', width: 1, title: 't', search };
    const body = { name: 'd', shared: false, tiles: [tile] };
    const made = await service.call('POST', '/admin/v1/dashboards', body);
    const text = await made.text();
    assert.equal(made.status, 201, text);
    await json(service.call('DELETE', `/admin/v1/dashboards/${JSON.parse(text).id}`), 204);
    return { warning: made.headers.get('warning') ?? '' };
  },
  'a tool of an assistant': async (query) => {
    const name = 'count';
    const params = { name, arguments: { query, indices: ['identities'] } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const accept = 'application/json, text/event-stream';
    const answer = await service.call('POST', '/mcp', message, { accept });
    assert.equal(answer.status, 200);
    return { warning: JSON.stringify(await answer.json()).replaceAll('\\\\', '') };
  },
};

for (const [way, run] of Object.entries(WAYS)) {
  test(`${way} says what quotes that are none and addresses without quotes mean`, async () => {
    for (const [query, ids, remark] of REMARKS) {
      if (query.startsWith('@access') && way.includes('DSL')) continue;
      const answer = await run(query);
      if (answer.ids !== undefined) assert.equal(answer.ids, ids, query);
      const said = answer.warning.replaceAll('\\', '').replaceAll('"', '\\"');
      if (remark === null) assert.doesNotMatch(said, /quotes|No word/, query);
      else assert.match(said, remark, query);
    }
  });
}

test('a view with such a query is stored, and the answer says so', async () => {
  const views: readonly (readonly [query: string, remark: RegExp | null])[] = [
    ['email:steve@acme.com', /indices\.identities: Without quotes steve@acme\.com/],
    ['displayName:\u201cAda\u201d', /Typographic quotes/],
    ['email:"steve@acme.com"', null],
  ];
  for (const [query, remark] of views) {
    const body = { name: 'people', indices: { identities: query }, hide: [] };
    const made = await service.call('POST', '/admin/v1/views', body);
    assert.equal(made.status, 201);
    const warning = made.headers.get('warning') ?? '';
    if (remark === null) assert.equal(warning, '');
    else assert.match(warning, remark);
    await json(service.call('DELETE', '/admin/v1/views/people'), 204);
  }
});
