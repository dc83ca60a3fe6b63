// Search requests beyond the query text: rejected requests, filters, sort, paging, projection,
// default fields.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planCount, planSearch, testContext } from '../../../test/support/query-context.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { format } from '../explain/format.ts';
import type { Plan } from '../plan.ts';
import { DEFAULT_LIMITS, planSearchSteps, type SearchParameters } from './search-request.ts';

const context = testContext();
const NAME_A = { query: 'name:a' };

function plan(body: Record<string, unknown>, parameters: SearchParameters = {}): Plan {
  return planSearch({ indices: ['identities'], query: NAME_A, ...body }, parameters, context);
}

const printed = (body: Record<string, unknown>, parameters?: SearchParameters) =>
  format(plan(body, parameters));

function rejects(code: ErrorCode, cause: RegExp, run: () => unknown): void {
  assert.throws(run, (error) => {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.code, code);
    assert.match(error.details.causes?.[0] ?? '', cause);
    return true;
  });
}

const REJECTED: readonly (readonly [body: unknown, code: ErrorCode, cause: RegExp])[] = [
  // Form
  [undefined, 'body_malformed', /^The body: expected an object/],
  [null, 'body_malformed', /an object/],
  [[], 'body_malformed', /an object/],
  ['x', 'body_malformed', /an object/],
  [{ query: 'a' }, 'body_malformed', /^query: expected an object/],
  [{ query: { query: 5 } }, 'body_malformed', /^query.query: expected a string/],
  [{ query: { ...NAME_A, fields: 5 } }, 'body_malformed', /^query.fields/],
  [{ query: { ...NAME_A, fields: [5] } }, 'body_malformed', /^query.fields/],
  [{ query: { ...NAME_A, timeZone: 5 } }, 'body_malformed', /^query.timeZone/],
  [{ query: NAME_A, indices: 'identities' }, 'body_malformed', /^indices/],
  [{ query: NAME_A, indices: [null] }, 'body_malformed', /^indices/],
  [{ query: NAME_A, queryType: 5 }, 'body_malformed', /^queryType/],
  [{ query: NAME_A, queryVersion: {} }, 'body_malformed', /^queryVersion/],
  [{ query: NAME_A, includeNested: 'yes' }, 'body_malformed', /^includeNested/],
  [{ query: NAME_A, queryResultFilter: [] }, 'body_malformed', /^queryResultFilter/],
  [{ query: NAME_A, queryResultFilter: { includes: 'a' } }, 'body_malformed', /includes/],
  [{ query: NAME_A, filters: [] }, 'body_malformed', /^filters/],
  [{ query: NAME_A, filters: { name: 'a' } }, 'body_malformed', /^filters.name/],
  [{ query: NAME_A, filters: { name: { terms: 'a' } } }, 'body_malformed', /^filters.name.terms/],
  [{ query: NAME_A, filters: { name: { terms: [{}] } } }, 'body_malformed', /^filters.name.terms/],
  [{ query: NAME_A, filters: { name: { terms: [null] } } }, 'body_malformed', /terms\[0\]/],
  [{ query: NAME_A, filters: { name: { type: 5 } } }, 'body_malformed', /^filters.name.type/],
  [{ query: NAME_A, filters: { name: { range: { lower: 3 } } } }, 'body_malformed', /lower/],
  [
    { query: NAME_A, filters: { a: { range: { lower: { value: {} } } } } },
    'body_malformed',
    /value/,
  ],
  [{ query: NAME_A, sort: 'name' }, 'body_malformed', /^sort/],
  [{ query: NAME_A, sort: [['name']] }, 'body_malformed', /^sort/],
  [{ query: NAME_A, searchAfter: [['a']] }, 'body_malformed', /^searchAfter/],
  // Content
  [{}, 'request_invalid', /^query.query: is required/],
  [{ query: null }, 'request_invalid', /^query.query/],
  [{ query: {} }, 'request_invalid', /^query.query/],
  [{ query: { query: ' ' } }, 'query_malformed', /blank/],
  [{ query: NAME_A, indices: ['people'] }, 'request_invalid', /^indices\[0\]: "people" is none of/],
  [{ query: NAME_A, indices: ['*', 'x'] }, 'request_invalid', /^indices\[1\]/],
  [{ query: NAME_A, indices: ['Identities'] }, 'request_invalid', /^indices/],
  [{ query: NAME_A, queryType: 'sailpoint' }, 'request_invalid', /^queryType/],
  [{ query: NAME_A, queryType: '' }, 'request_invalid', /^queryType/],
  [{ query: NAME_A, queryType: 'DSL' }, 'request_invalid', /^queryDsl: is required/],
  [{ query: NAME_A, aggregationType: 'X' }, 'request_invalid', /^aggregationType/],
  [{ query: { ...NAME_A, timeZone: 'Mars' } }, 'request_invalid', /^query.timeZone/],
  [{ query: { ...NAME_A, fields: ['a^x'] } }, 'request_invalid', /^query.fields/],
  [{ query: { ...NAME_A, innerHit: {} } }, 'request_invalid', /^query.innerHit/],
  [{ query: NAME_A, filters: { name: {} } }, 'request_invalid', /^filters.name.type/],
  [
    { query: NAME_A, filters: { name: { type: 'terms' } } },
    'request_invalid',
    /^filters.name.type/,
  ],
  [
    { query: NAME_A, filters: { name: { type: 'TERMS' } } },
    'request_invalid',
    /^filters.name.terms/,
  ],
  [{ query: NAME_A, filters: { a: { type: 'TERMS', terms: [] } } }, 'request_invalid', /terms/],
  [{ query: NAME_A, filters: { a: { type: 'RANGE' } } }, 'request_invalid', /range/],
  [{ query: NAME_A, filters: { a: { type: 'RANGE', range: {} } } }, 'request_invalid', /range/],
  [{ query: NAME_A, filters: { a: { range: { lower: {} } } } }, 'request_invalid', /lower.value/],
  [
    { query: NAME_A, filters: { accessCount: { terms: ['x'] } } },
    'request_invalid',
    /^filters.accessCount: "x" .* expected a number/,
  ],
  [
    { query: NAME_A, filters: { created: { range: { lower: { value: 'x' } } } } },
    'request_invalid',
    /^filters.created: "x" .* expected a date/,
  ],
  [{ query: NAME_A, sort: [''] }, 'request_invalid', /^sort\[0\]/],
  [{ query: NAME_A, sort: ['-'] }, 'request_invalid', /^sort\[0\]/],
  [{ query: NAME_A, sort: ['id', 'nope'] }, 'request_invalid', /^sort\[1\]: nope/],
  [{ query: NAME_A, sort: ['manager'] }, 'request_invalid', /^sort\[0\]: manager/],
  [{ query: NAME_A, sort: ['accounts'] }, 'request_invalid', /^sort\[0\]: accounts/],
  [{ query: NAME_A, sort: ['__proto__'] }, 'request_invalid', /^sort\[0\]: __proto__/],
  [{ query: NAME_A, sort: ['constructor'] }, 'request_invalid', /^sort\[0\]: constructor/],
  [{ query: NAME_A, searchAfter: ['x'] }, 'request_invalid', /^searchAfter: needs a sort/],
  [{ query: NAME_A, sort: [], searchAfter: ['x'] }, 'request_invalid', /needs a sort/],
  [{ query: NAME_A, sort: ['id'], searchAfter: ['x', 'y'] }, 'request_invalid', /one each/],
  [{ query: NAME_A, sort: ['id'], searchAfter: [null] }, 'request_invalid', /all values are null/],
  [
    { query: NAME_A, sort: ['_score', 'id'], searchAfter: [null, 'x'] },
    'request_invalid',
    /^searchAfter\[0\]: no row has a value of _score/,
  ],
  [
    { query: NAME_A, sort: ['_doc', 'id'], searchAfter: [5, 'x'] },
    'request_invalid',
    /^searchAfter\[0\]: no row has a value of _doc/,
  ],
  [{ query: NAME_A, sort: ['_score'], searchAfter: ['x'] }, 'request_invalid', /a number/],
  [{ query: NAME_A, sort: ['accessCount'], searchAfter: ['x'] }, 'request_invalid', /a number/],
  [{ query: NAME_A, sort: ['accessCount'], searchAfter: [true] }, 'request_invalid', /a number/],
  [{ query: NAME_A, sort: ['created'], searchAfter: ['x'] }, 'request_invalid', /a date/],
  [{ query: NAME_A, sort: ['disabled'], searchAfter: ['x'] }, 'request_invalid', /true or false/],
];
for (const [body, code, cause] of REJECTED) {
  test(`rejects ${JSON.stringify(body)} as ${code}`, () => {
    rejects(code, cause, () => planSearch(body, {}, context));
  });
}

