// The rows of a word or an exact phrase with what their scores are made of, kept where they are asked for again: to score a
// row is then to look a number up, while postings must be decoded and every score computed anew.
// Invariant: what was handed out is never changed. It says nothing of statistics or boosts, so it stays true as long as
// the segment is there.
import { NO_MORE_DOCS, type Postings } from '../index/segment.ts';
import { type Scorer, STEPS_PER_YIELD } from '../matching/scorer.ts';
import { objectNumber } from '../rows/object-number.ts';
import { RowMemory } from '../rows/row-memory.ts';
import type { FieldTerms } from '../terms/field-terms.ts';

export interface WordRows {
  /** Ascending. */
  readonly rows: Int32Array;
  /** By place in `rows`: which kind of row it is. Rows of a kind score alike; there are few. */
  readonly kinds: Uint16Array;
  /** By kind: how often the word or phrase stands there, and the norm byte. */
  readonly freqs: readonly number[];
  readonly norms: readonly number[];
  /** By kind: how many rows. */
  readonly counts: readonly number[];
}

/** With fewer rows there is little to gain: postings have them in a block. */
const ROWS_MIN = 129;
const KINDS_MAX = 2 ** 16;
/**
 * A page of a phrase looks at a few rows and keeping it at all, so it must be wanted once more for every so many: then what
 * it takes to find them is spread over as many searches.
 */
const PHRASE_ROWS_PER_TIME = 2048;

/** By field, and the ordinals of the words; null: too many kinds. */
const kept = new RowMemory<WordRows | null>('w');

/** The rows of a word of a field of words; null where postings serve better. */
export function* wordRows(field: FieldTerms, ord: number): Generator<void, WordRows | null> {
  const rowCount = field.docFreq(ord);
  if (rowCount < ROWS_MIN) return null;
  const place = { key: `${objectNumber(field)} ${ord}`, rowsMax: rowCount, times: 1 };
  return yield* keptRows(place, (into) => fromPostings(field, ord, into));
}

/** The rows of an exact phrase; null where they are better looked for. */
export function* phraseRows(
  field: FieldTerms,
  ords: readonly number[],
  make: () => Scorer & { freq(): number },
): Generator<void, WordRows | null> {
  const rowsMax = Math.min(...ords.map((ord) => field.docFreq(ord)));
  if (rowsMax < ROWS_MIN) return null;
  const times = 1 + Math.floor(rowsMax / PHRASE_ROWS_PER_TIME);
  const place = { key: `${objectNumber(field)} ${ords.join(' ')}`, rowsMax, times };
  return yield* keptRows(place, (into) => fromScorer(field, make(), into));
}

function* keptRows(
  { key, rowsMax, times }: { key: string; rowsMax: number; times: number },
  find: (into: Collected) => Generator<void>,
): Generator<void, WordRows | null> {
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (!kept.takes(bytesOf(rowsMax)) || !kept.wantsAgain(key, times)) return null;
  const found = new Collected(rowsMax);
  yield* find(found);
  const rows = found.finish();
  kept.add(key, rows, rows === null ? 0 : bytesOf(rows.rows.length));
  return rows;
}

function bytesOf(rowCount: number): number {
  return rowCount * (Int32Array.BYTES_PER_ELEMENT + Uint16Array.BYTES_PER_ELEMENT);
}

/** Rows taken at a time, and their frequencies; of no meaning when others have had their turn. */
const ROWS = new Int32Array(128);
const FREQS = new Int32Array(128);

function* fromPostings(field: FieldTerms, ord: number, into: Collected): Generator<void> {
  const norms = field.norms as Uint8Array;
  const postings = field.postings(ord) as Postings;
  postings.nextDoc();
  let looked = 0;
  for (;;) {
    const count = postings.take(NO_MORE_DOCS, ROWS, FREQS);
    if (count === 0) return;
    for (let i = 0; i < count; i++) into.add(ROWS[i]!, FREQS[i]!, norms[ROWS[i]!]!);
    looked += count;
    if (looked < STEPS_PER_YIELD) continue;
    looked = 0;
    yield;
  }
}

function* fromScorer(
  field: FieldTerms,
  scorer: Scorer & { freq(): number },
  into: Collected,
): Generator<void> {
  const norms = field.norms as Uint8Array;
  let looked = 0;
  for (let row = scorer.nextDoc(); row !== NO_MORE_DOCS; row = scorer.nextDoc()) {
    if (scorer.matches()) into.add(row, scorer.freq(), norms[row]!);
    looked += 1;
    if (looked % (STEPS_PER_YIELD / 16) === 0) yield;
  }
}

class Collected {
  readonly #rows: Int32Array;
  readonly #kinds: Uint16Array;
  readonly #freqs: number[] = [];
  readonly #norms: number[] = [];
  readonly #counts: number[] = [];
  /** By frequency and norm. */
  readonly #known = new Map<number, number>();
  #count = 0;

  constructor(rowsMax: number) {
    this.#rows = new Int32Array(rowsMax);
    this.#kinds = new Uint16Array(rowsMax);
  }

  add(row: number, freq: number, norm: number): void {
    const pair = freq * 256 + norm;
    let kind = this.#known.get(pair);
    if (kind === undefined) {
      kind = this.#freqs.length;
      this.#known.set(pair, kind);
      this.#freqs.push(freq);
      this.#norms.push(norm);
      this.#counts.push(0);
    }
    this.#counts[kind]! += 1;
    this.#rows[this.#count] = row;
    this.#kinds[this.#count] = kind;
    this.#count += 1;
  }

  finish(): WordRows | null {
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
