// Spreads a burst of requests over turns of the event loop. Node emits all requests that have
// arrived in one turn, and a few hundred of them block the event loop for too long. Requests that
// arrive after a turn has run for BUDGET_MS wait for a later turn.
// Invariant: requests are passed on in the order of arrival.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** Milliseconds after which a turn starts no further requests. */
const BUDGET_MS = 5;

/** The clock and the event loop; tests replace it. */
export interface LoopTurns {
  now(): number;
  /** Calls `callback` in the next turn, in the order of the calls. */
  defer(callback: () => void): void;
}

const LOOP_TURNS: LoopTurns = {
  now: () => performance.now(),
  defer: (callback) => void setImmediate(callback),
};

/**
 * Wraps a listener so that one turn of the event loop starts only as many requests as fit into it.
 */
export function paceRequests(
  listener: RequestListener,
  turns: LoopTurns = LOOP_TURNS,
): RequestListener {
  /** When the first request of this turn arrived; null: none has. */
  let began: number | null = null;
  let waiting = 0;
  const hasTime = () => {
    const now = turns.now();
    if (began === null) {
      began = now;
      turns.defer(() => {
        began = null;
      });
    }
    return now - began < BUDGET_MS;
  };
  const attempt = (request: IncomingMessage, response: ServerResponse) => {
    if (!hasTime()) {
      turns.defer(() => attempt(request, response));
      return;
    }
    waiting--;
    if (!response.destroyed) listener(request, response);
  };
  return (request, response) => {
    if (waiting === 0 && hasTime()) {
      listener(request, response);
      return;
    }
    waiting++;
    turns.defer(() => attempt(request, response));
  };
}
