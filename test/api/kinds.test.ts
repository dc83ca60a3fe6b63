// suite: slow
// The kinds of query beside query strings, and aggregations, under requests that are wrong or too large: what is
// refused says where and why, the rest is answered. What is made to run away or out of time is in runaway.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  ahead,
  type Body,
  calculate,
  dsl,
  inner,
  pathFor,
  text,
} from '../support/search-bodies.ts';
import { type RunningService, startService } from '../support/service.ts';

const PEOPLE = 4_000;

let service: RunningService;
before(async () => {
  service = await startService();
  await service.addDocuments([...people(PEOPLE), ...PAIRS]);
});
after(() => service.stop());

function people(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, n) => ({
    _type: 'identity',
    id: `p${n}`,
    name: `person.${n}`,
    displayName: `${'a'.repeat(1 + (n % 40))}b${n.toString(36)} ${(n * 40503).toString(36)}`,
    accessCount: n,
    created: new Date(Date.UTC(2014, 0, 1) + n * 79_000_000).toISOString(),
    attributes: { motto: `${'ab'.repeat(n % 30)}c ${n * 7919}` },
    accounts: [{ id: `a${n}`, name: `${'ab'.repeat(n % 30)}c${n}`, source: { name: `S${n % 7}` } }],
  }));
}

/** {A,1} and {B,2}: nobody has A with 2. */
const PAIRS = [
  {
    _type: 'identity',
    id: 'crossed',
    name: 'crossed',
    accounts: [
      { id: 'a1', source: { name: 'A' }, disabled: false },
      { id: 'b2', source: { name: 'B' }, disabled: true },
    ],
  },
  {
    _type: 'identity',
    id: 'straight',
    name: 'straight',
    accounts: [{ id: 'a2', source: { name: 'A' }, disabled: true }],
  },
];

const vendor = (aggregations: Body): Body => ({ aggregationType: 'SAILPOINT', aggregations });

/** Asked where it is read: aggregations by aggregate, queries by search. */
function ask(body: Body, parameters = '', on: RunningService = service): Promise<Response> {
  return on.call('POST', `/v2024/${pathFor(body)}${parameters}`, {
    indices: ['identities'],
    ...body,
  });
}

/** The sentence of a refusal. */
async function refusal(answer: Response): Promise<string> {
  const text = await answer.text();
  assert.equal(answer.status, 400, text.slice(0, 300));
  const { detailCode, causes } = JSON.parse(text) as {
    detailCode: string;
    causes: { text: string }[];
  };
  assert.match(detailCode, /^400\.1 Bad Request Content$/);
  return causes[0]?.text ?? '';
}

const title = (body: Body) => {
  const { queryType: _, aggregationType: __, ...shown } = body;
  return JSON.stringify(shown).slice(0, 90);
};

