// One form of a field in one table of a segment: its dictionary and the rows of each term. One
// interface for the three forms: words, exact values, and folded values. A folded value may have
// several exact spellings.

import { CATCH_ALL, type TermForm } from '../../query/query.ts';
import { DerivedPart, type QueryCache } from '../index/query-cache.ts';
import { hasBit, newBitSet, nextSetBit, setBit } from '../rows/bit-set.ts';
import { isFew, sortedOnce } from '../rows/row-list.ts';
import type { FieldStatistics } from '../scoring/bm25.ts';
import { STEPS_PER_YIELD } from '../scoring/scorer.ts';
import {
  type CatchAll,
  NO_MORE_DOCS,
  type Postings,
  type Segment,
  type SegmentView,
  type Table,
  type TermDictionary,
  type ValueIndex,
  type WordIndex,
} from '../sections/segment.ts';

/** The ordinals [from, to) and, unless `only` is null, only those in the set. */
export interface Ordinals {
  readonly from: number;
  readonly to: number;
  readonly only: Uint32Array | null;
  readonly count: number;
}

/** The ordinals of rows, one or several per row; see ValueIndex. */
interface DocValues {
  readonly ords: Int32Array;
  readonly ordStart: Uint32Array | null;
}

export class FieldTerms {
  readonly segment: Segment;
  readonly terms: TermDictionary;
  readonly statistics: FieldStatistics;
  /** Rows in the table. */
  readonly rowCount: number;
  /** null for whole values. */
  readonly norms: Uint8Array | null;
  readonly #index: { docFreq(ord: number): number; postings(ord: number): Postings };
  readonly #spellings: { readonly start: Uint32Array; readonly ords: Uint32Array } | null;
  readonly #docValues: DocValues | null;

  constructor(parts: {
    readonly segment: Segment;
    readonly terms: TermDictionary;
    readonly statistics: FieldStatistics;
    readonly rowCount: number;
    readonly norms: Uint8Array | null;
    readonly index: { docFreq(ord: number): number; postings(ord: number): Postings };
    readonly spellings: { readonly start: Uint32Array; readonly ords: Uint32Array } | null;
    readonly docValues: DocValues | null;
  }) {
    this.segment = parts.segment;
    this.terms = parts.terms;
    this.statistics = parts.statistics;
    this.rowCount = parts.rowCount;
    this.norms = parts.norms;
    this.#index = parts.index;
    this.#spellings = parts.spellings;
    this.#docValues = parts.docValues;
  }