const BAD_PARAMETERS: readonly (readonly [SearchParameters, ErrorCode])[] = [
  [{ limit: '-1' }, 'request_invalid'],
  [{ limit: 'abc' }, 'request_invalid'],
  [{ limit: '' }, 'request_invalid'],
  [{ limit: '1.5' }, 'request_invalid'],
  [{ limit: '2147483648' }, 'request_invalid'],
  [{ limit: '10001' }, 'limit_exceeded'],
  [{ offset: '-1' }, 'request_invalid'],
  [{ offset: '99999999999' }, 'request_invalid'],
  [{ offset: '9751' }, 'limit_exceeded'],
  [{ offset: '1', limit: '10000' }, 'limit_exceeded'],
  [{ count: 'yes' }, 'request_invalid'],
];
for (const [parameters, code] of BAD_PARAMETERS) {
  test(`rejects ${JSON.stringify(parameters)} as ${code}`, () => {
    rejects(code, /./, () => plan({}, parameters));
  });
}

test('a page is 250 rows from 0 by default, or any page within the window', () => {
  const rows = (parameters: SearchParameters) => {
    const { from, size, trackTotal } = plan({}, parameters);
    return [from, size, trackTotal];
  };
  assert.deepEqual(rows({}), [0, 250, false]);
  assert.deepEqual(rows({ limit: '0' }), [0, 0, false]);
  assert.deepEqual(rows({ limit: '10000', count: 'true' }), [0, 10_000, true]);
  assert.deepEqual(rows({ offset: '9750', count: 'false' }), [9750, 250, false]);
});

