// Converts generated values to the lines of an import, so that they are validated like those of a
// file.
import type { StopSignal } from './stop-signal.ts';

/** Yields one JSON text per value. @throws Interrupted once a stop is requested */
export async function* valueLines(
  values: Iterable<unknown>,
  stop: StopSignal,
): AsyncGenerator<{ line: number; text: string }> {
  let line = 0;
  for (const value of values) {
    stop.check();
    line += 1;
    yield { line, text: JSON.stringify(value) };
  }
}
