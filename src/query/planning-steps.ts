// Planning in steps: a request may hold a megabyte of clauses, and reading them at once would hold the event loop. Steps
// end between the parts of a request and between the indexes it is planned for.

/** Work that yields between its steps. */
export type Steps<T> = Generator<void, T>;

/** Runs all steps at once. */
export function allSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Work that is done in one step. */
// biome-ignore lint/correctness/useYield: there is nothing between its beginning and its end
export function* oneStep<T>(work: () => T): Steps<T> {
  return work();
}