test('errors of form come before those of parameters, and these before content', () => {
  rejects('body_malformed', /sort/, () => plan({ sort: 'x' }, { limit: 'x' }));
  rejects('request_invalid', /limit/, () => plan({ indices: ['x'] }, { limit: 'x' }));
});

test('targets are the requested indices in name order, or all for none or *', () => {
  const indexes = (indices: unknown) => plan({ indices }).targets.map(({ index }) => index);
  assert.deepEqual(indexes(['roles', 'events', 'roles']), ['events', 'roles']);
  for (const all of [null, [], ['*'], ['roles', '*']]) assert.equal(indexes(all).length, 6);
});

test('one text resolves to a different query on each index', () => {
  const text = 'type:role OR attributes.city:x OR @access(name:a)';
  assert.equal(
    printed({ indices: ['events', 'identities', 'roles'], query: { query: text } }),
    [
      'events: type:role',
      'identities: (attributes.city:x @access(access.name:a))',
      'roles: *:*',
      'rows: 0 + 250',
    ].join('\n'),
  );
});

test('ignores members that are unknown or not selected', () => {
  const ignored = plan({
    queryType: null,
    queryVersion: '',
    aggregationsVersion: '5.2',
    queryDsl: 5,
    textQuery: 'x',
    typeAheadQuery: [],
    aggregationsDsl: 5,
    aggregations: 5,
    aggregationType: 'SAILPOINT',
    excludeNested: 1,
    size: 'x',
    filters: {},
    queryResultFilter: {},
    sort: [],
    searchAfter: [],
    __proto__: null,
  });
  assert.deepEqual(ignored, plan({}));
});

