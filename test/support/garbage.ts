// Collects garbage, for tests of what must outlive it.
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Turns of the event loop: what a weak reference has given is kept until the end of its turn. */
const TURNS = 3;

export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let n = 0; n < TURNS; n++) {
    await turn();
    collect();
  }
}
