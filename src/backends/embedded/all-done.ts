/**
 * Waits for all, also where one fails: when it throws, nothing is under way any more.
 * @throws what the first of them that failed threw
 */
export async function allDone<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
