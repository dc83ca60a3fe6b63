// Counts how often others can run while something runs.

/** The number of turns of the event loop that pass during `work`. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  try {
    await work();
    return turns;
  } finally {
    clearImmediate(next);
  }
}
