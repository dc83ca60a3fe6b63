// Cache of the postings of words and exact phrases that repeat, with the inputs of their scores:
// scoring a row is a table lookup, instead of decoding postings and computing BM25.
// Invariant: cached postings never change. They do not depend on statistics or boosts, so they stay
// valid as long as the segment exists.
import { done } from '../../query/steps.ts';
import { KeyedPart, type QueryCache } from '../index/query-cache.ts';
import { type Scorer, STEPS_PER_YIELD } from '../scoring/scorer.ts';
import { NO_MORE_DOCS, type Postings, type Segment } from '../sections/segment.ts';
import type { FieldTerms } from './field-terms.ts';

export interface CachedPostings {
  /** Ascending. */
  readonly rows: Int32Array;
  /** For each row, its kind. All rows of a kind have the same score; there are few kinds. */
  readonly kinds: Uint16Array;
  /** By kind: frequency of the word or phrase, and norm byte. */
  readonly freqs: readonly number[];
  readonly norms: readonly number[];
  /** By kind: number of rows. */
  readonly counts: readonly number[];
}

/** Shorter postings are not cached: a block holds 128 rows, so they are read in one anyway. */
const ROWS_MIN = 129;
const KINDS_MAX = 2 ** 16;
/**
 * A phrase is cached after 1 + rows / PHRASE_ROWS_PER_USE uses. A page reads only some rows
 * of a phrase, but caching reads all of them, so the cost is spread over as many searches.
 */
const PHRASE_ROWS_PER_USE = 2048;

/** Key: field and ordinals of the words. null: more than KINDS_MAX kinds, so not cacheable. */
const POSTINGS = new KeyedPart<CachedPostings | null>('postings');

/**
 * The postings of a word, cached from its second use on; null before that, and if they are too few.
 */
export function cachedPostings(
  field: FieldTerms,
  ord: number,
  cache: QueryCache,
): Generator<void, CachedPostings | null> {
  const rowCount = field.docFreq(ord);
  if (rowCount < ROWS_MIN) return done(null);
  const key = `${cache.numberOf(field)} ${ord}`;
  const entry = { segment: field.segment, key, rowsMax: rowCount, usesMin: 1 };
  return getOrCollect(cache, entry, (into) => collectPostings(field, ord, into));
}

/**
 * The rows of an exact phrase, cached after some uses; null before that, and if they are too few.
 */
export function cachedPhrasePostings(
  field: FieldTerms,
  ords: readonly number[],
  cache: QueryCache,
  createScorer: () => Scorer & { freq(): number },
): Generator<void, CachedPostings | null> {
  const rowsMax = Math.min(...ords.map((ord) => field.docFreq(ord)));
  if (rowsMax < ROWS_MIN) return done(null);
  const usesMin = 1 + Math.floor(rowsMax / PHRASE_ROWS_PER_USE);
  const key = `${cache.numberOf(field)} ${ords.join(' ')}`;
  const entry = { segment: field.segment, key, rowsMax, usesMin };
  return getOrCollect(cache, entry, (into) => collectMatches(field, createScorer(), into));
}

interface PostingsEntry {
  readonly segment: Segment;
  readonly key: string;
  readonly rowsMax: number;
  readonly usesMin: number;
}

function getOrCollect(
  cache: QueryCache,
  entry: PostingsEntry,
  collect: (into: PostingsCollector) => Generator<void>,
): Generator<void, CachedPostings | null> {
  const { segment, key, rowsMax, usesMin } = entry;
  const cached = cache.get(POSTINGS, segment, key);
  if (cached !== undefined) /* path: in the cache */ return done(cached);
  if (!cache.takes(bytesOf(rowsMax)) || cache.countUse(POSTINGS, key) <= usesMin) return done(null);
  return addCollected(cache, entry, collect);
}

function* addCollected(
  cache: QueryCache,
  { segment, key, rowsMax }: PostingsEntry,
  collect: (into: PostingsCollector) => Generator<void>,
): Generator<void, CachedPostings | null> {
  const collector = new PostingsCollector(rowsMax);
  yield* collect(collector);
  const postings = collector.finish();
  const bytes = postings === null ? 0 : bytesOf(postings.rows.length, postings.freqs.length);
  // path: put into the cache
  cache.add(POSTINGS, [segment], key, { value: postings, bytes });
  return postings;
}

/** Of a kind its frequency, norm and count are kept, as numbers of 8 bytes. */
const BYTES_PER_KIND = 3 * 8;

function bytesOf(rowCount: number, kindCount = 0): number {
  const bytesPerRow = Int32Array.BYTES_PER_ELEMENT + Uint16Array.BYTES_PER_ELEMENT;
  return rowCount * bytesPerRow + kindCount * BYTES_PER_KIND;
}

function* collectPostings(
  field: FieldTerms,
  ord: number,
  into: PostingsCollector,
): Generator<void> {
  const norms = field.norms as Uint8Array;
  const postings = field.postings(ord) as Postings;
  const rows = new Int32Array(128);
  const freqs = new Int32Array(128);
  postings.nextDoc();
  let rowCount = 0;
  for (;;) {
    const count = postings.take(NO_MORE_DOCS, rows, freqs);
    if (count === 0) return;
    for (let i = 0; i < count; i++) into.add(rows[i]!, freqs[i]!, norms[rows[i]!]!);
    rowCount += count;
    if (rowCount < STEPS_PER_YIELD) continue;
    rowCount = 0;
    yield;
  }
}

function* collectMatches(
  field: FieldTerms,
  scorer: Scorer & { freq(): number },
  into: PostingsCollector,
): Generator<void> {
  const norms = field.norms as Uint8Array;
  let rowCount = 0;
  for (let row = scorer.nextDoc(); row !== NO_MORE_DOCS; row = scorer.nextDoc()) {
    if (scorer.matches()) /* path: row of a phrase */ into.add(row, scorer.freq(), norms[row]!);
    rowCount += 1;
    if (rowCount % (STEPS_PER_YIELD / 16) === 0) yield;
  }
}

class PostingsCollector {
  readonly #rows: Int32Array;
  readonly #kinds: Uint16Array;
  readonly #freqs: number[] = [];
  readonly #norms: number[] = [];
  readonly #counts: number[] = [];
  /** Kind by frequency and norm. */
  readonly #kindOf = new Map<number, number>();
  #count = 0;

  constructor(rowsMax: number) {
    this.#rows = new Int32Array(rowsMax);
    this.#kinds = new Uint16Array(rowsMax);
  }

  add(row: number, freq: number, norm: number): void {
    const pair = freq * 256 + norm;
    let kind = this.#kindOf.get(pair);
    if (kind === undefined) {
      kind = this.#freqs.length;
      this.#kindOf.set(pair, kind);
      this.#freqs.push(freq);
      this.#norms.push(norm);
      this.#counts.push(0);
    }
    this.#counts[kind]! += 1;
    this.#rows[this.#count] = row;
    this.#kinds[this.#count] = kind;
    this.#count += 1;
  }

  finish(): CachedPostings | null {
    if (this.#freqs.length > KINDS_MAX) return null;
    const isFull = this.#count === this.#rows.length;
    return {
      rows: isFull ? this.#rows : this.#rows.slice(0, this.#count),
      kinds: isFull ? this.#kinds : this.#kinds.slice(0, this.#count),
      freqs: this.#freqs,
      norms: this.#norms,
      counts: this.#counts,
    };
  }
}
