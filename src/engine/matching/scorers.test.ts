import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../test/differential/random.ts';
import { watched } from '../../../test/support/iterator-contract.ts';
import '../../../test/support/segments.ts';
import { countBits, newBitSet, setBit } from '../rows/bit-set.ts';
import { BitSetScorer } from '../scoring/bit-set-scorer.ts';
import { fillWindow } from '../scoring/fill-window.ts';
import { RowListScorer } from '../scoring/row-list-scorer.ts';
import { type ScoreWindow, WindowPool } from '../scoring/score-window.ts';
import { AllScorer, ConstantScorer, type Scorer } from '../scoring/scorer.ts';
import { NO_MORE_DOCS, type Table } from '../sections/segment.ts';
import { ConjunctionScorer } from './conjunction-scorer.ts';
import { DisjunctionScorer } from './disjunction-scorer.ts';
import { ExclusionScorer } from './exclusion-scorer.ts';
import { allOf, anyOf, butNot } from './join-clauses.ts';
import { NestedScorer } from './nested-scorer.ts';
import { OptionalScorer } from './optional-scorer.ts';
import { RangeScorer } from './range-scorer.ts';

const WINDOWS = new WindowPool();
const ROWS = 500;

/** Rows with their scores. */
type Expected = Map<number, number>;

/** Offers more candidates than match, as phrases do. */
class PickyScorer extends ConstantScorer {
  readonly #rows: ReadonlySet<number>;

  constructor(rows: ReadonlySet<number>, candidates: Scorer, constant: number) {
    super(candidates, constant);
    this.#rows = rows;
  }

  override matches(): boolean {
    return super.matches() && this.#rows.has(this.docId());
  }
}

function someRows(random: Random, count = ROWS): Set<number> {
  const density = random.pick([0, 0.01, 0.1, 0.5, 1]);
  const rows = new Set<number>();
  for (let row = 0; row < count; row++) if (random.chance(density)) rows.add(row);
  return rows;
}

function scorerOf(random: Random, rows: ReadonlySet<number>, score: number, count = ROWS): Scorer {
  const bits = newBitSet(count);
  for (const row of rows) setBit(bits, row);
  const extra = newBitSet(count);
  extra.set(bits);
  for (const row of someRows(random, count)) setBit(extra, row);
  switch (random.pick(['set', 'list', 'cursor'] as const)) {
    case 'set':
      return watched(new BitSetScorer(bits, score));
    case 'list':
      return watched(new RowListScorer(Int32Array.from(rows), score));
    case 'cursor':
      return watched(new PickyScorer(rows, new BitSetScorer(extra, 0), score));
  }
}

function check(
  name: string,
  make: (random: Random) => { make(): Scorer; expected: Expected },
): void {
  test(name, () => {
    for (let seed = 0; seed < 150; seed++) {
      const random = new Random(seed);
      const testCase = make(random);
      const expected = [...testCase.expected].sort(([a], [b]) => a - b);
      assert.deepEqual(
        walk(testCase.make(), () => 1),
        expected,
        `seed ${seed}, nextDoc`,
      );
      assert.deepEqual(filled(testCase.make(), random, -1), expected, `seed ${seed}, windows`);
      const least = random.int(8);
      assert.deepEqual(
        filled(testCase.make(), random, least),
        expected.filter(([, score]) => score > least),
        `seed ${seed}, windows, more than ${least}`,
      );
      const jumps = new Map<number, number>();
      const some = walk(testCase.make(), (row) => {
        const step = random.pick([1, 1, 2, 17, 130]);
        jumps.set(row, step);
        return step;
      });
      let from = 0;
      const reachable = expected.filter(([row]) => {
        const fits = row >= from;
        if (fits) from = row + (jumps.get(row) ?? 1);
        return fits;
      });
      // Only matches decide where the walk jumps to, so both see the same rows.
      assert.deepEqual(some, reachable, `seed ${seed}, advance`);
    }
  });
}

