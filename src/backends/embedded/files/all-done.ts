/**
 * Waits for all promises, even if one rejects; when it throws, no work is running any more.
 * @throws the reason of the first rejected promise in the list
 */
export async function allDone<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
