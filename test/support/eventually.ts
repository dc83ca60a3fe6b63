// Waits for a condition that another node, process or page makes true.
import assert from 'node:assert/strict';

const EVENTUALLY_MS_MAX = 180_000;
const PAUSE_MS = 20;

/**
 * Retries until `check` no longer throws.
 * @throws the last error of `check` after three minutes
 */
export async function eventually(check: () => unknown): Promise<void> {
  for (const end = performance.now() + EVENTUALLY_MS_MAX; ; ) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/**
 * Reads until the value is the expected one.
 * @throws AssertionError with the last value after three minutes
 */
export function untilReads<T>(read: () => Promise<T>, expected: NoInfer<T>): Promise<void> {
  return eventually(async () => assert.deepEqual(await read(), expected));
}
