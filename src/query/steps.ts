// Work in steps, as generators that yield between them: a request may hold a megabyte of clauses or
// match a million rows, and doing all of it at once would block the event loop.

/** Work that yields between its steps. */
export type Steps<T> = Generator<void, T>;

/** Runs all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Work that is done in one step. */
// biome-ignore lint/correctness/useYield: the only step ends with the result
export function* oneStep<T>(work: () => T): Steps<T> {
  return work();
}
