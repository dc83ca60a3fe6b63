import assert from 'node:assert/strict';
import { test } from 'node:test';
import { misplacedMembers, misplacedParameter, withExample } from './misplaced-members.ts';

const URL = (name: string, send: string) => `"${name}" in the body is not read; send ${send}`;
const BODY = (name: string, send: string) => `"${name}" in the body is not read; send ${send}`;
const NAMES =
  '"queryResultFilter": {"includes": ["id", "name"]} for what documents have in the answer, or "fields" in "query" for where words are searched';
const FOUND = { query: { query: '*' } };

/** A body, and its hints. */
const CASES: readonly [body: object, hints: readonly string[]][] = [
  [FOUND, []],
  [{ ...FOUND, size: 10 }, [URL('size', 'limit in the URL, such as ?limit=250')]],
  [{ ...FOUND, page_size: 10 }, [URL('page_size', 'limit in the URL, such as ?limit=250')]],
  [{ ...FOUND, from: 10 }, [URL('from', 'offset in the URL, such as ?offset=250')]],
  [
    { ...FOUND, page: 2 },
    [URL('page', 'limit and offset in the URL, such as ?limit=250&offset=250')],
  ],
  [{ ...FOUND, count: true }, [URL('count', 'count in the URL, such as ?count=true')]],
  [
    { ...FOUND, track_total_hits: true },
    [URL('track_total_hits', 'count in the URL, such as ?count=true')],
  ],
  [{ queryString: 'name:a*' }, [BODY('queryString', '"query": {"query": "name:a*"}')]],
  [{ query_string: 'name:a*' }, [BODY('query_string', '"query": {"query": "name:a*"}')]],
  [{ ...FOUND, sortBy: 'name' }, [BODY('sortBy', '"sort": ["name", "-created"]')]],
  [{ ...FOUND, order_by: 'name' }, [BODY('order_by', '"sort": ["name", "-created"]')]],
  [{ ...FOUND, sorters: 'name' }, [BODY('sorters', '"sort": ["name", "-created"]')]],
  [{ ...FOUND, fields: ['name'] }, [BODY('fields', NAMES)]],
  [{ ...FOUND, _source: ['name'] }, [BODY('_source', NAMES)]],
  [{ ...FOUND, includes: ['name'] }, [BODY('includes', '"includes" in "queryResultFilter"')]],
  [{ ...FOUND, excludes: ['name'] }, [BODY('excludes', '"excludes" in "queryResultFilter"')]],
  [
    { ...FOUND, aggs: {} },
    [BODY('aggs', '"aggregationsDsl": {"by_city": {"terms": {"field": "attributes.city"}}}')],
  ],
  [
    { ...FOUND, filter: {} },
    [BODY('filter', '"filters": {"source.name": {"type": "TERMS", "terms": ["HR"]}}')],
  ],
  [{ ...FOUND, index: 'identities' }, [BODY('index', '"indices": ["identities"]')]],
  [{ ...FOUND, Indices: ['identities'] }, [BODY('Indices', '"indices": ["identities"]')]],
  [
    { ...FOUND, search_after: ['a'] },
    [BODY('search_after', '"searchAfter": ["the value of the last row"]')],
  ],
  [{ ...FOUND, excludeNested: true }, [BODY('excludeNested', '"includeNested": false')]],
  [{ ...FOUND, timeZone: 'GMT' }, [BODY('timeZone', '"timeZone" in "query"')]],
  [{ ...FOUND, innerHit: {} }, [BODY('innerHit', '"innerHit" in "query"')]],
  [
    { query: { query: '*', sort: ['id'], limit: 3 } },
    [
      '"sort" in "query" is not read; send "sort": ["name", "-created"]',
      '"limit" in "query" is not read; send limit in the URL, such as ?limit=250',
    ],
  ],
  [
    { query: { query: '*', time_zone: 'GMT' } },
    ['"time_zone" in "query" is not read; send "timeZone" in "query"'],
  ],
  [
    { ...FOUND, queryResultFilter: { fields: ['id'], include: ['id'] } },
    [
      `"fields" in "queryResultFilter" is not read; send ${NAMES}`,
      `"include" in "queryResultFilter" is not read; send ${NAMES}`,
    ],
  ],
  [
    { queryDsl: { match_all: {} } },
    ['"queryDsl" is not read, as queryType is SAILPOINT; send "queryType": "DSL"'],
  ],
  [
    { queryType: 'DSL', query: { query: '*' } },
    ['"query" is not read, as queryType is DSL; send "queryType": "SAILPOINT"'],
  ],
  [
    { queryType: 'TEXT', typeAheadQuery: { query: 'a' } },
    ['"typeAheadQuery" is not read, as queryType is TEXT; send "queryType": "TYPEAHEAD"'],
  ],
  [
    { ...FOUND, aggregationType: 'DSL', aggregations: { bucket: {} } },
    ['"aggregations" is not read, as aggregationType is DSL; send "aggregationType": "SAILPOINT"'],
  ],
  // A sample of an SDK has every query and aggregation at once.
  [
    {
      ...{ queryType: 'SAILPOINT', query: { query: '*' }, queryDsl: { match_all: {} } },
      ...{ textQuery: { terms: ['a'] }, typeAheadQuery: { query: 'a' }, aggregationType: 'DSL' },
      ...{ aggregationsDsl: { a: {} }, aggregations: { bucket: {} }, queryResultFilter: {} },
    },
    [],
  ],
  // What nobody knows is ignored in silence, and null is not sent.
  [{ ...FOUND, limit: 10, offset: 0, constructor: 1, colour: 'red', hasOwnProperty: 1 }, []],
  [{ queryType: 'DSL', queryDsl: { match_all: {} }, query: { sort: 1 } }, []],
];
for (const [body, hints] of CASES) {
  test(`${JSON.stringify(body).slice(0, 120)} has ${hints.length} hints`, () => {
    assert.deepEqual(
      misplacedMembers(body).map(({ text }) => text),
      hints,
    );
  });
}