/** Matches that score more than `least`, by windows of several sizes mixed with nextDoc. */
function filled(scorer: Scorer, random: Random, least: number): [number, number][] {
  if (least >= 0) scorer.setMinScore?.(least);
  const matches: [number, number][] = [];
  for (let from = 0; from < ROWS; ) {
    const to = Math.min(from + 1 + random.int(128), ROWS);
    if (random.chance(0.3)) {
      let row = scorer.docId() < from ? scorer.advance(from) : scorer.docId();
      for (; row < to; row = scorer.nextDoc()) {
        if (scorer.matches()) matches.push([row, scorer.score()]);
      }
    } else {
      const window = WINDOWS.borrow(from, to, ROWS, 'only');
      fillWindow(scorer, window);
      for (let row = from; row < to; row++) {
        const at = row - window.base;
        const isMarked = ((window.marks[at >>> 5]! >>> (at & 31)) & 1) === 1;
        if (isMarked) matches.push([row, Math.fround(window.scores[at]!)]);
        else assert.equal(window.scores[at], 0, `a score and no mark at ${row}`);
      }
      window.marks.fill(0);
      window.scores.fill(0);
      window.giveBack();
    }
    from = to;
  }
  return matches.filter(([, score]) => score > least);
}

/** Matches with scores; advances by `step` rows after each match. */
function walk(scorer: Scorer, step: (row: number) => number): [number, number][] {
  const matches: [number, number][] = [];
  let row = scorer.nextDoc();
  while (row !== NO_MORE_DOCS) {
    let by = 1;
    if (scorer.matches()) {
      matches.push([row, scorer.score()]);
      by = step(row);
    }
    row = by === 1 ? scorer.nextDoc() : scorer.advance(row + by);
  }
  return matches;
}

check('a conjunction matches the rows of all clauses and sums the scores of some', (random) => {
  const sets = random.list(2, 4, () => someRows(random));
  const expected: Expected = new Map();
  for (let row = 0; row < ROWS; row++) if (sets.every((set) => set.has(row))) expected.set(row, 2);
  const make = () => {
    const scorers = sets.map((set) => scorerOf(random, set, 1));
    return new ConjunctionScorer(scorers, scorers.slice(0, 2));
  };
  return { make, expected };
});

check('a disjunction matches the rows of enough clauses and sums their scores', (random) => {
  const sets = random.list(2, 6, () => someRows(random));
  const minimumMatch = 1 + random.int(sets.length);
  const expected: Expected = new Map();
  for (let row = 0; row < ROWS; row++) {
    const count = sets.filter((set) => set.has(row)).length;
    if (count >= minimumMatch) expected.set(row, count);
  }
  const options = { minimumMatch, scoring: true, tieBreaker: null };
  return {
    make: () =>
      new DisjunctionScorer(
        sets.map((set) => scorerOf(random, set, 1)),
        options,
      ),
    expected,
  };
});

check('a disjunction max scores the best clause plus a share of the others', (random) => {
  const sets = random.list(2, 5, () => someRows(random));
  const expected: Expected = new Map();
  for (let row = 0; row < ROWS; row++) {
    const setScores = sets.flatMap((set, at) => (set.has(row) ? [at + 1] : []));
    const best = Math.max(...setScores);
    const sum = setScores.reduce((total, score) => total + score, 0);
    if (setScores.length > 0) expected.set(row, best + (sum - best) * 0.5);
  }
  const options = { minimumMatch: 1, scoring: true, tieBreaker: 0.5 };
  const scorers = () => sets.map((set, at) => scorerOf(random, set, at + 1));
  return { make: () => new DisjunctionScorer(scorers(), options), expected };
});

check('an exclusion matches the rows of one clause that the other does not have', (random) => {
  const required = someRows(random);
  const excluded = someRows(random);
  const expected: Expected = new Map();
  for (const row of required) if (!excluded.has(row)) expected.set(row, 3);
  const make = () =>
    new ExclusionScorer(scorerOf(random, required, 3), scorerOf(random, excluded, 1));
  return { make, expected };
});

