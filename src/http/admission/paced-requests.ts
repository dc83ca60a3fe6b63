// Spreads a burst of requests over turns of the event loop. Node emits all requests that have
// arrived in one turn, and a few hundred of them block the event loop for too long. Requests that
// arrive after a turn has run for BUDGET_MS wait for a later turn.
// Invariant: requests are passed on in the order of arrival.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type LoopTurns, TurnBudget } from './loop-turns.ts';

/** Milliseconds after which a turn starts no further requests. */
const BUDGET_MS = 5;

/**
 * Wraps a listener so that one turn of the event loop starts only as many requests as fit into it.
 */
export function paceRequests(listener: RequestListener, turns?: LoopTurns): RequestListener {
  const budget = new TurnBudget(BUDGET_MS, turns);
  let waiting = 0;
  const attempt = (request: IncomingMessage, response: ServerResponse) => {
    if (!budget.hasTime()) {
      budget.defer(() => attempt(request, response));
      return;
    }
    waiting--;
    if (!response.destroyed) listener(request, response);
  };
  return (request, response) => {
    if (waiting === 0 && budget.hasTime()) {
      listener(request, response);
      return;
    }
    waiting++;
    budget.defer(() => attempt(request, response));
  };
}
