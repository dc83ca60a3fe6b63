// Every kind of query over real HTTP, with real documents: what is found, what its rows look like, how it goes
// together with filters, sorting, paging, projection and counting, under every version of the path.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publicPrefixes } from '../../src/http/requests/path-versions.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;

const access = (id: string, type: string, name: string, source?: string) => ({
  id,
  type,
  name,
  privileged: type === 'ROLE',
  ...(source === undefined ? {} : { source: { id: `s-${source}`, name: source } }),
});

const DOCUMENTS = [
  {
    _type: 'identity',
    id: 'i1',
    name: 'Joe.Myers',
    displayName: 'Joe Myers',
    created: '2024-01-10T00:00:00.000Z',
    inactive: false,
    employeeNumber: '3141592',
    tags: ['John Doe', 'zebra'],
    attributes: { city: 'London', level: 7 },
    accessCount: 3,
    access: [
      access('e1', 'ENTITLEMENT', 'Payroll Read', 'Workday'),
      access('e2', 'ENTITLEMENT', 'Payroll Write', 'Workday'),
      access('r1', 'ROLE', 'Auditor'),
    ],
    accounts: [
      { id: 'a1', name: 'jmyers', disabled: false, source: { id: 's1', name: 'Active Directory' } },
      { id: 'a2', name: 'joe', disabled: true, source: { id: 's2', name: 'Workday' } },
    ],
  },
  {
    _type: 'identity',
    id: 'i2',
    name: 'Ann Jones',
    displayName: 'Ann Jones',
    created: '2024-02-10T00:00:00.000Z',
    inactive: true,
    attributes: { city: 'London' },
    accessCount: 1,
    access: [access('e1', 'ENTITLEMENT', 'Payroll Read', 'Workday')],
    accounts: [
      { id: 'a3', name: 'ajones', disabled: true, source: { id: 's1', name: 'Active Directory' } },
    ],
  },
  {
    _type: 'identity',
    id: 'i3',
    name: 'John Doe',
    displayName: 'John Doe',
    created: '2024-03-10T00:00:00.000Z',
    inactive: false,
    attributes: { city: 'Oslo' },
    accessCount: 0,
  },
  { _type: 'identity', id: 'i4', name: 'John Doe', displayName: 'J. Doe', access: [{}] },
  {
    _type: 'role',
    id: 'role1',
    name: 'Payroll Job',
    enabled: true,
    entitlements: [{ id: 'e1', name: 'Payroll Read', attribute: 'memberOf' }],
  },
  { _type: 'event', id: 'ev1', name: 'Joined', type: 'AUTH', actor: { name: 'Joe.Myers' } },
];

before(async () => {
  service = await startService();
  await service.addDocuments(DOCUMENTS);
});
after(() => service.stop());

type Row = Record<string, unknown>;

async function answerOf(body: object, path = '/v2024/search'): Promise<Response> {
  return service.call('POST', path, body);
}

async function rows(body: object, parameters = ''): Promise<Row[]> {
  const answer = await answerOf({ indices: ['identities'], ...body }, `/v2024/search${parameters}`);
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as Row[];
}

async function ids(body: object, parameters = ''): Promise<unknown[]> {
  return (await rows({ sort: ['id'], ...body }, parameters)).map(({ id }) => id);
}

async function count(body: object): Promise<number> {
  const answer = await answerOf({ indices: ['identities'], ...body }, '/v2024/search/count');
  assert.equal(answer.status, 204);
  return Number(answer.headers.get('X-Total-Count'));
}

const dsl = (queryDsl: object) => ({ queryType: 'DSL', queryDsl });
const text = (textQuery: object) => ({ queryType: 'TEXT', textQuery });
const ahead = (typeAheadQuery: object) => ({ queryType: 'TYPEAHEAD', typeAheadQuery });
const inner = (query: string, type: string, outer = '*') => ({
  query: { query: outer, innerHit: { query, type } },
});

