// Upper bound of the score of a word in a segment (Lucene's impacts): the pairs of frequency and
// length that no other pair beats in both. They do not depend on statistics or boosts, so they stay
// valid as long as the segment exists. Some row reaches the bound, unlike `idf * boost`.
import { NO_MORE_DOCS, type Postings } from '../index/segment.ts';
import type { FieldTerms, Impacts } from '../terms/field-terms.ts';
import { ROWS_PER_SAMPLE, type ValueSamples } from '../terms/value-samples.ts';
import { type Bm25, NORM_ONE } from './bm25.ts';

/** Greater frequencies count as unbounded. */
const FREQ_MAX = 255;
const NORM_MAX = 255;
/** Number of rows processed before the generator yields. */
const ROWS_PER_YIELD = 16 * 1024;
/** Number of rows advanced to before it yields. */
const SAMPLES_PER_YIELD = 1024;

/** The impacts of a term that occurs once in rows without a length (whole values). */
export const ONE_OCCURRENCE: Impacts = { pairs: [1, NORM_ONE], isUniform: true };

/** The impacts of a term in a field of words. */
export function* impactsOf(field: FieldTerms, ord: number): Generator<void, Impacts> {
  const cached = field.impacts.get(ord);
  if (cached !== undefined) return cached;
  const { norms } = field;
  const postings = field.postings(ord);
  if (norms === null || postings === null) throw new TypeError('Not a field of words');
  const samples = yield* samplesFor(field, postings.cost);
  const collector = new ImpactsCollector();
  if (samples === null) yield* collectAll(postings, norms, collector);
  else yield* collectSampled(postings, norms, samples, collector);
  const impacts = collector.finish();
  field.impacts.add(ord, impacts, impacts.pairs.length);
  return impacts;
}

/** A row of each value of the field, if these are far fewer than `rowCount` rows; else null. */
export function* samplesFor(
  field: FieldTerms,
  rowCount: number,
): Generator<void, ValueSamples | null> {
  if (rowCount < ROWS_PER_SAMPLE) return null;
  const samples = yield* field.samples();
  return samples !== null && samples.rows.length * ROWS_PER_SAMPLE <= rowCount ? samples : null;
}

/** The best score of all pairs. */
export function bestScore({ pairs }: Impacts, similarity: Bm25): number {
  let best = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    best = Math.max(best, similarity.score(pairs[i]!, pairs[i + 1]!));
  }
  return best;
}

/** Collects pairs of frequency and norm byte. */
export class ImpactsCollector {
  /** By frequency, the shortest norm. */
  readonly #shortest = new Int16Array(FREQ_MAX + 1).fill(NORM_MAX + 1);
  #freq = 0;
  #norm = 0;
  #isUniform = true;

  /** @param freq may be a fraction, of a phrase with slop */
  add(freq: number, norm: number): void {
    if (this.#freq === 0) {
      this.#freq = freq;
      this.#norm = norm;
    } else if (freq !== this.#freq || norm !== this.#norm) this.#isUniform = false;
    const bounded = Math.min(Math.ceil(freq), FREQ_MAX);
    if (norm < this.#shortest[bounded]!) this.#shortest[bounded] = norm;
  }

  /** Keeps, from the greatest frequency down, each pair that is shorter than all before it. */
  finish(): Impacts {
    if (this.#isUniform && this.#freq > 0) {
      return { pairs: [this.#freq, this.#norm], isUniform: true };
    }
    const pairs: number[] = [];
    let least = NORM_MAX + 1;
    for (let freq = FREQ_MAX; freq > 0; freq--) {
      if (this.#shortest[freq]! >= least) continue;
      least = this.#shortest[freq]!;
      pairs.push(freq === FREQ_MAX ? Number.POSITIVE_INFINITY : freq, least);
    }
    return { pairs, isUniform: false };
  }
}

function* collectAll(
  postings: Postings,
  norms: Uint8Array,
  into: ImpactsCollector,
): Generator<void> {
  const rows = new Int32Array(128);
  const freqs = new Int32Array(128);
  postings.nextDoc();
  let rowCount = 0;
  for (;;) {
    const count = postings.take(NO_MORE_DOCS, rows, freqs);
    if (count === 0) return;
    for (let i = 0; i < count; i++) into.add(freqs[i]!, norms[rows[i]!]!);
    rowCount += count;
    if (rowCount < ROWS_PER_YIELD) continue;
    rowCount = 0;
    yield;
  }
}

function* collectSampled(
  postings: Postings,
  norms: Uint8Array,
  { rows }: ValueSamples,
  into: ImpactsCollector,
): Generator<void> {
  let at = -1;
  for (let i = 0; i < rows.length && at !== NO_MORE_DOCS; i++) {
    const row = rows[i]!;
    if (at < row) at = postings.advance(row);
    if (at === row) into.add(postings.freq(), norms[row]!);
    if (i % SAMPLES_PER_YIELD === SAMPLES_PER_YIELD - 1) yield;
  }
}