const MALFORMED: readonly (readonly [body: Body, cause: RegExp])[] = [
  [dsl({ query_string: { query: 'a AND (' } }), /queryDsl\.query_string.*offset 7/],
  [dsl({ bool: { must: [{ term: {} }] } }), /queryDsl\.bool\.must\[0\]\.term/],
  [dsl({ match: { name: 'a' }, term: { id: 'b' } }), /queryDsl.*one/],
  [dsl({ regexp: { name: '[a' } }), /queryDsl\.regexp\.name.*offset 2/],
  [dsl({ range: { created: { gte: 'soon' } } }), /queryDsl\.range\.created: .*date/],
  [dsl({ nested: { path: 'accounts' } }), /queryDsl\.nested.*query/],
  [text({ terms: [' '], fields: ['name'] }), /textQuery\.terms/],
  [text({ terms: ['a'], fields: [] }), /textQuery\.fields/],
  [ahead({ field: 'name' }), /typeAheadQuery\.query: is required/],
  [ahead({ query: 'a', field: 'accessCount' }), /typeAheadQuery\.field.*no text/],
  [ahead({ query: 'a', field: 'name', size: 0 }), /typeAheadQuery\.size/],
  [ahead({ query: 'a', field: 'name', sort: 'up' }), /typeAheadQuery\.sort/],
  [inner('a AND ('), /innerHit\.query.*offset 7/],
  [inner('"'), /innerHit\.query.*offset 0/],
  [inner(' '), /innerHit\.query/],
  [{ query: { query: '*', innerHit: { type: 'nope', query: '*' } } }, /innerHit\.type/],
  [calculate({ a: { terms: {} } }), /aggregationsDsl\.a\.terms/],
  [calculate({ a: { filter: { query_string: { query: 'name:' } } } }), /a\.filter.*offset 5/],
  [calculate({ a: { terms: { field: 'name', include: '[a' } } }), /a\.terms\.include.*offset 2/],
  [vendor({ bucket: { name: 'a' } }), /aggregations\.bucket\.field/],
];
for (const [body, cause] of MALFORMED) {
  test(`${title(body)} is refused with its place`, async () => {
    assert.match(await refusal(await ask(body)), cause);
    if ('aggregationsDsl' in body || 'aggregations' in body) return;
    const counted = await service.call('POST', '/v2024/search/count', body);
    assert.match(await refusal(counted), cause);
    const explained = await service.call('POST', '/v2024/search/explain', body);
    assert.match(await refusal(explained), cause);
  });
}

const many = <Value>(count: number, make: (n: number) => Value) =>
  Array.from({ length: count }, (_, n) => make(n));
const clauses = (count: number) =>
  dsl({ bool: { should: many(count, (n) => ({ term: { name: `w${n}` } })) } });
const deep = (levels: number): Body =>
  levels === 0 ? { match_all: {} } : { constant_score: { filter: deep(levels - 1) } };
const levels = (count: number): Body => ({
  a: { terms: { field: 'name' }, ...(count > 1 && { aggs: levels(count - 1) }) },
});

const TOO_LARGE: readonly (readonly [what: string, body: () => Body, limit: RegExp])[] = [
  ['1,025 clauses of the DSL', () => clauses(1025), /1024 .*CARDEA_MAX_CLAUSES/],
  [
    '65,537 values of terms',
    () => dsl({ terms: { id: many(65_537, (n) => `t${n}`) } }),
    /65536 .*CARDEA_MAX_TERMS/,
  ],
  [
    '65,537 ids',
    () => dsl({ ids: { values: many(65_537, (n) => `t${n}`) } }),
    /65536 .*CARDEA_MAX_TERMS/,
  ],
  [
    'a text of 65,537 in a match',
    () => dsl({ match: { name: 'a'.repeat(65_537) } }),
    /65536 .*CARDEA_MAX_QUERY_LENGTH/,
  ],
  [
    'a regular expression of 1,001 in the DSL',
    () => dsl({ regexp: { name: 'a'.repeat(1001) } }),
    /1000 .*CARDEA_MAX_REGEX_LENGTH/,
  ],
  [
    '1,025 terms of TEXT',
    () => text({ terms: many(1025, String), fields: ['name'] }),
    /1024 .*CARDEA_MAX_CLAUSES/,
  ],
  [
    'a term of TEXT of 65,537',
    () => text({ terms: ['a'.repeat(65_537)], fields: ['name'] }),
    /65536 .*CARDEA_MAX_QUERY_LENGTH/,
  ],
  [
    'terms of TEXT by fields of a pattern',
    () => text({ terms: many(1024, String), fields: many(1024, () => 'a*') }),
    /65536 .*CARDEA_MAX_TERMS/,
  ],
  [
    'a text of TYPEAHEAD of 65,537',
    () => ahead({ query: 'a'.repeat(65_537), field: 'name' }),
    /65536 .*CARDEA_MAX_QUERY_LENGTH/,
  ],
  [
    '1,025 clauses of an inner query',
    () => inner(many(1025, (n) => `name:w${n}`).join(' ')),
    /1024 .*CARDEA_MAX_CLAUSES/,
  ],
  [
    '51 levels of an inner query',
    () => inner(`${'('.repeat(51)}a${')'.repeat(51)}`),
    /50 .*CARDEA_MAX_DEPTH/,
  ],
  ['six levels of aggregations', () => calculate(levels(6)), /5 .*CARDEA_MAX_AGGREGATION_DEPTH/],
  [
    '65,537 buckets of one terms',
    () => calculate({ a: { terms: { field: 'name', size: 65_537 } } }),
    /65536 .*CARDEA_MAX_BUCKETS/,
  ],
  [
    'a millisecond over ten years',
    () => calculate({ a: { date_histogram: { field: 'created', fixed_interval: '1ms' } } }),
    /65536 buckets.*CARDEA_MAX_BUCKETS/,
  ],
  [
    'a millisecond over ten years in the vendor form of buckets below buckets',
    () =>
      calculate({
        a: {
          terms: { field: 'name', size: 300 },
          aggs: { b: { date_histogram: { field: 'created', fixed_interval: '1ms' } } },
        },
        c: { histogram: { field: 'accessCount', interval: 0.001 } },
      }),
    /65536 buckets.*CARDEA_MAX_BUCKETS/,
  ],
  [
    '1,025 aggregations',
    () => calculate(Object.fromEntries(many(1025, (n) => [`a${n}`, { global: {} }]))),
    /1024 .*CARDEA_MAX_CLAUSES/,
  ],
];
for (const [what, body, limit] of TOO_LARGE) {
  test(`${what} are refused by the name of the limit`, async () => {
    assert.match(await refusal(await ask(body())), limit);
  });
}