const ADAM = '(name:adam | email:adam)';
const FIELD_LISTS: readonly (readonly [fields: unknown, expected: string])[] = [
  [['name', 'email'], ADAM],
  [['name,email'], ADAM],
  ['name,email', ADAM],
  ['[name, email]', ADAM],
  [['[name', 'email]'], '-*:*'],
  ['["name","email"]', ADAM],
  [' name , , email ', ADAM],
  [['name^2', 'email'], '(name:adam^2 | email:adam)'],
  [['name', 'nope'], 'name:adam'],
  [['nope'], '-*:*'],
  [['name', 'accessCount'], 'name:adam'],
  [['accounts.name'], '@accounts(accounts.name:adam)'],
  [['manager.*'], '(manager.displayName:adam | manager.id.folded:adam | manager.name:adam)'],
  [['name.exact'], 'name.exact:Adam'],
  [[], '(_all:adam | _all.folded:adam | name:adam^4)'],
  ['', '(_all:adam | _all.folded:adam | name:adam^4)'],
  [['*'], '(_all:adam | _all.folded:adam | name:adam^4)'],
  [null, '(_all:adam | _all.folded:adam | name:adam^4)'],
];
for (const [fields, expected] of FIELD_LISTS) {
  test(`a word with the fields ${JSON.stringify(fields)} is ${expected}`, () => {
    const [line] = printed({ query: { query: 'Adam', fields } }).split('\n');
    assert.equal(line, `identities: ${expected}`);
  });
}

test('default fields do not apply to explicit fields and nested queries', () => {
  const query = (text: string) =>
    printed({ query: { query: text, fields: ['name', 'accessCount'] } }).split('\n')[0];
  assert.equal(query('email:x'), 'identities: email:x');
  assert.equal(query('*'), 'identities: (_exists_:name _exists_:accessCount)');
  assert.equal(query('*:*'), 'identities: *:*');
  assert.equal(query('3'), 'identities: (name:3 | accessCount=3)');
  assert.equal(query('"a b" AND c-d'), 'identities: (+name:"a b" +(name:c name:d))');
  assert.equal(query('...'), 'identities: -*:*');
  assert.match(query('@apps(x)') ?? '', /apps.name:x/);
});

