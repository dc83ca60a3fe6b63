// Spreads a burst of requests over turns of the event loop. Node emits all requests that have
// arrived in one turn, and a few hundred of them block the event loop for too long. Requests that
// arrive after a turn has run for BUDGET_MS wait for a later turn.
// Invariant: requests are passed on in the order of arrival.
import type { RequestListener } from 'node:http';
import { type LoopTurns, TurnQueue } from '../../scheduling/turn-queue.ts';

/** Milliseconds after which a turn starts no further requests. */
const BUDGET_MS = 5;

/**
 * Wraps a listener so that one turn of the event loop starts only as many requests as fit into it.
 */
export function paceRequests(listener: RequestListener, turns?: LoopTurns): RequestListener {
  const queue = new TurnQueue(BUDGET_MS, turns);
  return (request, response) => {
    queue.enter(() => {
      if (!response.destroyed) listener(request, response);
    });
  };
}
