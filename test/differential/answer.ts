// The result of a judge for a case, in one form for all judges, and its comparison: rows, order,
// totals, sort values, sources, buckets, metrics, values and counts must be equal, scores within
// SCORE_SHARE.
import assert from 'node:assert/strict';
import type { Plan } from '../../src/query/plan.ts';
import type { IndexName, SortKey, SortValue } from '../../src/query/query.ts';
import type { SearchResult, TypeaheadResult } from '../../src/service/ports/search-backend.ts';
import { byCodePoints, compareTuples } from './naive.ts';
import type { Change } from './random-history.ts';

/** A document, or an element of one. */
export interface AnsweredRow {
  readonly index: IndexName;
  readonly id: string;
  /** null: the order does not depend on it; undefined: the judge cannot compute it. */
  readonly score: number | null | undefined;
  readonly sort: readonly SortValue[];
  readonly source: string;
  /** Positions of elements, if the row is a document with some of its own. */
  readonly elements?: readonly number[];
}

export interface Answer {
  readonly rows?: readonly AnsweredRow[];
  /** For a reference judge: all rows, independent of the page. */
  readonly all?: readonly AnsweredRow[];
  readonly total?: number | null;
  readonly aggregations?: unknown;
  readonly count?: number;
  readonly values?: TypeaheadResult;
}

/** The maximum difference of scores, relative to the greater one. */
const SCORE_SHARE = 1e-4;
const SCORE_KEY: SortKey = { field: '_score', order: 'desc', type: 'score' };

export function rowsOfResult({ hits }: SearchResult): AnsweredRow[] {
  return hits.map(({ index, id, score, sort, root, nested, elements }) => {
    const source = Buffer.concat([root, nested]).toString();
    return { index, id, score, sort, source, ...(elements && { elements }) };
  });
}

/**
 * @param expected with all rows
 * @param change `often`: scores are not compared, since statistics may include deleted documents
 * @throws AssertionError that says what differs
 */
export function assertSame(actual: Answer, expected: Answer, plan: Plan, change: Change): void {
  assert.equal(actual.count, expected.count, 'count');
  assert.equal(actual.total, expected.total, 'total');
  assert.deepEqual(actual.values, expected.values, 'values');
  assertNear(actual.aggregations, expected.aggregations, 'aggregations');
  if (actual.rows === undefined || expected.rows === undefined) return;
  const byScore = expected.all?.some(({ score }) => score !== null) ?? false;
  if (byScore) assertScored(actual.rows, expected, plan, change);
  else assertRows(actual.rows, expected.rows);
}

function assertRows(actual: readonly AnsweredRow[], expected: readonly AnsweredRow[]): void {
  for (const [at, row] of expected.entries()) {
    const other = actual[at];
    const names = `${row.index} ${row.id} and ${other?.index} ${other?.id}`;
    assert.deepEqual(other?.sort, row.sort, `sort values of place ${at}: ${names}`);
    assert.deepEqual(other, row, `place ${at}: ${names}`);
  }
  assert.equal(actual.length, expected.length, 'rows');
}

/**
 * Rows with nearly equal scores may be in either order, so rows and scores are compared separately.
 */
function assertScored(
  actual: readonly AnsweredRow[],
  expected: Answer,
  plan: Plan,
  change: Change,
): void {
  const { all = [], rows = [] } = expected;
  assert.equal(actual.length, rows.length, 'rows');
  const byKey = new Map(all.map((row) => [keyOf(row), row]));
  const hasScores = change === 'once' && all.every(({ score }) => score !== undefined);
  const scoreKeys = plan.sort.map(({ type }) => type === 'score');
  const assertRow = (row: AnsweredRow, other: AnsweredRow, what: string): void => {
    if (!hasScores) return;
    assertScore(row.score, other.score, what);
    for (const [at, value] of row.sort.entries()) {
      if (scoreKeys[at]) assertScore(value, other.sort[at], `${what}, sort value ${at}`);
      else assert.equal(value, other.sort[at], `${what}, sort value ${at}`);
    }
  };
  for (const [at, row] of actual.entries()) {
    const same = byKey.get(keyOf(row));
    assert.ok(same, `${row.index} ${row.id} must not be found: ${row.source.slice(0, 200)}`);
    assertRow(row, same, `${row.index} ${row.id}`);
    assertRow(row, rows[at]!, `place ${at}`);
  }
  if (actual.length === all.length) {
    assert.deepEqual(actual.map(keyOf).sort(), all.map(keyOf).sort(), 'which rows');
  }
  assertOrdered(actual, plan);
}

