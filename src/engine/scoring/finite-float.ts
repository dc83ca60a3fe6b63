// Rounds scores to floats, as Lucene computes with them.

const MAX_FLOAT = 3.4028234663852886e38;

/**
 * The nearest float; the largest one instead of infinity, as the products of large boosts would
 * otherwise make scores that are not numbers.
 */
export function finiteFloat(value: number): number {
  return Math.min(Math.fround(value), MAX_FLOAT);
}