const FILTERS: readonly (readonly [filter: unknown, expected: string])[] = [
  [{ name: { type: 'EXISTS' } }, '(+name:a #_exists_:name)'],
  [{ name: { type: 'EXISTS', exclude: true } }, '(+name:a -_exists_:name)'],
  [{ nope: { type: 'EXISTS' } }, '-*:*'],
  [{ nope: { type: 'EXISTS', exclude: true } }, 'name:a'],
  [JSON.parse('{"__proto__":{"type":"EXISTS"}}'), '-*:*'],
  [JSON.parse('{"__proto__":{"terms":["x"],"exclude":true}}'), 'name:a'],
  [{ constructor: { terms: ['x'] } }, '-*:*'],
  [{ nope: { terms: ['x'] } }, '-*:*'],
  [
    { name: { type: 'TERMS', terms: ['Ada L', 'B', 'ada l'] } },
    '(+name:a #name.folded:{"ada l", b})',
  ],
  [{ 'name.exact': { terms: ['Ada'] } }, '(+name:a #name.exact:{Ada})'],
  [{ id: { terms: ['AB', 5] } }, '(+name:a #id.folded:{ab, 5})'],
  [{ accessCount: { terms: ['3', 1, '3'] } }, '(+name:a #accessCount={1, 3})'],
  [{ disabled: { terms: ['true'] } }, '(+name:a #disabled=1)'],
  [{ disabled: { terms: [true, 'FALSE'] } }, '(+name:a #disabled={0, 1})'],
  [{ created: { terms: ['2024-05'] } }, '(+name:a #created:[1714521600000 TO 1717199999999])'],
  [{ 'accounts.name': { terms: ['AD'] } }, '(+name:a #@accounts(accounts.name.folded:{ad}))'],
  [{ '@accounts.name': { terms: ['AD'] } }, '(+name:a #@accounts(accounts.name.folded:{ad}))'],
  [{ type: { terms: ['Identity', 'x'] } }, '(+name:a #*:*)'],
  [{ type: { terms: ['role'] } }, '-*:*'],
  [
    {
      accessCount: {
        type: 'RANGE',
        range: { lower: { value: '3' }, upper: { value: 9, inclusive: true } },
      },
    },
    '(+name:a #accessCount:{3 TO 9])',
  ],
  [
    { accessCount: { range: { lower: { value: '3', inclusive: true }, upper: null } } },
    '(+name:a #accessCount:[3 TO *])',
  ],
  [
    { created: { range: { lower: { value: '2024-05' } } } },
    '(+name:a #created:{1717199999999 TO *])',
  ],
  [
    { created: { range: { lower: { value: 'now-1d/d', inclusive: true } } } },
    '(+name:a #created:[1715644800000 TO *])',
  ],
  [{ name: null }, 'name:a'],
  [
    { name: { type: 'EXISTS' }, disabled: { terms: ['true'], exclude: true } },
    '(+name:a #_exists_:name -disabled=1)',
  ],
];
for (const [filters, expected] of FILTERS) {
  test(`filters ${JSON.stringify(filters)} make ${expected}`, () => {
    assert.equal(printed({ filters }).split('\n')[0], `identities: ${expected}`);
  });
}

test('the time zone of the query applies to dates in text and filters, but not to now', () => {
  const query = { query: 'created:2024-05-01 OR modified:now', timeZone: 'Europe/Berlin' };
  const filters = { synced: { range: { lower: { value: '2024-05-01', inclusive: true } } } };
  assert.equal(
    printed({ query, filters }).split('\n')[0],
    'identities: (+(created:[1714514400000 TO 1714600799999] modified=1715776496789) #synced:[1714514400000 TO *])',
  );
});

test('rejects too many terms in filters', () => {
  const terms = Array.from({ length: DEFAULT_LIMITS.maxTerms + 1 }, (_, at) => `${at}`);
  rejects('limit_exceeded', /CARDEA_MAX_TERMS/, () => plan({ filters: { id: { terms } } }));
  plan({ filters: { id: { terms: terms.slice(1) } } });
});

test('rejects words on too many default fields, also of those that they do not suit', () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join(' ');
  const asked = (count: number) => {
    const query = { query: words(count), fields: Array(1000).fill('accessCount') };
    return planSearch({ indices: ['identities'], query }, {}, context);
  };
  rejects('limit_exceeded', /CARDEA_MAX_TERMS/, () => asked(66));
  assert.equal(format(asked(65)).split('\n')[0], 'identities: -*:*');
});

test('rejects EXISTS filters and DSL clauses on too many fields of patterns', () => {
  const many = testContext(Array.from({ length: 1100 }, (_, at) => `attributes.a${at}`));
  const patterns = Array.from({ length: 60 }, (_, at) => `attributes.a*${'*'.repeat(at)}`);
  const indices = ['identities'];
  const exists = patterns.map((field) => ({ exists: { field } }));
  const filters = Object.fromEntries(patterns.map((field) => [field, { type: 'EXISTS' }]));
  const bodies = [
    { indices, query: NAME_A, filters },
    { indices, queryType: 'DSL', queryDsl: { bool: { should: exists } } },
  ];
  for (const body of bodies) {
    rejects('limit_exceeded', /CARDEA_MAX_TERMS/, () => planSearch(body, {}, many));
  }
  const few = Object.fromEntries(Object.entries(filters).slice(0, 59));
  planSearch({ indices, query: NAME_A, filters: few }, {}, many);
});

