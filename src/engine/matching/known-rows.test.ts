import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../test/differential/random.ts';
import { runSteps } from '../../query/steps.ts';
import { BlockPostings } from '../fields/postings.ts';
import { PostingsWriter } from '../fields/postings-writer.ts';
import { hasBit, newBitSet, setBit } from '../rows/bit-set.ts';
import { BitSetScorer } from '../scoring/bit-set-scorer.ts';
import { AllScorer, ConstantScorer, type Scorer } from '../scoring/scorer.ts';
import { NO_MORE_DOCS, type SegmentView, type Table } from '../sections/segment.ts';
import { TermScorer } from '../terms/term-scorer.ts';
import { ConjunctionScorer } from './conjunction-scorer.ts';
import { DisjunctionScorer } from './disjunction-scorer.ts';
import { ExclusionScorer } from './exclusion-scorer.ts';
import { allOf, butNot } from './join-clauses.ts';
import { countKnown, gatherRows, knownRows } from './known-rows.ts';
import { NestedScorer } from './nested-scorer.ts';

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

const DISJUNCTION = { minimumMatch: 1, scoring: false, tieBreaker: null };

/** Elements of documents: three of each, but none of every seventh. */
function elementTable(): Table {
  const parent: number[] = [];
  const firstRow: number[] = [];
  for (let row = 0; row < ROWS; row++) {
    firstRow.push(parent.length);
    if (row % 7 !== 0) parent.push(row, row, row);
  }
  firstRow.push(parent.length);
  const [parents, first] = [Int32Array.from(parent), Int32Array.from(firstRow)];
  return { path: 'e', rowCount: parents.length, parent: parents, firstRow: first } as Table;
}

/** The postings of a term with these rows. */
function termScorer(bits: Uint32Array): Scorer {
  const writer = new PostingsWriter(1, null);
  for (const row of rowsIn(bits)) writer.doc(row);
  writer.endTerm();
  const { bytes, starts } = writer.finish();
  return new TermScorer(new BlockPostings(bytes, starts[0]!, null), null, null, null);
}

test('rows gathered as a set are those that are visited', () => {
  const table = elementTable();
  for (let seed = 0; seed < 10; seed++) {
    const random = new Random(seed);
    const [many, some] = [someRows(random, 0.6), someRows(random, 0.1)];
    const few = someRows(random, random.pick([0, 0.003]));
    const elements = newBitSet(table.rowCount);
    const density = random.pick([0.001, 0.3]);
    for (let row = 0; row < table.rowCount; row++) {
      if (random.chance(density)) setBit(elements, row);
    }
    const set = (bits: Uint32Array) => new BitSetScorer(bits, 1);
    const cursor = (bits: Uint32Array) => new EvenRows(set(bits), 1);
    const any = () => new DisjunctionScorer([cursor(some), termScorer(few), set(few)], DISJUNCTION);
    const shapes: Readonly<Record<string, Make>> = {
      postings: () => termScorer(many),
      'postings of few rows': () => termScorer(few),
      'a set': () => allOf([set(many), set(some)], [], false),
      'a cursor': () => cursor(some),
      'any of several': any,
      'two of several': () =>
        new DisjunctionScorer([set(many), cursor(some), set(some)], {
          ...DISJUNCTION,
          minimumMatch: 2,
        }),
      'any of several, without postings': () => butNot(any(), termScorer(few)),
      'a cursor without more rows than it has': () => butNot(cursor(few), cursor(many)),
      'any of several that are in a set': () => allOf([any(), set(many)], [], false),
      'any of several that are not in a set': () => butNot(any(), set(many)),
      'documents of elements': () => new NestedScorer(cursor(elements), table, 'none'),
      'documents of elements, filtered': () =>
        allOf([new NestedScorer(set(elements), table, 'none'), set(many)], [], false),
      'all of several': () => new ConjunctionScorer([cursor(many), termScorer(some)], []),
    };
    for (const [name, make] of Object.entries(shapes)) {
      const gathered = rowsIn(runSteps(gatherRows(make(), ROWS)));
      assert.deepEqual(gathered, visited(make()), `${name}, seed ${seed}`);
    }
  }
});

function view(liveDocs: Uint32Array | null): SegmentView {
  const liveCount = liveDocs === null ? ROWS : rowsIn(liveDocs).length;
  return { liveDocs, liveCount } as SegmentView;
}