check('an optional clause only adds to the score', (random) => {
  const required = someRows(random);
  const optional = someRows(random);
  const expected: Expected = new Map();
  for (const row of required) expected.set(row, optional.has(row) ? 5 : 3);
  const make = () =>
    new OptionalScorer(scorerOf(random, required, 3), scorerOf(random, optional, 2));
  return { make, expected };
});

/** A set, plain or joined of several, a scorer with extra candidates, or all rows. */
function clauseOf(random: Random, rows: ReadonlySet<number>, score: number): Scorer {
  if (rows.size === ROWS && random.chance(0.5)) return new AllScorer(ROWS, score);
  const dice = random.int(3);
  if (dice === 0) return scorerOf(random, rows, score);
  const larger = someRows(random);
  for (const row of rows) larger.add(row);
  const set = setOf(rows, score);
  if (dice === 1) return set;
  const rest = [...larger].filter((row) => !rows.has(row));
  return BitSetScorer.all([setOf(larger, 9), set], score).without(setOf(new Set(rest), 9));
}

function setOf(rows: ReadonlySet<number>, score: number): BitSetScorer {
  const bits = newBitSet(ROWS);
  for (const row of rows) setBit(bits, row);
  return new BitSetScorer(bits, score);
}

check('joined clauses have the right rows and scores for every kind of scorer', (random) => {
  const [must, filter, excluded] = [3, 3, 2].map((most) =>
    random.list(0, most, () => someRows(random)),
  ) as [Set<number>[], Set<number>[], Set<number>[]];
  if (must.length + filter.length === 0) filter.push(someRows(random));
  const scoring = random.chance(0.6);
  const expected: Expected = new Map();
  for (let row = 0; row < ROWS; row++) {
    if (![...must, ...filter].every((set) => set.has(row))) continue;
    if (excluded.some((set) => set.has(row))) continue;
    expected.set(row, scoring ? (must.length * (must.length + 1)) / 2 : 0);
  }
  const make = () => {
    const required = allOf(
      must.map((set, at) => clauseOf(random, set, scoring ? at + 1 : 0)),
      filter.map((set) => clauseOf(random, set, scoring ? 7 : 0)),
      scoring,
    );
    const others = excluded.map((set) => clauseOf(random, set, 0));
    return butNot(required, anyOf(others, { minimumMatch: 1, scoring: false, tieBreaker: null }));
  };
  return { make, expected };
});

test('a joined set has the right rows, also as one set and after it has been moved', () => {
  for (let seed = 0; seed < 100; seed++) {
    const random = new Random(seed);
    const [a, b, c] = [someRows(random), someRows(random), someRows(random)];
    const joined = BitSetScorer.all([setOf(a, 1), setOf(b, 1)], 1).without(setOf(c, 1));
    const rows = [...a].filter((row) => b.has(row) && !c.has(row)).sort((x, y) => x - y);
    const half = rows.slice(0, rows.length >>> 1);
    for (const row of half) assert.equal(joined.nextDoc(), row);
    assert.equal(countBits(joined.bits, null), rows.length);
    assert.ok(joined.cost >= rows.length);
    for (const row of rows.slice(half.length)) assert.equal(joined.nextDoc(), row);
    assert.equal(joined.nextDoc(), NO_MORE_DOCS);
    for (let row = 0; row < ROWS; row++) {
      assert.equal(joined.has(row), a.has(row) && b.has(row) && !c.has(row));
    }
  }
});

check('a range matches the rows whose number is in it', (random) => {
  const spread = random.pick([2, 40, 4000]);
  const values = Float64Array.from({ length: ROWS }, () =>
    random.chance(0.2) ? Number.NaN : random.int(spread) - 1,
  );
  const least = random.int(spread) - 1;
  const greatest = least + random.int(spread);
  const expected: Expected = new Map();
  for (const [row, value] of values.entries()) {
    if (value >= least && value <= greatest) expected.set(row, 0);
  }
  const make = () => new RangeScorer(values, least, greatest, expected.size);
  return { make, expected };
});

