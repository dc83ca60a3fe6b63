// Checks the iterator contract of scorer.ts for every scorer, postings cursor and score window in
// this process (Lucene's AssertingScorer and AssertingPostingsEnum). It wraps the methods of the
// classes, so that `instanceof`, private state and cursors inside others work as in production.
// segments.ts turns it on for every test that builds segments.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import type { ScoreWindow } from '../../src/engine/scoring/score-window.ts';
import type { Scorer } from '../../src/engine/scoring/scorer.ts';
import { NO_MORE_DOCS, type Postings } from '../../src/engine/sections/segment.ts';

/** The tracked state of one cursor. */
interface CursorState {
  /** Calls in progress; a method that is called by another one is not checked. */
  depth: number;
  /** The cursor has passed the rows before this one; a window must not mark them. */
  passed: number;
  /** Windows have processed the rows before this one. */
  filledTo: number;
  /** Whether `matches` was called at the current row, and its result. */
  isTested: boolean;
  matched: boolean;
  minScore: number;
  matchCount: number;
  /** Positions read of the current row, for postings. */
  positionsRead: number;
  lastPosition: number;
}

type Method = (...values: never[]) => unknown;
type Methods = Record<string, Method | undefined>;
/** Runs the original method between the checks before and after it. */
type Check = (cursor: object, state: CursorState, run: () => unknown, value: never) => unknown;

const STATE = Symbol('iterator contract');
const WATCHED = Symbol('watched');

/** Rounding of sums in single precision. */
const SCORE_SLACK = 1 + 1e-6;

/** Checks one scorer of another class, such as one that a test defines. @returns the scorer */
export function watched<Cursor extends Scorer>(scorer: Cursor): Cursor {
  assert.equal(scorer.docId(), -1, 'a new cursor is before the first row');
  wrap(scorer, SCORER_CHECKS);
  return scorer;
}

/** Turns on the checks for all cursors and score windows of the engine in this thread. */
export async function watchEngine(): Promise<void> {
  const engine = new URL('../../src/engine/', import.meta.url);
  for (const folder of ['matching/', 'scoring/', 'terms/', 'hits/', 'index/', 'fields/']) {
    const files = readdirSync(new URL(folder, engine)).filter(
      (file) => /\.[jt]s$/.test(file) && !/\.(?:test|d)\.[jt]s$/.test(file),
    );
    for (const file of files) {
      const module = (await import(new URL(folder + file, engine).href)) as Record<string, unknown>;
      for (const value of Object.values(module)) watchClass(value);
    }
  }
}

function watchClass(value: unknown): void {
  if (typeof value !== 'function' || value.prototype === undefined) return;
  const prototype = value.prototype as Methods;
  if (value.name === 'ScoreWindow') wrap(prototype, WINDOW_CHECKS);
  else if (prototype['docId'] === undefined) return;
  else wrap(prototype, prototype['matches'] === undefined ? POSTINGS_CHECKS : SCORER_CHECKS);
}

/** Wraps the own methods of an object; a subclass is wrapped separately from its base. */
function wrap(target: object, checks: Readonly<Record<string, Check>>): void {
  if (Object.hasOwn(target, WATCHED)) return;
  Object.defineProperty(target, WATCHED, { value: true });
  const isInstance =
    typeof (target as { constructor: unknown }).constructor === 'function' &&
    !Object.hasOwn(target, 'constructor');
  for (const [name, check] of Object.entries(checks)) {
    const original = isInstance ? (target as Methods)[name] : ownMethod(target, name);
    if (original === undefined) continue;
    Object.defineProperty(target, name, {
      configurable: true,
      writable: true,
      value(this: object, ...values: never[]): unknown {
        const state = stateOf(this);
        if (state.depth > 0) return original.apply(this, values);
        const run = (): unknown => {
          state.depth += 1;
          try {
            return original.apply(this, values);
          } finally {
            state.depth -= 1;
          }
        };
        return check(this, state, run, values[0] as never);
      },
    });
  }
}

function ownMethod(target: object, name: string): Method | undefined {
  return Object.hasOwn(target, name) ? (target as Methods)[name] : undefined;
}

