// The values of a string field that complete the typed text, with the number of documents of each.
// A value counts only if it completes the text by itself, not if another value of the same document
// does.
// Invariant: order and counts do not depend on how documents are spread over segments.
import type { Typeahead, TypeaheadField } from '../../query/plan.ts';
import type { IndexSegments } from '../index/query-cache.ts';
import { createWeight } from '../matching/create-weight.ts';
import { newBitSet, nextSetBit, setBit } from '../rows/bit-set.ts';
import { type Scorer, STEPS_PER_YIELD } from '../scoring/scorer.ts';
import { isLive } from '../sections/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView, type ValueIndex } from '../sections/segment.ts';
import { compareCodePoints } from '../sections/utf8.ts';
import { type FieldTerms, tableOf } from '../terms/field-terms.ts';
import { prefixExpansions } from '../terms/prefix-expansion.ts';
import { indexField } from '../terms/term-statistics.ts';
import { completes } from '../terms/value-completion.ts';
import { sortInSteps } from './sort-in-steps.ts';

/** One index of a typeahead request. */
export interface TypeaheadTarget extends IndexSegments {
  readonly field: TypeaheadField;
}

export interface ValueCount {
  /** As spelled in the documents. */
  readonly value: string;
  /** Number of documents that have it. */
  readonly count: number;
}

export interface CompletedValues {
  /** The first `size` values in the requested order. */
  readonly values: readonly ValueCount[];
  /** Number of distinct values that complete the text. */
  readonly total: number;
}

/** Throws what createWeight throws. */
export function* completeValues(
  targets: readonly TypeaheadTarget[],
  { size, order, by, maxExpansions }: Typeahead,
): Generator<void, CompletedValues> {
  const counts = new Map<string, number>();
  for (const target of targets) yield* countIndex(target, maxExpansions, counts);
  const all: ValueCount[] = [];
  for (const [value, count] of counts) {
    all.push({ value, count });
    if (all.length % STEPS_PER_YIELD === 0) yield;
  }
  const sorted = yield* sortInSteps(all, orderOfValues({ order, by }));
  return { values: sorted.slice(0, size), total: all.length };
}

/** Compares values in the order of a plan. */
export function orderOfValues({
  order,
  by,
}: Pick<Typeahead, 'order' | 'by'>): (a: ValueCount, b: ValueCount) => number {
  const sign = order === 'asc' ? 1 : -1;
  return (a, b) =>
    by === 'value'
      ? sign * compareCodePoints(a.value, b.value)
      : sign * (a.count - b.count) || compareCodePoints(a.value, b.value);
}

function* countIndex(
  { views, cache, field }: TypeaheadTarget,
  maxExpansions: number,
  counts: Map<string, number>,
): Generator<void> {
  const last = field.terms.at(-1);
  if (last === undefined) return;
  const scope = { views, cache, path: field.nested, scoring: false, boost: 1 };
  const terms = indexField(scope, field.field, field.form);
  const ends = new Set(yield* prefixExpansions(terms, scope, last, maxExpansions));
  const filter = yield* createWeight(field.filter, { ...scope, path: null });
  for (const [index, view] of views.entries()) {
    const values = tableOf(view, field.nested)?.values(field.field);
    const candidates = terms.byView[index];
    if (values === undefined || candidates === undefined) continue;
    const roots = yield* filter.scorer(index);
    if (roots === null) continue;
    const rows = yield* rowsWith(candidates, ends);
    const counter = new SegmentCounter(view, field, ends, values, roots);
    while (counter.advance(rows)) yield;
    yield* counter.addTo(counts);
  }
}

/** Rows that contain any of the terms. */
function* rowsWith(field: FieldTerms, terms: ReadonlySet<string>): Generator<void, Uint32Array> {
  const only = newBitSet(field.terms.size);
  let count = 0;
  for (const term of terms) {
    const ord = field.terms.find(term);
    if (ord < 0) continue;
    setBit(only, ord);
    count += 1;
  }
  return yield* field.rows({ from: 0, to: field.terms.size, only, count });
}

/** Cost of checking a new value, relative to one already checked. */
const VALUE_COST = 16;

class SegmentCounter {
  readonly #view: SegmentView;
  readonly #field: TypeaheadField;
  readonly #ends: ReadonlySet<string>;
  readonly #values: ValueIndex;
  readonly #roots: Scorer;
  readonly #parent: Int32Array | null;
  /** By exact ordinal: 0 not checked, 1 completes the text, 2 does not. */
  readonly #verdicts: Uint8Array;
  readonly #counts: Uint32Array;
  /** By exact ordinal: the document it was last counted for; rows come in document order. */
  readonly #lastRoot: Int32Array;
  readonly #counted: number[] = [];
  #row = 0;
  #budget = 0;
  #root = -1;
  #rootMatches = false;

  constructor(
    view: SegmentView,
    field: TypeaheadField,
    ends: ReadonlySet<string>,
    values: ValueIndex,
    roots: Scorer,
  ) {
    this.#view = view;
    this.#field = field;
    this.#ends = ends;
    this.#values = values;
    this.#roots = roots;
    this.#parent = tableOf(view, field.nested)?.parent ?? null;
    this.#verdicts = new Uint8Array(values.exact.size);
    this.#counts = new Uint32Array(values.exact.size);
    this.#lastRoot = new Int32Array(values.exact.size).fill(-1);
  }

  /** Processes some of the rows; true if there are more. */
  advance(rows: Uint32Array): boolean {
    this.#budget = STEPS_PER_YIELD;
    while (this.#budget > 0) {
      const row = nextSetBit(rows, this.#row);
      if (row === NO_MORE_DOCS) return false;
      this.#row = row + 1;
      this.#budget -= 1;
      const root = this.#parent === null ? row : this.#parent[row]!;
      if (this.#matchesFilter(root)) this.#countRow(row, root);
    }
    return true;
  }

  *addTo(counts: Map<string, number>): Generator<void> {
    for (const [at, ord] of this.#counted.entries()) {
      const value = this.#values.exact.term(ord);
      counts.set(value, (counts.get(value) ?? 0) + this.#counts[ord]!);
      if (at % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
    }
  }

  #matchesFilter(root: number): boolean {
    if (root === this.#root) return this.#rootMatches;
    this.#root = root;
    const roots = this.#roots;
    const at = roots.docId() < root ? roots.advance(root) : roots.docId();
    this.#rootMatches = at === root && isLive(this.#view, root) && roots.matches();
    return this.#rootMatches;
  }

  #countRow(row: number, root: number): void {
    const { ords, ordStart } = this.#values;
    if (ordStart === null) {
      if (ords[row]! >= 0) this.#countValue(ords[row]!, root);
      return;
    }
    for (let i = ordStart[row]!; i < ordStart[row + 1]!; i++) this.#countValue(ords[i]!, root);
  }

  #countValue(ord: number, root: number): void {
    this.#budget -= 1;
    if (this.#verdicts[ord] === 0) this.#verdicts[ord] = this.#completes(ord) ? 1 : 2;
    if (this.#verdicts[ord] === 2 || this.#lastRoot[ord] === root) return;
    this.#lastRoot[ord] = root;
    if (this.#counts[ord] === 0) this.#counted.push(ord);
    this.#counts[ord]! += 1;
  }

  #completes(ord: number): boolean {
    const value = this.#values.exact.term(ord);
    this.#budget -= VALUE_COST + value.length;
    return completes(this.#field, this.#ends, value);
  }
}