const FOUND: readonly (readonly [body: object, ids: readonly string[]])[] = [
  [dsl({ match: { name: 'john' } }), ['i3', 'i4']],
  [dsl({ match_all: {} }), ['i1', 'i2', 'i3', 'i4']],
  [dsl({ term: { 'attributes.city': 'LONDON' } }), ['i1', 'i2']],
  [dsl({ term: { 'attributes.city.exact': 'LONDON' } }), []],
  [dsl({ term: { displayName: 'john doe' } }), ['i3']],
  [dsl({ terms: { name: ['Joe.Myers', 'ann jones'] } }), ['i1', 'i2']],
  [dsl({ range: { created: { gte: '2024-02', lt: 'now' } } }), ['i2', 'i3']],
  [
    dsl({
      bool: { must: { term: { inactive: false } }, must_not: { exists: { field: 'access' } } },
    }),
    ['i3'],
  ],
  [dsl({ nested: { path: 'access', query: { term: { 'access.type': 'ROLE' } } } }), ['i1']],
  [dsl({ nested: { path: 'access', query: { exists: { field: 'access' } } } }), ['i1', 'i2', 'i4']],
  [
    dsl({
      nested: {
        path: 'accounts',
        query: {
          bool: {
            must: [
              { term: { 'accounts.disabled': true } },
              { match: { 'accounts.source.name': 'active' } },
            ],
          },
        },
      },
    }),
    ['i2'],
  ],
  [dsl({ ids: { values: ['i3', 'nope', 'i1'] } }), ['i1', 'i3']],
  [dsl({ prefix: { name: 'JO' } }), ['i1', 'i2', 'i3', 'i4']],
  [dsl({ wildcard: { 'name.exact': 'Joe*' } }), ['i1']],
  [dsl({ regexp: { name: 'j[a-z]+s' } }), ['i2']],
  [dsl({ fuzzy: { name: 'jon' } }), ['i3', 'i4']],
  [dsl({ match_phrase_prefix: { displayName: 'john d' } }), ['i3']],
  [
    dsl({
      multi_match: {
        query: 'joe zebra',
        fields: ['displayName', 'tags'],
        type: 'cross_fields',
        operator: 'and',
      },
    }),
    ['i1'],
  ],
  [dsl({ query_string: { query: 'name:ann OR accessCount:[3 TO *]' } }), ['i1', 'i2']],
  [
    dsl({ simple_query_string: { query: '"john doe" + -zebra', fields: ['name', 'tags'] } }),
    ['i3', 'i4'],
  ],
  [dsl({ constant_score: { filter: { term: { tags: 'zebra' } } } }), ['i1']],
  [dsl({ dis_max: { queries: [{ term: { id: 'i2' } }, { match_none: {} }] } }), ['i2']],
  [text({ terms: ['joe', '314'], fields: ['displayName', 'employeeNumber'] }), ['i1']],
  [text({ terms: ['doe'], fields: ['displayName'] }), []],
  [text({ terms: ['doe'], fields: ['displayName'], contains: true }), ['i3', 'i4']],
  [text({ terms: ['Ann', 'John'], fields: ['displayName'], matchAny: true }), ['i2', 'i3']],
  [text({ terms: ['zeb'], fields: ['tags'] }), ['i1']],
  [text({ terms: ['ann'], fields: ['displayName.exact'] }), []],
  [text({ terms: ['active'], fields: ['accounts.source.name'] }), ['i1', 'i2']],
  [text({ terms: ['3'], fields: ['accessCount'] }), ['i1']],
  [text({ terms: ['true'], fields: ['inactive'] }), ['i2']],
  [text({ terms: ['2024-01-10T00:00:00Z'], fields: ['created'] }), ['i1']],
];

for (const [body, expected] of FOUND) {
  test(`${JSON.stringify(body)} finds ${expected.join(', ') || 'nothing'}`, async () => {
    assert.deepEqual(await ids(body), expected);
    assert.equal(await count(body), expected.length);
  });
}

test('a DSL hit is a document like any other hit, and goes with filters, sort, pages and projection', async () => {
  const filters = { inactive: { type: 'TERMS', terms: ['false'] } };
  const body = { ...dsl({ match_all: {} }), filters };
  assert.deepEqual(await ids(body), ['i1', 'i3']);
  assert.equal(await count(body), 2);
  assert.deepEqual(await ids({ ...body, sort: ['-id'] }, '?limit=1'), ['i3']);
  assert.deepEqual(await ids({ ...body, sort: ['id'] }, '?limit=1&offset=1'), ['i3']);
  assert.deepEqual(await ids({ ...body, sort: ['id'], searchAfter: ['i1'] }), ['i3']);
  const [row] = await rows({ ...body, sort: ['id'], queryResultFilter: { includes: ['name'] } });
  assert.deepEqual(row, { name: 'Joe.Myers', _type: 'identity', _version: 'v2', type: 'identity' });
  const [whole] = await rows({ ...dsl({ ids: { values: ['i1'] } }), includeNested: false });
  assert.equal(whole?.['access'], undefined);
  assert.equal(whole?.['_type'], 'identity');
});