test('sort keys have an order and a type of value', () => {
  assert.deepEqual(plan({ sort: ['name', '+id', '-created', '-_score', '_doc', 'type'] }).sort, [
    { field: 'name', order: 'asc', type: 'string' },
    { field: 'id', order: 'asc', type: 'string' },
    { field: 'created', order: 'desc', type: 'number' },
    { field: '_score', order: 'desc', type: 'score' },
    { field: '_doc', order: 'asc', type: 'doc' },
    { field: 'type', order: 'asc', type: 'string' },
  ]);
  assert.deepEqual(
    plan({ sort: ['name.exact', '-accounts.created', 'attributes.ratio', 'tagsCount'] }).sort,
    [
      { field: 'name', order: 'asc', type: 'string' },
      { field: 'accounts.created', order: 'desc', type: 'number' },
      { field: 'attributes.ratio', order: 'asc', type: 'number' },
      { field: 'tagCount', order: 'asc', type: 'number' },
    ],
  );
});

test('accepts a sort field that only one index has', () => {
  assert.equal(plan({ indices: null, sort: ['accessCount'] }).sort[0]?.type, 'number');
});

test('searchAfter accepts the JSON values of the last row', () => {
  const after = (sort: string[], searchAfter: unknown[]) => plan({ sort, searchAfter }).searchAfter;
  assert.deepEqual(after(['id'], ['2c91']), ['2c91']);
  assert.deepEqual(after(['name', 'id'], [null, 'x']), [null, 'x']);
  assert.deepEqual(after(['name'], [5]), ['5']);
  assert.deepEqual(after(['-accessCount'], ['12']), [12]);
  assert.deepEqual(after(['accessCount'], [12]), [12]);
  assert.deepEqual(after(['created'], ['2024-05-01T00:00:00.000Z']), [1714521600000]);
  assert.deepEqual(after(['created'], [1714521600000]), [1714521600000]);
  assert.deepEqual(after(['created'], ['1714521600000']), [1714521600000]);
  assert.deepEqual(after(['disabled', 'locked'], [true, 'false']), [1, 0]);
  assert.deepEqual(after(['_score', 'id'], [2.5, 'x']), [2.5, 'x']);
  assert.equal(after(['id'], []), undefined);
});

test('rejects searchAfter with an offset', () => {
  const body = { sort: ['id'], searchAfter: ['x'] };
  rejects('request_invalid', /^offset/, () => plan(body, { offset: '1' }));
  assert.equal(plan(body, { offset: '0', limit: '10000' }).size, 10_000);
});

test('the plan has the source filter of the request', () => {
  const queryResultFilter = { includes: ['name', ' source.* ', ''], excludes: null };
  assert.deepEqual(plan({ queryResultFilter, includeNested: false }).source, {
    includes: ['name', 'source.*'],
    excludes: [],
    nested: false,
  });
});

test('a count has no rows and ignores the sort', () => {
  const body = { query: NAME_A, indices: ['identities'], sort: ['nope'], searchAfter: ['x'] };
  const counted = planCount(body, context);
  assert.equal(format(counted).split('\n')[0], 'identities: name:a');
  assert.equal(counted.size, 0);
  assert.equal(counted.trackTotal, true);
  rejects('body_malformed', /sort/, () => planCount({ ...body, sort: 'x' }, context));
  rejects('request_invalid', /query.query/, () => planCount({}, context));
});

test('a plan is plain JSON', () => {
  const planned = plan({ sort: ['id'], searchAfter: ['x'], filters: { id: { terms: ['a'] } } });
  assert.deepEqual(JSON.parse(JSON.stringify(planned)), planned);
});

test('plans in steps, at least one per index', () => {
  const body = { indices: ['*'], query: NAME_A, filters: { name: { type: 'EXISTS' } } };
  const steps = planSearchSteps(body, {}, context);
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count += 1;
  assert.deepEqual(step.value, planSearch(body, {}, context));
  assert.ok(count >= step.value.targets.length, String(count));
});
