// Merge sort that yields, for long lists: sorts short runs and merges them pairwise.

const RUN = 1024;

/** A sorted copy; elements that compare equal keep their order. */
export function* sortInSteps<T>(
  list: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, readonly T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < list.length; from += RUN) {
    runs.push(list.slice(from, from + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* merge(runs[at]!, runs[at + 1] ?? [], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, T[]> {
  const merged: T[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const takeRight = l === left.length || (r < right.length && compare(right[r]!, left[l]!) < 0);
    merged.push(takeRight ? right[r++]! : left[l++]!);
    if (merged.length % RUN === 0) yield;
  }
  return merged;
}
