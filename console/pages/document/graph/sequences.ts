// What a layout computes of sequences of numbers: their mean, how far they are from being sorted, and
// the nearest sequence that is.

/**
 * The non-decreasing values with the least sum of squared distances to the given ones: the
 * pool-adjacent-violators algorithm (Ayer and others, 1955).
 */
export function isotonic(values: readonly number[]): number[] {
  const pools: { sum: number; count: number }[] = [];
  for (const value of values) {
    let pool = { sum: value, count: 1 };
    for (;;) {
      const last = pools.at(-1);
      if (last === undefined || last.sum / last.count <= pool.sum / pool.count) break;
      pool = { sum: pool.sum + last.sum, count: pool.count + last.count };
      pools.pop();
    }
    pools.push(pool);
  }
  return pools.flatMap(({ sum, count }) => Array<number>(count).fill(sum / count));
}

/** The mean; `none` of no values. */
export function mean(values: readonly number[], none = 0): number {
  if (values.length === 0) return none;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The number of pairs that are in the wrong order, counted while they are merged in order. */
export function inversionsOf(values: readonly number[]): number {
  return sorted(values).inversions;
}

function sorted(values: readonly number[]): { values: readonly number[]; inversions: number } {
  if (values.length < 2) return { values, inversions: 0 };
  const half = values.length >> 1;
  const left = sorted(values.slice(0, half));
  const right = sorted(values.slice(half));
  const merged: number[] = [];
  let inversions = left.inversions + right.inversions;
  let [l, r] = [0, 0];
  while (l < left.values.length || r < right.values.length) {
    const [one, other] = [left.values[l], right.values[r]];
    if (other === undefined || (one !== undefined && one <= other)) {
      merged.push(one ?? 0);
      l += 1;
    } else {
      merged.push(other);
      inversions += left.values.length - l;
      r += 1;
    }
  }
  return { values: merged, inversions };
}