function stateOf(cursor: object): CursorState {
  const existing = (cursor as { [STATE]?: CursorState })[STATE];
  if (existing !== undefined) return existing;
  const state: CursorState = {
    depth: 0,
    passed: 0,
    filledTo: 0,
    isTested: false,
    matched: false,
    minScore: -1,
    matchCount: 0,
    positionsRead: 0,
    lastPosition: -1,
  };
  Object.defineProperty(cursor, STATE, { value: state });
  return state;
}

/** Builds the message only if the check fails, since there are very many checks. */
function expect(condition: boolean, message: () => string): void {
  if (!condition) assert.fail(message());
}

const nameOf = (cursor: object): string => cursor.constructor.name;

function checkMove(
  cursor: Scorer | Postings,
  state: CursorState,
  target: number,
  run: () => unknown,
): number {
  const before = cursor.docId();
  if (before === NO_MORE_DOCS && !('matches' in cursor)) return run() as number;
  expect(before !== NO_MORE_DOCS, () => `${nameOf(cursor)} moves past the end`);
  expect(target > before, () => `${nameOf(cursor)}: advance(${target}) at ${before}`);
  expect(
    target >= state.filledTo,
    () => `${nameOf(cursor)}: moves to ${target}, but rows before ${state.filledTo} are done`,
  );
  const row = run() as number;
  expect(row >= target, () => `${nameOf(cursor)}: from ${before} to ${row}, target ${target}`);
  expect(cursor.docId() === row, () => `${nameOf(cursor)}: docId() is the row it moved to`);
  state.passed = target;
  state.isTested = false;
  state.matched = false;
  state.positionsRead = 0;
  state.lastPosition = -1;
  return row;
}

const nextDoc: Check = (cursor, state, run) => {
  const iterator = cursor as Scorer;
  return checkMove(iterator, state, Math.max(iterator.docId() + 1, state.filledTo), run);
};

const advance: Check = (cursor, state, run, target) =>
  checkMove(cursor as Scorer, state, target, run);

function countMatches(scorer: Scorer, state: CursorState, matches: number): void {
  state.matchCount += matches;
  expect(
    state.matchCount <= scorer.cost,
    () => `${nameOf(scorer)}: ${state.matchCount} matches and a cost of ${scorer.cost}`,
  );
}

function checkScore(scorer: Scorer, score: number): void {
  expect(
    score <= scorer.maxScore * SCORE_SLACK,
    () => `${nameOf(scorer)}: a score of ${score}, and maxScore is ${scorer.maxScore}`,
  );
  if (scorer.isConstant)
    expect(
      Math.fround(score) === Math.fround(scorer.maxScore),
      () => `${nameOf(scorer)}: every match scores the same`,
    );
}

const fill: Check = (cursor, state, run, value) => {
  const scorer = cursor as Scorer;
  const window = value as ScoreWindow;
  const { from, to, marks, scores } = window;
  const name = nameOf(scorer);
  expect(from < to, () => `an empty window: ${from} to ${to}`);
  expect(
    from >= state.filledTo,
    () => `${name}: window ${from} to ${to}, but rows before ${state.filledTo} are done`,
  );
  const row = scorer.docId();
  if (state.isTested)
    expect(
      row < from,
      () => `${name}: window ${from} to ${to}, but matches() was called at ${row}`,
    );
  const before = marks.slice();
  const wasEmpty = before.every((word) => word === 0);
  run();
  let matches = 0;
  for (let word = 0; word < marks.length; word++) {
    expect((before[word]! & ~marks[word]!) === 0, () => `${name}: fill() takes a row away`);
    for (let rest = marks[word]! & ~before[word]!; rest !== 0; rest &= rest - 1) {
      const at = (word << 5) + 31 - Math.clz32(rest & -rest);
      const filled = window.base + at;
      expect(
        filled >= from && filled < to,
        () => `${name}: row ${filled} in window ${from} to ${to}`,
      );
      expect(
        filled >= state.passed,
        () => `${name}: row ${filled}, but rows before ${state.passed} are done`,
      );
      matches += 1;
      if (wasEmpty) checkScore(scorer, Math.fround(scores[at]!));
    }
  }
  checkWindow(window, name);
  if (wasEmpty) countMatches(scorer, state, matches);
  finishWindow(state, to);
};

