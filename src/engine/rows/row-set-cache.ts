// Sets of rows that queries came to lately: what a prefix, a pattern or a range finds in a segment stays the same as
// long as the segment is there, whoever asks and whatever has been deleted since (OpenSearch's filter cache). Queries
// whose first rows are had without finding all of them are remembered when they are asked again (Lucene's
// UsageTrackingQueryCachingPolicy).
// Invariant: a set that was handed out is never changed.
import { GenerationCache } from '../index/generation-cache.ts';
import { type Rows, type RowsOf, rowsWeight } from '../matching/constant-weight.ts';
import { STEPS_PER_YIELD } from '../matching/scorer.ts';
import type { Scope, Weight } from '../matching/weight.ts';
import { tableOf } from '../terms/field-terms.ts';
import { addMatches, countBits, newBitSet } from './bit-set.ts';
import { objectNumber } from './object-number.ts';
import { RowMemory } from './row-memory.ts';

/** A query that takes more text to tell apart is asked once and not again. */
const KEY_MAX = 1_000;
/** What the texts of all queries together may come to. */
const TEXTS_MAX = 2 ** 20;

/** A query that was asked lately. */
interface Question {
  readonly number: number;
  asked: number;
}

type Known = Exclude<Rows, { readonly kind: 'cursor' }>;

/** By question and table. */
const sets = new RowMemory<Known>('q');
const questions = new GenerationCache<string, Question>(TEXTS_MAX);
let questionsMet = 0;

/** When what a cursor finds is remembered: at once, or when it is wanted a second time. Sets are at once. */
export type When = 'always' | 'asked again';

/**
 * A weight of rows that are found by what `make` makes, unless all of them are remembered.
 * Throws what `make` throws.
 */
export function* rememberedWeight(
  query: object,
  scope: Scope,
  when: When,
  make: () => Generator<void, RowsOf>,
): Generator<void, Weight> {
  const question = questionOf(query);
  if (question === null) return rowsWeight(scope, yield* make());
  const keys = scope.views.map((_, view) => keyOf(question, scope, view));
  const known = keys.map((key) => (key === null ? null : sets.get(key)));
  const rowsOf = known.includes(undefined) ? yield* make() : null;
  const keep = when === 'always' || question.asked > 1;
  const weight = rowsWeight(scope, function* (view) {
    const rows = known[view];
    if (rows !== undefined || rowsOf === null) return rows ?? null;
    const found = yield* rowsOf(view);
    if (!keep && found?.kind === 'cursor') return found;
    const kept = yield* lasting(found, scope, view);
    const bytes = kept?.kind === 'set' ? kept.bits.byteLength : 0;
    sets.add(keys[view]!, kept, bytes);
    known[view] = kept;
    return kept;
  });
  return { scorer: weight.scorer, count: (view) => countOf(known[view], scope, view) };
}

/** As rememberedWeight, of rows that cursors find. */
export function rememberedAgain(
  query: object,
  scope: Scope,
  make: () => Generator<void, Weight>,
): Generator<void, Weight> {
  return rememberedWeight(query, scope, 'asked again', function* () {
    const weight = yield* make();
    return function* (view) {
      const scorer = yield* weight.scorer(view);
      return scorer === null ? null : { kind: 'cursor', scorer };
    };
  });
}

/** null: too long to be remembered. */
function questionOf(query: object): Question | null {
  let question = ofPlans.get(query);
  if (question === undefined) {
    question = questionOfText(query);
    ofPlans.set(query, question);
  }
  if (question !== null) question.asked += 1;
  return question;
}

/** A plan that is kept is asked with again, and has the same queries in it. */
const ofPlans = new WeakMap<object, Question | null>();

function questionOfText(query: object): Question | null {
  const { boost, ...asked } = query as { boost?: number };
  const text = JSON.stringify(asked);
  if (text.length > KEY_MAX) return null;
  let question = questions.get(text);
  if (question === undefined) {
    questionsMet += 1;
    question = { number: questionsMet, asked: 0 };
    questions.add(text, question, text.length);
  }
  return question;
}

/** null where a view has no such table. */
function keyOf(question: Question, { views, path }: Scope, view: number): string | null {
  const table = tableOf(views[view]!, path);
  return table === undefined ? null : `${question.number} ${objectNumber(table)}`;
}

/** Rows that can be looked at more than once. */
function* lasting(rows: Rows, scope: Scope, view: number): Generator<void, Known> {
  if (rows === null || rows.kind === 'all') return rows;
  if (rows.kind === 'set') return { ...rows, count: rows.count ?? countBits(rows.bits, null) };
  const bits = newBitSet(tableOf(scope.views[view]!, scope.path)?.rowCount ?? 0);
  while (addMatches(bits, rows.scorer, STEPS_PER_YIELD)) yield;
  return { kind: 'set', bits, count: countBits(bits, null) };
}

function countOf(rows: Known | undefined, { views, path }: Scope, view: number): number {
  if (rows === undefined) return -1;
  if (rows === null) return 0;
  return rows.kind === 'all' ? (tableOf(views[view]!, path)?.rowCount ?? 0) : (rows.count ?? -1);
}