test('a body has eight hints at most, with bounded names', () => {
  const names = ['limit', 'size', 'from', 'page', 'sortBy', 'fields', 'aggs', 'index', 'filter'];
  assert.equal(misplacedMembers(Object.fromEntries(names.map((name) => [name, 1]))).length, 8);
  const [hint] = misplacedMembers({ [`${'_'.repeat(1000)}limit`]: 1 });
  assert.ok((hint?.text.length ?? 0) < 200);
});

for (const body of [null, undefined, 'limit', 7, ['limit'], []]) {
  test(`${JSON.stringify(body)} has no hints`, () => assert.deepEqual(misplacedMembers(body), []));
}

const PARAMETERS: readonly [name: string, send: string | null][] = [
  ['size', 'limit in the URL, such as ?limit=250'],
  ['query', '"query": {"query": "name:a*"} in the body'],
  ['q', '"query": {"query": "name:a*"} in the body'],
  ['sort', '"sort": ["name", "-created"] in the body'],
  ['sorters', '"sort": ["name", "-created"] in the body'],
  ['indices', '"indices": ["identities"] in the body'],
  ['searchAfter', '"searchAfter": ["the value of the last row"] in the body'],
  ['timeZone', '"timeZone" in "query" in the body'],
  ['colour', null],
  ['__proto__', null],
];
for (const [name, send] of PARAMETERS) {
  test(`instead of the parameter ${name} a search has ${send ?? 'nothing known'}`, () => {
    assert.equal(misplacedParameter(name)?.send ?? null, send);
  });
}

test('an example follows what is expected of a member, and of no other', () => {
  assert.equal(withExample('sort', 'an array'), 'an array, such as ["name", "-created"]');
  assert.equal(withExample('sort[0]', 'a string'), 'a string');
});
