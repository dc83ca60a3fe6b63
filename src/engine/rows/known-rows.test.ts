import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../test/differential/random.ts';
import { runSteps } from '../../query/steps.ts';
import { NO_MORE_DOCS, type SegmentView } from '../index/segment.ts';
import { BitSetScorer } from '../matching/bit-set-scorer.ts';
import { ConjunctionScorer } from '../matching/conjunction-scorer.ts';
import { ExclusionScorer } from '../matching/exclusion-scorer.ts';
import { allOf, butNot } from '../matching/join-clauses.ts';
import { AllScorer, ConstantScorer, type Scorer } from '../matching/scorer.ts';
import { hasBit, newBitSet, setBit } from './bit-set.ts';
import { countKnown, knownRows } from './known-rows.ts';

const ROWS = 10_000;

function someRows(random: Random, density: number): Uint32Array {
  const bits = newBitSet(ROWS);
  for (let row = 0; row < ROWS; row++) if (random.chance(density)) setBit(bits, row);
  return bits;
}

/** A cursor with more candidates than matches. */
class EvenRows extends ConstantScorer {
  override matches(): boolean {
    return this.docId() % 2 === 0;
  }
}

/** Builds the same new scorer each time it is called. */
type Make = () => Scorer;

function scorers(random: Random): Readonly<Record<string, Make>> {
  const [many, other] = [someRows(random, 0.9), someRows(random, 0.5)];
  const few = someRows(random, random.pick([0, 0.01, 0.2]));
  const set = (bits: Uint32Array) => new BitSetScorer(bits, 1);
  const cursor = (bits: Uint32Array) => new EvenRows(set(bits), 1);
  return {
    'all rows': () => new AllScorer(ROWS, 1),
    'a set': () => set(many),
    'sets joined': () => allOf([set(many), set(other)], [], false),
    'a set without a set': () => butNot(set(many), set(few)),
    'a set without a cursor': () => butNot(set(many), cursor(few)),
    'sets joined, without a cursor': () =>
      butNot(allOf([set(many), set(other)], [], false), cursor(few)),
    'all rows without a cursor': () => new ExclusionScorer(new AllScorer(ROWS, 1), cursor(few)),
  };
}

function visited(scorer: Scorer): number[] {
  const rows: number[] = [];
  for (let row = scorer.nextDoc(); row !== NO_MORE_DOCS; row = scorer.nextDoc()) {
    if (scorer.matches()) rows.push(row);
  }
  return rows;
}

function rowsIn(bits: Uint32Array | null | undefined): number[] {
  assert.notEqual(bits, undefined);
  const all = Array.from({ length: ROWS }, (_, row) => row);
  return all.filter((row) => !bits || hasBit(bits, row));
}

for (const name of Object.keys(scorers(new Random(0)))) {
  test(`${name}: the rows and their number are known without visiting them`, () => {
    for (let seed = 0; seed < 10; seed++) {
      const random = new Random(seed);
      const make = scorers(random)[name] as Make;
      const rows = visited(make());
      const live = someRows(random, 0.7);
      const liveRows = rows.filter((row) => hasBit(live, row));
      assert.deepEqual(rowsIn(runSteps(knownRows(make(), ROWS))), rows);
      assert.equal(runSteps(countKnown(make(), view(null))), rows.length);
      assert.equal(runSteps(countKnown(make(), view(live))), liveRows.length);
    }
  });
}

test('rows are visited where a cursor leads, and where more are left out than there are', () => {
  const [few, many] = [someRows(new Random(1), 0.01), someRows(new Random(2), 0.5)];
  const cursor = (bits: Uint32Array) => new EvenRows(new BitSetScorer(bits, 1), 1);
  const moved = new BitSetScorer(many, 1);
  moved.nextDoc();
  for (const make of [
    () => cursor(few),
    () => new ConjunctionScorer([cursor(few), cursor(many)], []),
    () => new ExclusionScorer(new BitSetScorer(few, 1), cursor(many)),
    () => moved,
  ]) {
    assert.equal(runSteps(knownRows(make(), ROWS)), undefined);
    assert.equal(runSteps(countKnown(make(), view(null))), -1);
  }
});

function view(liveDocs: Uint32Array | null): SegmentView {
  const liveCount = liveDocs === null ? ROWS : rowsIn(liveDocs).length;
  return { liveDocs, liveCount } as SegmentView;
}
