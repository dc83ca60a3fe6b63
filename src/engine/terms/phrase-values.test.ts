import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drive } from '../../../test/support/engine-search.ts';
import { sourceDocument, testMapping, testSegment } from '../../../test/support/segments.ts';
import type { Query } from '../../query/query.ts';
import { liveView } from '../index/live-docs.ts';
import { QueryCache } from '../index/query-cache.ts';
import { NO_MORE_DOCS, type SegmentView } from '../index/segment.ts';
import { BitSetScorer } from '../matching/bit-set-scorer.ts';
import { createWeight } from '../matching/create-weight.ts';
import { PhraseScorer } from '../matching/phrase-scorer.ts';
import type { Scorer } from '../matching/scorer.ts';
import { TermScorer } from '../matching/term-scorer.ts';
import { fieldTerms } from './field-terms.ts';

const MAPPING = testMapping({ id: 'keyword', source: 'text' });
const SOURCES = ['Active Directory', 'Cloud Console', 'Active Directory', 'The Active Directory'];
const ROWS = 400;

/** A view of rows with the given values in turn. */
function viewOf(values: readonly (string | readonly string[])[]): SegmentView {
  const documents = Array.from({ length: ROWS }, (_, row) =>
    sourceDocument(`d${String(row).padStart(3, '0')}`, { source: values[row % values.length] }),
  );
  return liveView(testSegment(MAPPING, documents));
}

function scorerOf(query: Query, view: SegmentView, scoring: boolean): Scorer {
  const scope = { views: [view], cache: new QueryCache(), path: null, scoring, boost: 1 };
  const scorer = drive(drive(createWeight(query, scope)).value.scorer(0)).value;
  assert.ok(scorer);
  return scorer;
}

/** Rows with their scores. */
function matchesOf(scorer: Scorer): [number, number][] {
  const matches: [number, number][] = [];
  for (let row = scorer.nextDoc(); row !== NO_MORE_DOCS; row = scorer.nextDoc()) {
    if (scorer.matches()) matches.push([row, scorer.score()]);
  }
  return matches;
}

const phrase = (text: string): Query => ({
  ...({ kind: 'phrase', field: 'source', slop: 0 } as const),
  terms: text.split(' '),
});

describe('a phrase in a field of few values', () => {
  const directories = (row: number) => SOURCES[row % 4]?.includes('Directory');

  test('that all scored rows have in one value scores alike, as row by row', () => {
    const few = viewOf(SOURCES.slice(0, 3));
    const scorer = scorerOf(phrase('active directory'), few, true);
    assert.ok(scorer instanceof TermScorer && scorer.isConstant);
    const matches = matchesOf(scorer);
    assert.deepEqual(
      matches.map(([row]) => row),
      Array.from({ length: ROWS }, (_, row) => row).filter((row) => row % 3 !== 1),
    );
    // With slop it occurs as often, but at most as often as its words together.
    const sloppy = scorerOf({ ...phrase('active directory'), slop: 1 } as Query, few, true);
    assert.deepEqual(matchesOf(sloppy), matches);
  });

  test('is looked for row by row if rows differ in score, with an exact bound', () => {
    const scorer = scorerOf(phrase('active directory'), viewOf(SOURCES), true);
    assert.ok(scorer instanceof PhraseScorer);
    const matches = matchesOf(scorer);
    assert.equal(matches.length, (ROWS * 3) / 4);
    assert.equal(new Set(matches.map(([, score]) => score)).size, 2);
    assert.equal(Math.max(...matches.map(([, score]) => score)), scorer.maxScore);
  });

  test('is a set of the rows of its values in a filter', () => {
    const scorer = scorerOf(phrase('active directory'), viewOf(SOURCES), false);
    assert.ok(scorer instanceof BitSetScorer);
    for (let row = 0; row < ROWS; row++) assert.equal(scorer.has(row), directories(row));
  });

  test('has no rows if no value contains it', () => {
    const scope = { cache: new QueryCache(), path: null, scoring: true, boost: 1 };
    const query = phrase('directory active');
    const weight = drive(createWeight(query, { ...scope, views: [viewOf(SOURCES)] })).value;
    assert.equal(drive(weight.scorer(0)).value, null);
  });
});

describe('a row of each value', () => {
  const table: [string, readonly (string | readonly string[])[], readonly number[] | null][] = [
    ['of few values', ['b', 'a', 'b', 'c'], [0, 1, 3]],
    ['not of rows with several values', ['a', 'b', ['a', 'b']], null],
    ['not of rows that repeat a value, which are longer', ['a', 'b', ['a', 'a']], null],
    ['not of many values', Array.from({ length: ROWS }, (_, row) => `v${row % 30}`), null],
  ];
  for (const [name, values, rows] of table) {
    test(name, () => {
      const scope = { path: null, cache: new QueryCache() };
      const field = fieldTerms(viewOf(values), scope, 'source', 'word');
      assert.ok(field);
      const samples = drive(field.samples()).value;
      assert.deepEqual(samples && [...samples.rows], rows);
      if (samples !== null) assert.deepEqual([...samples.ords], [1, 0, 2]);
      assert.equal(drive(field.samples()).value, samples, 'found once');
    });
  }
});

test('a word that all rows contain alike scores a constant', () => {
  for (const [values, isConstant] of [
    [['Active Directory', 'Cloud Console'], true],
    [['Active Directory', 'Active'], false],
    [['Active Directory', 'Active Active'], false],
  ] as const) {
    const query: Query = { kind: 'term', field: 'source', form: 'word', value: 'active' };
    const scorer = scorerOf(query, viewOf(values), true);
    assert.equal(scorer.isConstant, isConstant, values.join());
    const scores = matchesOf(scorer).map(([, score]) => score);
    assert.equal(Math.max(...scores), scorer.maxScore);
    assert.equal(Math.min(...scores) === scorer.maxScore, isConstant);
  }
});