const keyOf = ({ index, id, source }: AnsweredRow): string => `${index} ${id} ${source}`;

function assertScore(
  actual: SortValue | undefined,
  expected: SortValue | undefined,
  what: string,
): void {
  if (typeof actual === 'number' && typeof expected === 'number') {
    const apart = SCORE_SHARE * Math.max(Math.abs(actual), Math.abs(expected));
    if (Math.abs(actual - expected) <= apart) return;
  }
  assert.equal(actual, expected, `score of ${what}`);
}

/** Checks that the rows are in the order of the judge's own scores. */
function assertOrdered(rows: readonly AnsweredRow[], plan: Plan): void {
  const keys = plan.sort.length === 0 ? [SCORE_KEY] : plan.sort;
  const doc = keys.findIndex((key) => key.type === 'doc');
  const compared = doc < 0 ? keys : keys.slice(0, doc);
  const sign = doc < 0 || keys[doc]!.order === 'asc' ? 1 : -1;
  const tuple = ({ sort, score }: AnsweredRow) => (plan.sort.length === 0 ? [score ?? null] : sort);
  for (const [at, row] of rows.entries()) {
    const next = rows[at + 1];
    if (next === undefined) return;
    const order =
      compareTuples(compared, tuple(row), tuple(next)) ||
      sign * (byCodePoints(row.index, next.index) || byCodePoints(row.id, next.id));
    assert.ok(order <= 0, `order of places ${at} and ${at + 1}`);
  }
}

/** The maximum relative difference of metrics, since rounding of sums depends on their order. */
const SUM_SHARE = 1e-9;
/** Relative to the sum of squares, which limits the precision of a difference of squares. */
const SPREAD_SHARE = 1e-14;

/** @param apart an absolute difference that is always accepted */
function assertNear(actual: unknown, expected: unknown, path: string, apart = 0): void {
  if (typeof expected === 'number' && typeof actual === 'number') {
    const near = Math.max(apart, SUM_SHARE * Math.max(1, Math.abs(actual)));
    assert.ok(Math.abs(actual - expected) <= near, `${path}: ${actual}, expected ${expected}`);
  } else if (Array.isArray(expected) && Array.isArray(actual)) {
    assert.equal(
      actual.length,
      expected.length,
      `${path}: ${preview(actual)}, expected ${preview(expected)}`,
    );
    for (const [at, one] of expected.entries()) assertNear(actual[at], one, `${path}[${at}]`);
  } else if (isObject(expected) && isObject(actual)) {
    assertMembersNear(actual, expected, path, apart);
  } else assert.deepEqual(actual, expected, path);
}

type Members = Record<string, unknown>;

/** The naive evaluator leaves out some members of extended_stats. */
function assertMembersNear(actual: Members, expected: Members, path: string, apart: number): void {
  const squares = expected['sum_of_squares'];
  if (squares === undefined && !path.endsWith('._source')) {
    assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort(), path);
  }
  const spread = SPREAD_SHARE * Number(squares ?? 0);
  for (const [name, one] of Object.entries(expected)) {
    let within = apart;
    if (/^(?:_|max_)score$/.test(name)) within = SCORE_SHARE * Math.abs(Number(one));
    else if (/^variance/.test(name)) within = spread;
    else if (/^std_deviation/.test(name)) within = 2 * Math.sqrt(spread);
    assertNear(numberIn(actual[name]), numberIn(one), `${path}.${name}`, within);
  }
}

/** A sum of dates outside the range of dates is a number as text; such texts compare as numbers. */
function numberIn(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{16,}$/.test(value) ? Number(value) : value;
}

const preview = (value: unknown): string => JSON.stringify(value).slice(0, 500);

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}
