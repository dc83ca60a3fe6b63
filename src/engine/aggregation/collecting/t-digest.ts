// Percentiles. Up to EXACT_MAX values they are exact values of the set, as in OpenSearch while its
// digest keeps each value in its own centroid. Beyond that they come from the merging t-digest of
// Dunning and Ertl ("Computing Extremely Accurate Quantiles Using t-Digests"; scale function K_2,
// two-level compression, weight limit as in its version 3.3): approximate, and slightly dependent
// on the order of values. Through a view that order must not matter: there they are exact, or refused.
// Invariant: centroids ascend; the first and the last one have a single value each.

/** Maximum number of values that are stored exactly, unless a digest is made for more. */
const EXACT_MAX = 8192;
/** The compression that OpenSearch uses. */
const COMPRESSION = 100;
/** Maximum number of centroids: twice the compression, with some reserve. */
const SIZE = 2 * COMPRESSION + 10;
/** Maximum number of values that wait for a merge. */
const BUFFER = 5 * SIZE;
/**
 * A value that occurs very often is added in this many pieces: far more than there are centroids.
 */
const PIECES = 8192;
/** The internal compression, finer than COMPRESSION by sqrt(buffer / size - 1). */
const FINE_COMPRESSION = Math.sqrt(Math.floor(BUFFER / SIZE) - 1) * COMPRESSION;

interface Centroid {
  readonly mean: number;
  readonly weight: number;
}

export class TDigest {
  /** The exact values; null once there are too many. */
  #values: number[] | null = [];
  /** The exact values, ascending; null if one was added since they were sorted. */
  #sorted: Float64Array | null = null;
  readonly #exactMax: number;
  #centroids: Centroid[] = [];
  #pending: Centroid[] = [];
  #merges = 0;
  #weight = 0;

  /** @param exactMax the number of values up to which percentiles are exact */
  constructor(exactMax = EXACT_MAX) {
    this.#exactMax = exactMax;
  }

  add(value: number): void {
    if (this.#values === null) {
      this.#addCentroid(value, 1);
      return;
    }
    this.#values.push(value);
    this.#sorted = null;
    if (this.#values.length > this.#exactMax) this.#switchToCentroids();
  }

  /**
   * Adds a value `times` times; very large counts are added in a few heavier pieces to bound the
   * time.
   */
  addTimes(value: number, times: number): void {
    const piece = Math.max(1, Math.floor(times / PIECES));
    let left = times;
    for (; left > 0 && this.#values !== null; left--) this.add(value);
    for (; left > 0; left -= piece) this.#addCentroid(value, Math.min(piece, left));
  }

  addAll(other: TDigest): void {
    for (const value of other.#values ?? []) this.add(value);
    if (other.#values !== null) return;
    this.#switchToCentroids();
    for (const { mean, weight } of other.#centroids) this.#addCentroid(mean, weight);
    for (const { mean, weight } of other.#pending) this.#addCentroid(mean, weight);
  }

  /**
   * @param q from 0 to 1
   * @returns NaN if there is no value
   */
  quantile(q: number): number {
    const values = this.#values;
    if (values === null) {
      this.#merge();
      return quantileOf(this.#centroids, q, this.#weight);
    }
    this.#sorted ??= Float64Array.from(values).sort();
    const sorted = this.#sorted;
    return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
  }

  #switchToCentroids(): void {
    const values = this.#values ?? [];
    this.#values = null;
    for (const value of values) this.#addCentroid(value, 1);
  }

  #addCentroid(mean: number, weight: number): void {
    if (this.#pending.length >= BUFFER - this.#centroids.length - 1) this.#merge();
    this.#pending.push({ mean, weight });
  }

  #merge(): void {
    if (this.#pending.length === 0) return;
    const incoming = [...this.#pending, ...this.#centroids].sort((a, b) => a.mean - b.mean);
    for (const { weight } of this.#pending) this.#weight += weight;
    this.#pending = [];
    // Every other merge runs backwards, against a bias from left to right.
    const backwards = this.#merges % 2 === 1;
    this.#merges += 1;
    if (backwards) incoming.reverse();
    const merged = compressed(incoming, this.#weight);
    this.#centroids = backwards ? merged.reverse() : merged;
  }
}

function compressed(incoming: readonly Centroid[], total: number): Centroid[] {
  const normalizer = FINE_COMPRESSION / (4 * Math.log(total / FINE_COMPRESSION) + 24);
  const limit = (weight: number): number => {
    const q = weight / total;
    return (q * (1 - q)) / normalizer;
  };
  const merged: Centroid[] = [];
  let { mean, weight } = incoming[0]!;
  let before = 0;
  for (let i = 1; i < incoming.length; i++) {
    const next = incoming[i]!;
    const proposed = weight + next.weight;
    const fits = proposed <= total * Math.min(limit(before), limit(before + proposed));
    if (fits && i !== 1 && i !== incoming.length - 1) {
      weight = proposed;
      mean += ((next.mean - mean) * next.weight) / weight;
      continue;
    }
    before += weight;
    merged.push({ mean, weight });
    ({ mean, weight } = next);
  }
  merged.push({ mean, weight });
  return merged;
}

/**
 * Interpolates between centroids; a centroid of a single value extends half a step to both sides.
 */
function quantileOf(centroids: readonly Centroid[], q: number, total: number): number {
  const index = q * total;
  const last = centroids.at(-1)?.mean ?? Number.NaN;
  if (index < 1) return centroids[0]?.mean ?? Number.NaN;
  if (index > total - 1) return last;
  let before = (centroids[0]?.weight ?? 0) / 2;
  for (let i = 0; i < centroids.length - 1; i++) {
    const left = centroids[i]!;
    const right = centroids[i + 1]!;
    const step = (left.weight + right.weight) / 2;
    if (before + step > index) {
      const leftUnit = left.weight === 1 ? 0.5 : 0;
      if (leftUnit > 0 && index - before < 0.5) return left.mean;
      const rightUnit = right.weight === 1 ? 0.5 : 0;
      if (rightUnit > 0 && before + step - index <= 0.5) return right.mean;
      const fromLeft = index - before - leftUnit;
      const fromRight = before + step - index - rightUnit;
      const mean = (left.mean * fromRight + right.mean * fromLeft) / (fromLeft + fromRight);
      return Math.max(left.mean, Math.min(mean, right.mean));
    }
    before += step;
  }
  return last;
}