test('as much as the limits allow is answered', async () => {
  const bodies = [
    clauses(1023),
    dsl(deep(30)),
    dsl({ terms: { id: many(65_536, (n) => `t${n}`) } }),
    dsl({ match: { name: 'a'.repeat(65_536) } }),
    text({ terms: many(1024, String), fields: ['name'] }),
    ahead({ query: 'a'.repeat(65_536), field: 'name' }),
    inner(many(1000, (n) => `name:w${n}`).join(' ')),
    calculate(levels(5)),
    calculate({ a: { terms: { field: 'name', size: 65_536 } } }),
  ];
  for (const body of bodies) {
    const answer = await ask(body, '?limit=1');
    assert.equal(answer.status, 200, `${title(body)}: ${(await answer.text()).slice(0, 300)}`);
  }
});

const PAGED: readonly (readonly [name: string, body: Body])[] = [
  ['DSL', dsl({ match_all: {} })],
  ['TEXT', text({ terms: ['per', 'cro', 'str'], fields: ['name'], matchAny: true })],
  ['innerHit', inner('*')],
  ['aggregate', calculate({ a: { value_count: { field: 'name' } } })],
];
for (const [name, body] of PAGED) {
  test(`${name}: pages are refused at the same edges as those of query strings`, async () => {
    const total = Number((await ask(body, '?count=true&limit=0')).headers.get('x-total-count'));
    assert.ok(total >= PEOPLE, String(total));
    const rows = async (parameters: string, more: Body = {}): Promise<number> => {
      const answer = await ask({ ...body, ...more }, parameters);
      assert.equal(answer.status, 200, await answer.clone().text());
      const page = (await answer.json()) as unknown[] | { hits: unknown[] };
      return Array.isArray(page) ? page.length : page.hits.length;
    };
    assert.equal(await rows('?limit=0'), 0);
    assert.equal(await rows(`?offset=${total}`), 0);
    assert.equal(await rows(`?offset=${total - 1}`), 1);
    assert.equal(await rows('?limit=10000'), total);
    assert.equal(await rows('?limit=3', { sort: ['id'], searchAfter: ['p1'] }), 3);
    for (const parameters of ['limit=-1', 'limit=abc', 'offset=-1', 'count=maybe']) {
      assert.match(await refusal(await ask(body, `?${parameters}`)), /^(limit|offset|count): /);
    }
    assert.match(await refusal(await ask(body, '?limit=10001')), /CARDEA_MAX_WINDOW/);
    assert.match(await refusal(await ask(body, '?offset=9751')), /CARDEA_MAX_WINDOW/);
    const after = { ...body, searchAfter: ['p1'] };
    assert.match(await refusal(await ask(after)), /^searchAfter: needs a sort/);
    const long = { ...after, sort: ['id', 'name'] };
    assert.match(await refusal(await ask(long)), /^searchAfter: 1 values for 2 sort keys/);
    const wrong = { ...body, sort: ['created'], searchAfter: ['soon'] };
    assert.match(await refusal(await ask(wrong)), /^searchAfter\[0\]: .* expected a date/);
  });
}

