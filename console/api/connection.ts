// Whether the service can be reached. While it cannot, it is asked again and again, ever less often, and pages that
// failed for it load once more when it is back: nobody has to press anything.
import { Cell } from './cell.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;

/** Whether the last thing heard of the service was an answer. */
export const reachable = new Cell(true);
/** How often the service has come back; a number that changes tells pages to load again. */
export const returns = new Cell(0);

/** The address of the service: the folder above the console. */
export const SERVICE = new URL('../', document.baseURI);

/** To be told when a call got no answer. */
export function lost(): void {
  if (!reachable.get()) return;
  reachable.set(false);
  askAgain(FIRST_WAIT_MS);
}

function askAgain(waitMs: number): void {
  setTimeout(async () => {
    if (await isReady()) {
      reachable.set(true);
      returns.set(returns.get() + 1);
    } else {
      askAgain(Math.min(waitMs * 1.5, LONGEST_WAIT_MS));
    }
  }, waitMs);
}

async function isReady(): Promise<boolean> {
  try {
    const answer = await fetch(new URL('ready', SERVICE), { cache: 'no-store' });
    await answer.text();
    return answer.ok;
  } catch {
    // That is the answer: it cannot be reached.
    return false;
  }
}
