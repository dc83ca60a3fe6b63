// Values made in this process as the lines of an import, so that they are judged as those of a file are.
import type { StopSignal } from './stop-signal.ts';

/** One JSON text a value; ends where the process is to stop. */
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