test('values of a type-ahead are not paged, whatever the parameters', async () => {
  const body = ahead({ query: 'person', field: 'name', size: 3 });
  const plain = await (await ask(body)).json();
  assert.equal((plain as unknown[]).length, 3);
  assert.deepEqual(await (await ask(body, '?limit=1&offset=2')).json(), plain);
  assert.match(await refusal(await ask(body, '?limit=10001')), /CARDEA_MAX_WINDOW/);
});

const BOTH = [{ term: { 'accounts.source.name': 'A' } }, { term: { 'accounts.disabled': true } }];
const nested = (query: unknown) => ({ nested: { path: 'accounts', query } });

test('one account at a time: in the DSL, under not, in inner hits and in aggregations', async () => {
  const idsOf = async (query: unknown) => {
    const only = { terms: { id: ['crossed', 'straight'] } };
    const answer = await ask({ ...dsl({ bool: { filter: [only, query] } }), sort: ['id'] });
    return ((await answer.json()) as { id: string }[]).map(({ id }) => id);
  };
  const both = nested({ bool: { must: BOTH } });
  assert.deepEqual(await idsOf(both), ['straight']);
  assert.deepEqual(await idsOf({ bool: { must_not: both } }), ['crossed']);
  const flat = { bool: { must: BOTH.map(nested) } };
  assert.deepEqual(await idsOf(flat), ['crossed', 'straight']);

  const rows = await ask({ ...inner('source.name:A AND disabled:true'), sort: ['id'] });
  assert.deepEqual(
    ((await rows.json()) as { id: string }[]).map(({ id }) => id),
    ['a2'],
  );
  const none = await ask(inner('source.name:B AND disabled:false'), '?count=true');
  assert.equal(none.headers.get('x-total-count'), '0');

  const met = { filter: { bool: { must: BOTH } }, aggs: { people: { reverse_nested: {} } } };
  const answer = await ask(calculate({ all: { nested: { path: 'accounts' }, aggs: { met } } }));
  const { aggregations } = (await answer.json()) as {
    aggregations: { all: { met: { doc_count: number; people: { doc_count: number } } } };
  };
  assert.deepEqual([aggregations.all.met.doc_count, aggregations.all.met.people.doc_count], [1, 1]);
});

/** Berlin's day of 23 hours and its day of 25, the leap day, and units that do not divide them. */
const DAYS: readonly (readonly [day: string, zone: string, hours: number])[] = [
  ['2024-03-31', 'Europe/Berlin', 23],
  ['2024-10-27', 'Europe/Berlin', 25],
  ['2024-10-27', 'UTC', 24],
  ['2024-10-27', '+02:00', 24],
  ['2024-02-29', 'America/New_York', 24],
];

