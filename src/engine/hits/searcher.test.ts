import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drive, searchPlan, searchSegments } from '../../../test/support/engine-search.ts';
import { sourceDocument, testMapping, testSegment } from '../../../test/support/segments.ts';
import type { Plan } from '../../query/plan.ts';
import type { Query, SortKey } from '../../query/query.ts';
import { QueryCache } from '../index/query-cache.ts';
import { scores } from '../scoring/scoring.ts';
import { liveView, withDeleted } from '../sections/live-docs.ts';
import type { SegmentView } from '../sections/segment.ts';
import { searchTargets } from './multi-search.ts';
import { Searcher } from './searcher.ts';

const NESTED = ['accounts'];
const MAPPING = {
  ...testMapping(
    {
      id: 'keyword',
      name: 'text',
      count: 'long',
      'accounts.name': 'text',
      'accounts.level': 'long',
    },
    NESTED,
  ),
  constants: { _type: 'identity' },
};

const ALL: Query = { kind: 'matchAll' };
const word = (value: string): Query => ({ kind: 'term', field: 'name', form: 'word', value });
const byName: SortKey = { field: 'name', order: 'asc', type: 'string' };

function views(...parts: (readonly [id: string, members: object])[][]): SegmentView[] {
  return parts.map((part) => {
    const documents = part.map(([id, members]) => sourceDocument(id, members, NESTED));
    return liveView(testSegment(MAPPING, documents));
  });
}

function search(segments: SegmentView[], query: Query, page: Partial<Plan> = {}) {
  return searchSegments(MAPPING, segments, query, page);
}

test('a query that requires more optional clauses than it has matches nothing, also when counted', () => {
  const segments = views([['a', {}]]);
  const none = { must: [], should: [], mustNot: [], minimumShouldMatch: 1 };
  const query: Query = { kind: 'bool', filter: [ALL], ...none };
  assert.deepEqual(search(segments, query).ids, []);
  assert.equal(
    drive(new Searcher(MAPPING, { views: segments, cache: new QueryCache() }).count(query)).value,
    0,
  );
});

test('two spellings of a value in one row count as one folded value', () => {
  const mapping = testMapping({ id: 'keyword', status: 'keyword' });
  const score = (...values: string[]): number => {
    const segments = [liveView(testSegment(mapping, [sourceDocument('a', { status: values })]))];
    const query: Query = { kind: 'term', field: 'status', form: 'folded', value: 'on' };
    const { docs } = searchSegments(mapping, segments, query, { size: 1, trackTotal: false });
    return docs[0]?.score ?? 0;
  };
  assert.equal(score('On', 'ON'), score('On'));
});

test('a search without segments finds nothing', () => {
  assert.deepEqual(search([], ALL), { ids: [], docs: [], total: 0, yields: 0 });
});

test('documents are in id order across segments, in code point order', () => {
  const segments = views(
    [
      ['b', {}],
      ['\u{1f600}', {}],
    ],
    [
      ['a', {}],
      ['\uffee', {}],
    ],
    [['c', {}]],
  );
  assert.deepEqual(search(segments, ALL).ids, ['a', 'b', 'c', '\uffee', '\u{1f600}']);
  assert.deepEqual(search(segments, ALL, { size: 2, trackTotal: false }).ids, ['a', 'b']);
});

test('statistics span segments, so scores do not depend on how documents are spread', () => {
  const documents = ['ada', 'ada lovelace', 'bob', 'ada ada', 'the ada'].map(
    (name, at) => [`d${at}`, { name }] as const,
  );
  const one = search(views([...documents]), word('ada')).docs.map((doc) => doc.score);
  const many = search(views(...documents.map((one) => [one])), word('ada')).docs;
  assert.deepEqual(
    many.map((doc) => doc.score),
    one,
  );
  assert.equal(one.length, 4);
});

test('deleted documents are not found, nor are their elements, but count in statistics', () => {
  const accounts = [{ name: 'ad' }];
  const [view] = views([
    ['a', { name: 'ada', accounts }],
    ['b', { name: 'ada', accounts }],
  ]);
  assert.ok(view);
  const nested: Query = {
    kind: 'nested',
    path: 'accounts',
    query: { kind: 'term', field: 'accounts.name', form: 'word', value: 'ad' },
    scoreMode: 'max',
  };
  const before = search([view], word('ada'));
  const after = search([withDeleted(view, [0])], word('ada'));
  assert.deepEqual(after.ids, ['b']);
  assert.equal(after.total, 1);
  assert.equal(after.docs[0]?.score, before.docs[1]?.score);
  assert.deepEqual(search([withDeleted(view, [0])], nested).ids, ['b']);
});

