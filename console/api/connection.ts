// Tracks whether the service can be reached. While it cannot, `/ready` is polled with increasing
// delays; once it answers, the pages that failed load again by themselves.
import { Cell } from '../model/cell.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;

/** False from the first request without an answer until the service is ready again. */
export const reachable = new Cell(true);
/** Counts reconnections. Pages that failed load again when it changes. */
export const reconnections = new Cell(0);

/** The address of the service: the folder above the console. */
export const SERVICE = new URL('../', document.baseURI);

/** Marks the service as unreachable and starts the checks for its return. */
export function markUnreachable(): void {
  if (!reachable.get()) return;
  reachable.set(false);
  scheduleCheck(FIRST_WAIT_MS);
}

function scheduleCheck(waitMs: number): void {
  setTimeout(async () => {
    if (await isReady()) {
      reachable.set(true);
      reconnections.set(reconnections.get() + 1);
    } else {
      scheduleCheck(Math.min(waitMs * 1.5, LONGEST_WAIT_MS));
    }
  }, waitMs);
}

async function isReady(): Promise<boolean> {
  try {
    const answer = await fetch(new URL('ready', SERVICE), { cache: 'no-store' });
    await answer.text();
    return answer.ok;
  } catch {
    // Still unreachable.
    return false;
  }
}