test('dates of the DSL, of filters and of aggregations are those of the calendar', async () => {
  const first = Date.UTC(2024, 1, 27);
  const hours = (Date.UTC(2024, 9, 30) - first) / 3_600_000;
  await service.addDocuments(
    many(hours, (n) => ({
      _type: 'event',
      id: `h${n}`,
      name: 'hourly',
      created: new Date(first + n * 3_600_000).toISOString(),
    })),
  );
  const hourly = { term: { 'name.exact': 'hourly' } };
  for (const [day, zone, expected] of DAYS) {
    const range = { range: { created: { gte: day, lte: day, time_zone: zone } } };
    const body = { indices: ['events'], ...dsl({ bool: { filter: [hourly, range] } }) };
    const answer = await service.call('POST', '/v2024/search/count', body);
    assert.equal(answer.headers.get('x-total-count'), String(expected), `DSL: ${day} ${zone}`);

    const counted = await service.call('POST', '/v2024/search/aggregate?limit=0', {
      indices: ['events'],
      query: { query: 'name.exact:hourly' },
      aggregationsDsl: {
        days: { date_histogram: { field: 'created', calendar_interval: 'day', time_zone: zone } },
      },
    });
    const { aggregations } = (await counted.json()) as {
      aggregations: { days: { buckets: { key_as_string: string; doc_count: number }[] } };
    };
    const bucket = aggregations.days.buckets.find(({ key_as_string }) =>
      key_as_string.startsWith(day),
    );
    assert.equal(bucket?.doc_count, expected, `aggregation: ${day} ${zone}`);

    const edge = (value: string) => ({ value, inclusive: true });
    const filtered = await service.call('POST', '/v2024/search/count', {
      indices: ['events'],
      query: { query: 'name.exact:hourly', timeZone: zone },
      filters: { created: { type: 'RANGE', range: { lower: edge(day), upper: edge(day) } } },
    });
    assert.equal(filtered.headers.get('x-total-count'), String(expected), `filter: ${day} ${zone}`);
  }
});

for (const zone of ['Mars/Olympus', '+25:00', '../etc']) {
  test(`the time zone ${zone} is refused in the DSL and in aggregations`, async () => {
    const range = { range: { created: { gte: '2024', time_zone: zone } } };
    assert.match(await refusal(await ask(dsl(range))), /queryDsl\.range\.created\.time_zone/);
    const days = {
      date_histogram: { field: 'created', calendar_interval: 'day', time_zone: zone },
    };
    assert.match(await refusal(await ask(calculate({ days }))), /days\.date_histogram\.time_zone/);
  });
}

test('a document with more attribute names than an index may learn leaves every kind as it was', async () => {
  const before = await (await ask(inner('*'), '?limit=5')).json();
  const attributes = Object.fromEntries(many(5_000, (n) => [`wide${n}`, 'x']));
  const wide = JSON.stringify({ _type: 'identity', id: 'wide', name: 'wide', attributes });
  const answer = await service.call('POST', '/admin/v1/documents?refresh=wait', wide, {
    'content-type': 'application/x-ndjson',
  });
  assert.equal(((await answer.json()) as { failed: number }).failed, 1);
  assert.deepEqual(await (await ask(inner('*'), '?limit=5')).json(), before);
  for (const body of [
    dsl({ term: { 'attributes.wide7': 'x' } }),
    text({ terms: ['x'], fields: ['attributes.wide*'] }),
    ahead({ query: 'x', field: 'attributes.wide7' }),
  ]) {
    assert.deepEqual(await (await ask(body)).json(), []);
  }
  const none = await ask(calculate({ a: { terms: { field: 'attributes.wide7.exact' } } }));
  assert.equal(none.status, 200);
  assert.doesNotMatch(await none.text(), /"key":"x"/);
});

test('after all of this the service answers, and holds what it held', async () => {
  const answer = await ask(dsl({ match_all: {} }), '?limit=0&count=true');
  assert.equal(answer.headers.get('x-total-count'), String(PEOPLE + 2));
  assert.equal((await fetch(`${service.url}/ready`)).status, 200);
});