describe('sorting', () => {
  const segments = views(
    [
      ['1', { name: ['b', 'z'], accounts: [{ level: 7 }, { level: 1 }] }],
      ['2', {}],
    ],
    [
      ['3', { name: 'B' }],
      ['4', { name: ['a', 'y'], accounts: [{ level: 3 }] }],
    ],
  );
  const table: [string, SortKey, string[]][] = [
    ['takes the least value ascending', byName, ['3', '4', '1', '2']],
    ['takes the greatest descending', { ...byName, order: 'desc' }, ['1', '4', '3', '2']],
    [
      'flattens nested values',
      { field: 'accounts.level', order: 'asc', type: 'number' },
      ['1', '4', '2', '3'],
    ],
    [
      'flattens nested values descending',
      { field: 'accounts.level', order: 'desc', type: 'number' },
      ['1', '4', '2', '3'],
    ],
    ['uses constants', { field: '_type', order: 'desc', type: 'string' }, ['1', '2', '3', '4']],
    ['by index order', { field: '_doc', order: 'asc', type: 'doc' }, ['1', '2', '3', '4']],
    [
      'by index order backwards',
      { field: '_doc', order: 'desc', type: 'doc' },
      ['4', '3', '2', '1'],
    ],
    ['by an unknown field', { field: 'nope', order: 'asc', type: 'string' }, ['1', '2', '3', '4']],
  ];
  for (const [name, key, ids] of table) {
    test(name, () => assert.deepEqual(search(segments, ALL, { sort: [key] }).ids, ids));
  }

  test('continues strictly after the given values, also those that no document has', () => {
    const after = (value: string | null) =>
      search(segments, ALL, { sort: [byName], searchAfter: [value] }).ids;
    assert.deepEqual(after('B'), ['4', '1', '2']);
    assert.deepEqual(after('aa'), ['1', '2']);
    assert.deepEqual(after('zz'), ['2']);
    assert.deepEqual(after(null), []);
  });

  test('returns the values it sorted by', () => {
    const { docs } = search(segments, ALL, { sort: [byName] });
    assert.deepEqual(
      docs.map((doc) => doc.sort),
      [['B'], ['a'], ['b'], [null]],
    );
    assert.ok(docs.every((doc) => doc.score === null));
  });
});

describe('a query scores if scores can rank its matches', () => {
  const exists: Query = { kind: 'exists', field: 'name' };
  const bool = (part: Partial<Extract<Query, { kind: 'bool' }>>): Query => ({
    ...{ kind: 'bool', must: [], should: [], filter: [], mustNot: [] },
    ...part,
  });
  const table: [string, Query, boolean][] = [
    ['match all', ALL, false],
    ['a term', word('a'), true],
    ['a term as a filter', bool({ filter: [word('a')] }), false],
    ['a term with a filter', bool({ must: [word('a')], filter: [exists] }), true],
    ['constants', bool({ should: [exists, ALL] }), false],
    ['boosted constants', bool({ should: [{ ...exists, boost: 2 }, ALL] }), true],
    ['one boosted constant', bool({ should: [{ ...exists, boost: 2 }] }), false],
    ['a constant score', { kind: 'constantScore', query: word('a') }, false],
    [
      'nested without score',
      { kind: 'nested', path: 'accounts', query: word('a'), scoreMode: 'none' },
      false,
    ],
    [
      'nested with score',
      { kind: 'nested', path: 'accounts', query: word('a'), scoreMode: 'avg' },
      true,
    ],
    ['the best of prefixes', { kind: 'disMax', queries: [exists, exists], tieBreaker: 0 }, false],
  ];
  for (const [name, query, expected] of table) {
    test(`${name}: ${expected}`, () => assert.equal(scores(query), expected));
  }
});