test('a row tells its types whatever is projected, an event its own', async () => {
  const queryResultFilter = { includes: ['name'], excludes: ['type', '_type', '_version'] };
  const body = { ...dsl({ match: { name: 'Joined' } }), indices: ['events'], queryResultFilter };
  const [event] = await rows(body);
  assert.deepEqual(event, { name: 'Joined', _type: 'event', _version: 'v2', type: 'AUTH' });
});

test('what the DSL does not serve is refused with its place', async () => {
  const body = dsl({ bool: { must: [{ match_all: {} }, { geo_distance: { distance: '1km' } }] } });
  for (const path of ['/v2024/search', '/v2024/search/count']) {
    const answer = await answerOf(body, path);
    assert.equal(answer.status, 400);
    const { detailCode, causes } = (await answer.json()) as {
      detailCode: string;
      causes: { text: string }[];
    };
    assert.match(detailCode, /^400\.1 /);
    assert.match(
      causes[0]?.text ?? '',
      /^queryDsl\.bool\.must\[1\]\.geo_distance: is not supported/,
    );
  }
});

test('a type-ahead answers values, the most frequent first', async () => {
  const body = { indices: ['identities'], ...ahead({ query: 'Jo', field: 'name' }) };
  const answer = await answerOf(body, '/v2024/search?count=true&limit=1&offset=9');
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('X-Total-Count'), '3');
  assert.deepEqual(await answer.json(), ['John Doe', 'Ann Jones', 'Joe.Myers']);
  assert.equal(await count(body), 4);
});

const VALUES: readonly (readonly [query: object, values: readonly string[], more?: object])[] = [
  [{ query: 'jo', field: 'displayName' }, ['Ann Jones', 'Joe Myers', 'John Doe']],
  [{ query: 'john d', field: 'displayName' }, ['John Doe']],
  [{ query: 'doe john', field: 'displayName' }, []],
  // Only the value itself counts, not what stands beside it.
  [{ query: 'jo', field: 'tags' }, ['John Doe']],
  [{ query: 'z', field: 'tags' }, ['zebra']],
  [{ query: 'Work', field: 'source.name', nestedType: 'access' }, ['Workday']],
  [{ query: 'Pay', field: 'access.name' }, ['Payroll Read', 'Payroll Write']],
  [{ query: 'ent', field: 'type', nestedType: 'access' }, ['ENTITLEMENT']],
  [{ query: 'Jo', field: 'name', size: 1 }, ['John Doe']],
  [{ query: 'Jo', field: 'name', sort: 'asc' }, ['Ann Jones', 'Joe.Myers', 'John Doe']],
  [
    { query: 'j', field: 'displayName', sortByValue: true },
    ['John Doe', 'Joe Myers', 'J. Doe', 'Ann Jones'],
  ],
  [
    { query: 'j', field: 'displayName', sortByValue: true, sort: 'asc', maxExpansions: 1 },
    ['J. Doe'],
  ],
  [
    { query: 'Jo', field: 'name' },
    ['Ann Jones'],
    { filters: { inactive: { type: 'TERMS', terms: ['true'] } } },
  ],
  [
    { query: 'jo', field: 'name' },
    ['John Doe', 'Ann Jones', 'Joe.Myers', 'Joined', 'Payroll Job'],
    { indices: [] },
  ],
  [{ query: 'x', field: 'nope' }, []],
  [{ query: '', field: 'name' }, []],
];

for (const [query, expected, more = {}] of VALUES) {
  test(`${JSON.stringify({ ...query, ...more })} is completed to ${expected.join(', ') || 'nothing'}`, async () => {
    assert.deepEqual(await rows({ ...ahead(query), ...more }), expected);
  });
}

test('inner hits are the elements, flat, with their own type and that of their document', async () => {
  assert.deepEqual(await rows(inner('type:ENTITLEMENT', 'access', 'id:i1')), [
    {
      ...access('e1', 'ENTITLEMENT', 'Payroll Read', 'Workday'),
      _type: 'access',
      _originalType: 'identity',
      _version: 'v2',
    },
    {
      ...access('e2', 'ENTITLEMENT', 'Payroll Write', 'Workday'),
      _type: 'access',
      _originalType: 'identity',
      _version: 'v2',
    },
  ]);
});

