import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drive, searchSegments } from '../../../test/support/engine-search.ts';
import { sourceDocument, testMapping, testSegment } from '../../../test/support/segments.ts';
import type { Query } from '../../query/query.ts';
import { countMatches } from '../hits/collector.ts';
import { QueryCache } from '../index/query-cache.ts';
import { newBitSet, setBit } from '../rows/bit-set.ts';
import { BitSetScorer } from '../scoring/bit-set-scorer.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { liveView } from '../sections/live-docs.ts';
import type { SegmentView } from '../sections/segment.ts';
import type { Rows, RowsOf } from '../terms/constant-weight.ts';
import { createWeight } from './create-weight.ts';
import { cachedWeight } from './row-set-cache.ts';

const MAPPING = testMapping({ id: 'keyword', name: 'text' });
const NAMES = ['ada lovelace', 'ada king', 'lovelace ada'];

function someView(): SegmentView {
  const documents = NAMES.map((name, at) => sourceDocument(`d${at}`, { name }));
  return liveView(testSegment(MAPPING, documents));
}

function evenRows(): BitSetScorer {
  const bits = newBitSet(NAMES.length);
  setBit(bits, 0);
  setBit(bits, 2);
  return new BitSetScorer(bits, 0);
}

/** Evaluates a query in several requests and returns how often its rows were computed. */
function computations(times: number, rows: () => Rows): number {
  const shared = new QueryCache();
  return computed(
    rows,
    Array.from({ length: times }, () => shared.forRequest()),
  );
}

/** As above, with the cache of each evaluation. */
function computed(rows: () => Rows, caches: readonly QueryCache[]): number {
  const views = [someView()];
  const query = { kind: 'made up', name: `${rows}` };
  let count = 0;
  const find: RowsOf = function* () {
    count += 1;
    yield;
    return rows();
  };
  for (const [time, cache] of caches.entries()) {
    const scope = { views, cache, path: null, scoring: false, boost: 1 };
    const create = function* (): Generator<void, RowsOf> {
      yield;
      return find;
    };
    const weight = drive(cachedWeight(query, scope, create)).value;
    const scorer = drive(weight.scorer(0)).value;
    assert.ok(scorer);
    assert.equal(drive(countMatches(scorer, views[0]!)).value, 2);
    if (count < time + 1) assert.equal(weight.count(0), 2);
  }
  return count;
}

test('caches sets on second use, and the rows of cursors then or when it pays', () => {
  const set = (): Rows => ({ kind: 'set', bits: evenRows().bits });
  const cursor = (): Rows => ({ kind: 'cursor', scorer: evenRows() });
  assert.equal(computations(5, set), 2);
  assert.equal(computations(5, cursor), 2);
  const wide = (): Rows => ({ ...cursor(), usesMin: 4 }) as Rows;
  assert.equal(computations(8, wide), 5);
});

test('computes the rows of a new query once for a request that needs them twice', () => {
  const set = (): Rows => ({ kind: 'set', bits: evenRows().bits });
  const request = new QueryCache().forRequest();
  assert.equal(computed(set, [request, request, request]), 1);
});

test('caches a phrase in a filter as a set on second use, for each segment', () => {
  const cache = new QueryCache();
  const query: Query = { kind: 'phrase', field: 'name', terms: ['ada', 'lovelace'], slop: 0 };
  const scorers = (views: readonly SegmentView[]): (Scorer | null)[] => {
    const scope = { views, cache, path: null, scoring: false, boost: 1 };
    const weight = drive(createWeight(query, scope)).value;
    return [...views.keys()].map((view) => drive(weight.scorer(view)).value);
  };
  const first = someView();
  const isSet = (scorer: Scorer | null) => scorer instanceof BitSetScorer;
  assert.deepEqual(scorers([first]).map(isSet), [false]);
  assert.deepEqual(scorers([first]).map(isSet), [true]);
  assert.deepEqual(scorers([someView(), first]).map(isSet), [true, true]);
  assert.deepEqual(
    scorers([first]).map((scorer) => scorer?.nextDoc()),
    [0],
  );
});

test('does not cache rows that depend on other segments', () => {
  const view = (id: string, name: string): SegmentView =>
    liveView(testSegment(MAPPING, [sourceDocument(id, { name })]));
  const near: Query = {
    ...{ kind: 'fuzzy', field: 'name', form: 'word', value: 'adam', maxEdits: 2 },
    ...{ prefixLength: 0, maxExpansions: 1 },
  };
  const prefixed: Query = {
    ...{ kind: 'phrase', field: 'name', terms: ['the', 'ad'], slop: 0, prefixExpansions: 1 },
  };
  for (const [query, name, better] of [
    [near, 'adm', 'adam'],
    [prefixed, 'the adm', 'the adam'],
  ] as const) {
    let views = [view('1', name)];
    const filter: Query = {
      ...{ kind: 'bool', must: [], should: [], mustNot: [] },
      filter: [query],
    };
    const ids = () => searchSegments(MAPPING, views, filter).ids;
    for (let time = 0; time < 3; time++) assert.deepEqual(ids(), ['1']);
    views = [...views, view('2', better)];
    for (let time = 0; time < 3; time++) assert.deepEqual(ids(), ['2']);
  }
});
