// Waiting for what must come true: asked again and again until a deadline that is generous, since machines are slow.
import { setTimeout as pause } from 'node:timers/promises';

const DEADLINE_MS = 240_000;
const AGAIN_MS = 25;

/** @throws Error that names what did not come true */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  for (const end = performance.now() + DEADLINE_MS; performance.now() < end; ) {
    if (await holds()) return;
    await pause(AGAIN_MS);
  }
  throw new Error(`It never came true that ${what}`);
}