check('AllScorer matches all rows', () => ({
  make: () => new AllScorer(ROWS, 1),
  expected: new Map(Array.from({ length: ROWS }, (_, row) => [row, 1])),
}));

for (const [mode, score] of [
  ['sum', (n: number) => 2 * n],
  ['avg', () => 2],
  ['max', () => 2],
  ['min', () => 2],
  ['none', () => 0],
] as const) {
  check(`nested elements match their documents, score mode ${mode}`, (random) => {
    const table = nestedTable(random);
    const rows = someRows(random, table.rowCount);
    const counts: Expected = new Map();
    for (const row of rows) {
      const parent = table.parent![row]!;
      counts.set(parent, (counts.get(parent) ?? 0) + 1);
    }
    const expected: Expected = new Map();
    for (const [parent, count] of counts) expected.set(parent, score(count));
    const make = () => new NestedScorer(scorerOf(random, rows, 2, table.rowCount), table, mode);
    return { make, expected };
  });
}

/** Documents with 0 to 5 elements. */
function nestedTable(random: Random): Table {
  const parents: number[] = [];
  const firstRow = [0];
  for (let row = 0; row < ROWS; row++) {
    parents.push(...random.list(0, 5, () => row));
    firstRow.push(parents.length);
  }
  return {
    path: 'n',
    rowCount: parents.length,
    parent: Int32Array.from(parents),
    firstRow: Int32Array.from(firstRow),
    words: () => undefined,
    values: () => undefined,
    numbers: () => undefined,
  };
}

test('one step of a conjunction of disjoint sets is short', () => {
  const size = 1 << 20;
  const even = newBitSet(size).fill(0x55555555);
  const odd = newBitSet(size).fill(0xaaaaaaaa);
  const pair = [new BitSetScorer(even, 1), new BitSetScorer(odd, 1)];
  const scorer = new ConjunctionScorer(pair, pair);
  const first = scorer.nextDoc();
  assert.ok(first < 1000, `the first candidate is ${first}`);
  assert.equal(scorer.matches(), false);
});

/** Three rows that are put into windows, but are no set. */
class FillingScorer extends ConstantScorer {
  constructor(constant: number) {
    super(new RangeScorer(new Float64Array(3).fill(1), 1, 1, 3), constant);
  }

  fill(window: ScoreWindow): void {
    for (let row = window.from; row < window.to; row++) window.put(row, this.maxScore);
  }
}

test('scores of sets are rounded together with those of other clauses', () => {
  const scores = [0.38494858145713806, 1, 2.4933838844299316] as const;
  const sum = Math.fround(scores[0] + scores[1] + scores[2]);
  const set = (score: number) => new BitSetScorer(new Uint32Array([0b111]), score);
  const must = [set(scores[0]), set(scores[1]), new FillingScorer(scores[2])];
  const window = WINDOWS.borrow(0, 3, 3, 'only');
  fillWindow(allOf(must, [], true), window);
  assert.deepEqual([...window.scores.slice(0, 3)].map(Math.fround), [sum, sum, sum]);
});

test('all rows but those of a set are a set, and all but those of a cursor are visited', () => {
  const values = new Float64Array(ROWS).map((_, row) => row);
  const least = ROWS - 100;
  const last = newBitSet(ROWS);
  for (let row = least; row < ROWS; row++) setBit(last, row);
  for (const required of [
    () => new AllScorer(ROWS, 1),
    () => new BitSetScorer(new Uint32Array(Math.ceil(ROWS / 32)).fill(-1 >>> 12), 1),
  ]) {
    for (const [excluded, isSet] of [
      [new BitSetScorer(last, 0), true],
      [new RangeScorer(values, least, ROWS, 100), false],
    ] as const) {
      const scorer = butNot(required(), excluded);
      assert.equal(scorer instanceof BitSetScorer, isSet);
      for (let row = scorer.nextDoc(); row < NO_MORE_DOCS; row = scorer.nextDoc()) {
        if (scorer.matches()) assert.ok(row < least, `row ${row}`);
      }
    }
  }
});