describe('expansions are bounded over the whole index', () => {
  const fuzzy = (maxExpansions: number): Query => ({
    ...{ kind: 'fuzzy', field: 'name', form: 'word', value: 'adam', maxEdits: 2 },
    ...{ prefixLength: 0, maxExpansions },
  });

  test('fuzzy takes the nearest terms, then the first in term order', () => {
    const segments = views(
      [['1', { name: 'adm' }]],
      [['2', { name: 'adam' }]],
      [['3', { name: 'ada' }]],
    );
    assert.deepEqual(search(segments, fuzzy(1)).ids, ['2']);
    assert.deepEqual(new Set(search(segments, fuzzy(2)).ids), new Set(['2', '3']));
    assert.equal(search(segments, fuzzy(3)).total, 3);
  });

  test('fuzzy scores all terms with the greatest docFreq, times similarity', () => {
    const names = ['ada', 'ada', 'ada', 'adam'];
    const segments = views(names.map((name, at) => [`${at}`, { name }] as const));
    const { docs, ids } = search(segments, fuzzy(50));
    assert.deepEqual(ids, ['3', '0', '1', '2']);
    const ratio = (docs[1]?.score ?? 0) / (docs[0]?.score ?? 1);
    assert.ok(Math.abs(ratio - 2 / 3) < 1e-6, `${ratio}`); // 1 edit of 3 letters
  });

  test('a phrase prefix takes the first terms in term order', () => {
    const segments = views(
      [['1', { name: 'the bc' }]],
      [['2', { name: 'the ba' }]],
      [['3', { name: 'the bb' }]],
    );
    const phrase: Query = {
      ...{ kind: 'phrase', field: 'name', terms: ['the', 'b'], slop: 0, prefixExpansions: 2 },
    };
    assert.deepEqual(new Set(search(segments, phrase).ids), new Set(['2', '3']));
  });
});

describe('work is done in small steps', () => {
  const many = Array.from(
    { length: 20_000 },
    (_, at) =>
      [`d${String(at).padStart(6, '0')}`, { name: `all w${at % 7} v${at}`, count: at }] as const,
  );
  const segments = views([...many]);
  const sorted = { sort: [{ field: 'count', order: 'desc', type: 'number' }] } as const;
  const table: [string, Query, Partial<Plan>, number][] = [
    ['collecting by score', word('all'), { size: 20_000 }, 4],
    ['sorting', ALL, sorted, 4],
    ['expanding a prefix', { kind: 'prefix', field: 'name', form: 'word', value: 'v' }, {}, 4],
    ['a wildcard', { kind: 'wildcard', field: 'name', form: 'folded', pattern: '*9*9*' }, {}, 4],
    ['a range', { kind: 'numberRange', field: 'count', column: 'value', gte: 0 }, {}, 4],
    ['presence', { kind: 'exists', field: 'name' }, sorted, 4],
  ];
  for (const [name, query, request, atLeast] of table) {
    test(`${name} yields`, () => {
      const { yields } = search(segments, query, request);
      assert.ok(yields >= atLeast, `${yields} times`);
    });
  }

  test('a page in index order stops when it is full', () => {
    const page = { size: 10, trackTotal: false };
    assert.ok(search(segments, ALL, page).yields <= 2);
    const filter: Query = {
      kind: 'bool',
      must: [],
      should: [],
      filter: [ALL],
      mustNot: [word('w1')],
    };
    assert.ok(search(segments, filter, page).yields <= 4);
  });
});

test('merges several indexes by score or keys, then index name; in index order without keys', () => {
  const cache = new QueryCache();
  const events = new Searcher(MAPPING, {
    views: views([['z', { name: 'ada' }]], [['y', { name: 'bob bob' }]]),
    cache,
  });
  const roles = new Searcher(MAPPING, {
    views: views([
      ['a', { name: 'ada' }],
      ['b', { name: 'bob bob' }],
    ]),
    cache,
  });
  const page = (query: Query, changes: Partial<Plan>) => {
    const targets = [
      { index: 'events', searcher: events, query },
      { index: 'roles', searcher: roles, query },
    ] as const;
    const plan = searchPlan(query, { targets: [], size: 10, ...changes });
    const { hits, total } = drive(searchTargets(targets, plan)).value;
    const ids = hits.map(({ index, sort, view, row }) => `${index} ${sort.join()} ${view}.${row}`);
    return { ids, total };
  };
  const inOrder = ['events  1.0', 'events  0.0', 'roles  0.0', 'roles  0.1'];
  assert.deepEqual(page(ALL, {}), { ids: inOrder, total: 4 });
  assert.deepEqual(page(ALL, { from: 1, size: 2 }), { ids: inOrder.slice(1, 3), total: 4 });
  assert.deepEqual(page(ALL, { from: 9 }), { ids: [], total: 4 });
  assert.deepEqual(page(ALL, { size: 0 }), { ids: [], total: 4 });
  assert.deepEqual(page(ALL, { size: 1, trackTotal: false }), {
    ids: inOrder.slice(0, 1),
    total: null,
  });
  assert.deepEqual(page(word('ada'), {}).ids, ['events  0.0', 'roles  0.0']);
  assert.deepEqual(page(ALL, { sort: [byName] }).ids, [
    'events ada 0.0',
    'roles ada 0.0',
    'events bob bob 1.0',
    'roles bob bob 0.1',
  ]);
});
