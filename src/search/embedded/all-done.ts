/**
 * Waits for all, also where one fails: when it throws, nothing is under way any more.
 * @throws what the first of them that failed threw
 */
export async function allDone<T>(work: Iterable<Promise<T>>): Promise<T[]> {
  const results = await Promise.allSettled(work);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