function finishWindow(state: CursorState, to: number): void {
  state.filledTo = to;
  state.isTested = false;
  state.matched = false;
}

/** Checks that unmarked rows have no score. */
function checkWindow({ marks, scores, base, to }: ScoreWindow, name: string): void {
  for (let at = 0; at < to - base; at++) {
    if (((marks[at >>> 5]! >>> (at & 31)) & 1) === 1) continue;
    expect(scores[at] === 0, () => `${name}: row ${base + at} has a score and is not marked`);
  }
}

const SCORER_CHECKS: Readonly<Record<string, Check>> = {
  nextDoc,
  advance,
  matches(cursor, state, run) {
    const scorer = cursor as Scorer;
    const row = scorer.docId();
    expect(row >= 0 && row < NO_MORE_DOCS, () => `${nameOf(cursor)}: matches() at ${row}`);
    expect(
      row >= state.filledTo,
      () => `${nameOf(cursor)}: matches() at ${row}, but rows before ${state.filledTo} are done`,
    );
    expect(!state.isTested, () => `${nameOf(cursor)}: matches() twice at ${row}`);
    state.isTested = true;
    state.matched = run() as boolean;
    expect(scorer.docId() === row, () => `${nameOf(cursor)}: matches() moves the cursor`);
    if (state.matched) countMatches(scorer, state, 1);
    return state.matched;
  },
  score(cursor, state, run) {
    const scorer = cursor as Scorer;
    expect(
      state.matched,
      () => `${nameOf(cursor)}: score() at ${scorer.docId()}, which was not tested to match`,
    );
    const score = run() as number;
    checkScore(scorer, score);
    return score;
  },
  setMinScore(cursor, state, run, score) {
    expect(
      score >= state.minScore,
      () => `${nameOf(cursor)}: setMinScore(${score}) after ${state.minScore}`,
    );
    state.minScore = score;
    run();
  },
  fill,
};

const POSTINGS_CHECKS: Readonly<Record<string, Check>> = {
  nextDoc,
  advance,
  freq(cursor, _state, run) {
    const row = (cursor as Postings).docId();
    expect(row >= 0 && row < NO_MORE_DOCS, () => `freq() at ${row}`);
    const freq = run() as number;
    expect(freq >= 1, () => `a frequency of ${freq} at ${row}`);
    return freq;
  },
  nextPosition(cursor, state, run) {
    const postings = cursor as Postings;
    const row = postings.docId();
    expect(row >= 0 && row < NO_MORE_DOCS, () => `nextPosition() at ${row}`);
    expect(
      state.positionsRead < postings.freq(),
      () => `nextPosition() ${postings.freq() + 1} times at ${row}`,
    );
    const position = run() as number;
    expect(
      position >= state.lastPosition,
      () => `position ${position} after ${state.lastPosition} at ${row}`,
    );
    state.positionsRead += 1;
    state.lastPosition = position;
    return position;
  },
  take(cursor, state, run, end) {
    const postings = cursor as Postings;
    const before = postings.docId();
    expect(before >= 0, () => 'take() before the first row');
    const count = run() as number;
    const row = postings.docId();
    expect(
      count > 0 ? row > before : row === before && row >= end,
      () => `take() of ${count} rows: ${before} to ${row}`,
    );
    if (count === 0) return count;
    state.passed = before + 1;
    state.positionsRead = 0;
    state.lastPosition = -1;
    return count;
  },
};

function isEmpty({ marks, scores }: ScoreWindow): boolean {
  for (let word = 0; word < marks.length; word++) if (marks[word] !== 0) return false;
  for (let at = 0; at < scores.length; at++) if (scores[at] !== 0) return false;
  return true;
}

const WINDOW_CHECKS: Readonly<Record<string, Check>> = {
  start(cursor, _state, run) {
    const window = cursor as ScoreWindow;
    expect(isEmpty(window), () => 'a window was given back with rows in it');
    run();
    expect(
      window.to - window.base <= window.scores.length,
      () => `too many rows: ${window.base} to ${window.to}`,
    );
  },
};