test('inner hits are paged and counted by row, sorted by their documents', async () => {
  const body = { ...inner('*', 'access'), sort: ['id'] };
  const all = await rows(body);
  assert.deepEqual(
    all.map(({ id }) => id),
    ['e1', 'e2', 'r1', 'e1', undefined],
  );
  assert.equal(await count(body), 5);
  const answer = await answerOf(
    { indices: ['identities'], ...body },
    '/v2024/search?count=true&limit=2&offset=2',
  );
  assert.equal(answer.headers.get('X-Total-Count'), '5');
  assert.deepEqual(await answer.json(), all.slice(2, 4));
  assert.deepEqual(await rows(body, '?limit=0'), []);
  assert.deepEqual(await rows(body, '?offset=5'), []);
  const turned = await rows({ ...body, sort: ['-id'] }, '?limit=2');
  assert.deepEqual(turned, [all[4], all[3]]);
  const rest = await rows({ ...body, searchAfter: ['i1'] });
  assert.deepEqual(rest, all.slice(3));
});

test('an element without members is a row of its envelope', async () => {
  assert.deepEqual(await rows(inner('*', 'access', 'id:i4')), [
    { _type: 'access', _originalType: 'identity', _version: 'v2' },
  ]);
});

test('inner hits go with filters, projection and several indexes', async () => {
  const filters = { inactive: { type: 'TERMS', terms: ['true'] } };
  const body = { ...inner('disabled:true', 'accounts'), filters };
  assert.deepEqual(
    (await rows(body)).map(({ id }) => id),
    ['a3'],
  );
  const projected = await rows({ ...body, queryResultFilter: { includes: ['source.name'] } });
  assert.deepEqual(projected, [
    {
      source: { name: 'Active Directory' },
      _type: 'accounts',
      _originalType: 'identity',
      _version: 'v2',
    },
  ]);
  const everywhere = await rows({ ...inner('payroll', 'entitlements'), indices: [] });
  assert.deepEqual(everywhere, [
    {
      id: 'e1',
      name: 'Payroll Read',
      attribute: 'memberOf',
      _type: 'entitlements',
      _originalType: 'role',
      _version: 'v2',
    },
  ]);
});

test('one element must meet the whole inner query', async () => {
  assert.equal(await count(inner('disabled:true AND source.name:active', 'accounts')), 1);
  assert.equal(
    await count(inner('source.name:\\"Active Directory\\"', 'accounts', 'name:joe*')),
    1,
  );
  assert.equal(await count(inner('type:nothing', 'access')), 0);
  const answer = await answerOf({ indices: ['identities'], ...inner('x', 'nope') });
  assert.equal(answer.status, 400);
});

test('all members at once: only the one that queryType names is looked at', async () => {
  const all = {
    indices: ['identities'],
    query: { query: '"John Doe"', innerHit: { query: 'x', type: 'access' } },
    queryDsl: { match: { name: 'ann' } },
    textQuery: { terms: ['joe'], fields: ['displayName'] },
    typeAheadQuery: { query: 'Jo', field: 'name', size: 1 },
    aggregationsDsl: {},
    aggregations: { metric: { name: 'x' } },
  };
  assert.deepEqual(await rows({ ...all, queryType: 'SAILPOINT' }), []);
  assert.deepEqual(await rows({ ...all, queryType: null }), []);
  assert.deepEqual(await ids({ ...all, queryType: 'DSL' }), ['i2']);
  assert.deepEqual(await ids({ ...all, queryType: 'TEXT' }), ['i1']);
  assert.deepEqual(await rows({ ...all, queryType: 'TYPEAHEAD' }), ['John Doe']);
  assert.deepEqual(await ids({ ...all, queryType: 'DSL', query: 3, textQuery: 'x' }), ['i2']);
});

for (const path of [...publicPrefixes('/search'), '//v3//search']) {
  test(`every kind of query is answered under ${path}`, async () => {
    for (const body of [
      dsl({ match_all: {} }),
      text({ terms: ['a'], fields: ['name'] }),
      ahead({ query: 'Jo', field: 'name' }),
      inner('*', 'access'),
    ]) {
      const answer = await answerOf(body, path);
      assert.equal(answer.status, 200, await answer.clone().text());
      assert.ok(((await answer.json()) as unknown[]).length > 0);
      assert.equal((await answerOf(body, `${path}/count`)).status, 204);
    }
  });
}