  /** The postings of a term that has one list; null for a folded value with several spellings. */
  postings(ord: number): Postings | null {
    if (this.#spellings === null) return this.#index.postings(ord);
    const { start, ords } = this.#spellings;
    const first = start[ord]!;
    return start[ord + 1]! - first === 1 ? this.#index.postings(ords[first]!) : null;
  }

  /** True if the term has a single postings list. */
  hasPostings(ord: number): boolean {
    return (
      this.#spellings === null ||
      this.#spellings.start[ord + 1]! - this.#spellings.start[ord]! === 1
    );
  }

  /** True if `docFreq` counts each row once. */
  hasExactDocFreq(ord: number): boolean {
    return this.isSingleValued || this.hasPostings(ord);
  }

  /** Rows that contain the term; a row with two spellings of a folded value counts twice. */
  docFreq(ord: number): number {
    if (this.#spellings === null) return this.#index.docFreq(ord);
    const { start, ords } = this.#spellings;
    let sum = 0;
    for (let i = start[ord]!; i < start[ord + 1]!; i++) sum += this.#index.docFreq(ords[i]!);
    return sum;
  }

  /** True if it is known that no row has two terms; then `docFreq` is always exact. */
  get isSingleValued(): boolean {
    return this.#docValues?.ordStart === null;
  }

  /** The rows that contain any of the terms, ascending; null if they are many. */
  *fewRows({ from, to, only, count }: Ordinals): Generator<void, Int32Array | null> {
    // Each term has a row.
    if (!isFew(count, this.rowCount)) return null;
    const rows: number[] = [];
    const spellings = this.#spellings;
    let budget = STEPS_PER_YIELD;
    for (let ord = nextOrdinal(only, from); ord < to; ord = nextOrdinal(only, ord + 1)) {
      const last = spellings === null ? ord + 1 : spellings.start[ord + 1]!;
      for (let list = spellings === null ? ord : spellings.start[ord]!; list < last; list++) {
        const postings = this.#index.postings(spellings === null ? list : spellings.ords[list]!);
        if (!isFew(rows.length + postings.cost, this.rowCount)) return null;
        for (let row = postings.nextDoc(); row !== NO_MORE_DOCS; row = postings.nextDoc()) {
          rows.push(row);
        }
        budget -= postings.cost + POSTINGS_COST;
        if (budget > 0) continue;
        yield;
        budget = STEPS_PER_YIELD;
      }
    }
    return sortedOnce(Int32Array.from(rows));
  }

  /** The rows that contain any of the terms. */
  *rows(ordinals: Ordinals): Generator<void, Uint32Array> {
    const bits = newBitSet(this.rowCount);
    const { from, to, only } = ordinals;
    const docValues = this.#docValues;
    if (docValues !== null && ordinals.count * POSTINGS_COST > docValues.ords.length) {
      yield* this.#scan(docValues, yield* this.#exactOrdinals(ordinals), bits);
      return bits;
    }
    let budget = STEPS_PER_YIELD;
    for (let ord = nextOrdinal(only, from); ord < to; ord = nextOrdinal(only, ord + 1)) {
      const [first, last] = this.#lists(ord);
      for (let list = first; list < last; list++) {
        const rows = this.#index.postings(this.#spellings?.ords[list] ?? list);
        while (rows.addTo(bits)) yield;
        budget -= Math.min(rows.cost, STEPS_PER_YIELD) + POSTINGS_COST;
        if (budget > 0) continue;
        yield;
        budget = STEPS_PER_YIELD;
      }
    }
    return bits;
  }

  #lists(ord: number): readonly [number, number] {
    if (this.#spellings === null) return [ord, ord + 1];
    return [this.#spellings.start[ord]!, this.#spellings.start[ord + 1]!];
  }

  *#exactOrdinals({ from, to, only }: Ordinals): Generator<void, Uint32Array> {
    const exact = newBitSet(this.#spellings?.ords.length ?? this.terms.size);
    for (let ord = from; ord < to; ord++) {
      if (ord % STEPS_PER_YIELD === 0) yield;
      if (only !== null && !hasBit(only, ord)) continue;
      const [first, last] = this.#lists(ord);
      for (let list = first; list < last; list++)
        setBit(exact, this.#spellings?.ords[list] ?? list);
    }
    return exact;
  }

  /**
   * Adds the rows whose ordinals are in `exactOrds`. For many terms this is cheaper than reading
   * their postings.
   */
  *#scan(
    { ords, ordStart }: DocValues,
    exactOrds: Uint32Array,
    bits: Uint32Array,
  ): Generator<void> {
    for (let row = 0; row < this.rowCount; row += STEPS_PER_YIELD) {
      const end = Math.min(row + STEPS_PER_YIELD, this.rowCount);
      if (ordStart === null) scanSingle(ords, exactOrds, bits, row, end);
      else scanMany(ords, ordStart, exactOrds, bits, row, end);
      yield;
    }
  }
}

/** The next of all ordinals or, unless `only` is null, of those in the set. */
function nextOrdinal(only: Uint32Array | null, from: number): number {
  return only === null ? from : nextSetBit(only, from);
}

/** Break-even point: opening the postings of a term costs as much as scanning this many rows. */
const POSTINGS_COST = 64;

function scanSingle(
  ords: Int32Array,
  exactOrds: Uint32Array,
  bits: Uint32Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const ord = ords[row]!;
    if (ord >= 0 && hasBit(exactOrds, ord)) setBit(bits, row);
  }
}

function scanMany(
  ords: Int32Array,
  ordStart: Uint32Array,
  exactOrds: Uint32Array,
  bits: Uint32Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    for (let i = ordStart[row]!; i < ordStart[row + 1]!; i++) {
      if (!hasBit(exactOrds, ords[i]!)) continue;
      setBit(bits, row);
      break;
    }
  }
}

/** The table of a nested path, or the root for null; undefined if the segment does not have it. */
export function tableOf(view: SegmentView, path: string | null): Table | undefined {
  return path === null ? view.segment.root : view.segment.nested.get(path);
}

/**
 * Cache of FieldTerms by index and form (words, exact and folded values of a field differ), as a
 * query over many fields needs many of them.
 */
const FORMS = new DerivedPart((_: object): Partial<Record<TermForm, FieldTerms>> => ({}));

function cachedTerms(
  cache: QueryCache,
  index: object,
  form: TermForm,
  create: () => FieldTerms,
): FieldTerms {
  const forms = cache.of(FORMS, index);
  forms[form] ??= create();
  return forms[form];
}

/** Undefined if no row of the segment has the field in this form and table. */
export function fieldTerms(
  view: SegmentView,
  { path, cache }: { readonly path: string | null; readonly cache: QueryCache },
  field: string,
  form: TermForm,
): FieldTerms | undefined {
  const { segment } = view;
  const table = tableOf(view, path);
  if (table === undefined) return undefined;
  const { rowCount } = table;
  if (form === 'word') {
    const catchAll = path === null && field === CATCH_ALL;
    const words = catchAll ? segment.catchAll.words : table.words(field);
    if (words === undefined) return undefined;
    return cachedTerms(cache, words, form, () => termsOfWords(segment, words, rowCount));
  }
  if (field === CATCH_ALL) {
    if (path !== null || form !== 'folded') return undefined;
    const { folded } = segment.catchAll;
    return cachedTerms(cache, folded, form, () => termsOfCatchAll(segment, folded, rowCount));
  }
  const values = table.values(field);
  return (
    values && cachedTerms(cache, values, form, () => termsOfValues(segment, values, form, rowCount))
  );
}

function termsOfWords(segment: Segment, words: WordIndex, rowCount: number): FieldTerms {
  const { terms, norms } = words;
  return new FieldTerms({
    segment,
    terms,
    norms,
    rowCount,
    statistics: words,
    index: words,
    spellings: null,
    docValues: null,
  });
}

function termsOfValues(
  segment: Segment,
  values: ValueIndex,
  form: TermForm,
  rowCount: number,
): FieldTerms {
  const folded = form === 'folded' && values.folded !== values.exact;
  return new FieldTerms({
    segment,
    terms: folded ? values.folded : values.exact,
    statistics: {
      docCount: values.docCount,
      sumTotalTermFreq: folded ? values.foldedSumDocFreq : values.sumDocFreq,
    },
    rowCount,
    norms: null,
    index: values,
    spellings: folded ? { start: values.foldedStart, ords: values.foldedToExact } : null,
    docValues: values,
  });
}

function termsOfCatchAll(
  segment: Segment,
  folded: CatchAll['folded'],
  rowCount: number,
): FieldTerms {
  return new FieldTerms({
    segment,
    terms: folded.terms,
    statistics: { docCount: folded.docCount, sumTotalTermFreq: folded.sumDocFreq },
    rowCount,
    norms: null,
    index: folded,
    spellings: null,
    docValues: null,
  });
}
