// Spreads a burst of requests over turns of the event loop. Node hands over all requests that have arrived in one turn: some
// hundreds of them, with bodies to parse and refusals to write, hold the event loop for longer than is promised. Requests that
// come when a turn has taken BUDGET_MS wait for a later one.
// Invariant: requests are handed on in the order in which they came.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** Milliseconds after which a turn takes no further requests. */
const BUDGET_MS = 5;

/** A clock and a way to the next turn; tests give their own. */
export interface LoopTurns {
  now(): number;
  /** Calls back in the next turn, in the order of the calls. */
  defer(callback: () => void): void;
}

const LOOP_TURNS: LoopTurns = {
  now: () => performance.now(),
  defer: (callback) => void setImmediate(callback),
};

/** A listener that is given as many requests in one turn as there is time for. */
export function paced(listener: RequestListener, turns: LoopTurns = LOOP_TURNS): RequestListener {
  /** When the turn's first request came; null: none has come. */
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
