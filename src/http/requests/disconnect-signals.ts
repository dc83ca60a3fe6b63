// Aborts work when the connection of its client closes.
// Invariant: a signal is used by one piece of work at a time, and never again once it has aborted.
import type { ServerResponse } from 'node:http';
import { clientGone } from './client-gone.ts';

export class DisconnectSignals {
  /** Controllers for reuse: creating one costs as much as a third of a small request. */
  readonly #free: AbortController[] = [];

  /**
   * Runs `work` with a signal that aborts when the connection of `response` closes. `work` must
   * remove the listeners that it adds to the signal.
   * @throws ServiceError `cancelled` if the connection has already closed
   */
  async run<T>(response: ServerResponse, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    // A closed response emits no more events, so nothing would abort the work.
    if (response.destroyed) throw clientGone();
    const controller = this.#free.pop() ?? new AbortController();
    const abort = () => controller.abort();
    response.on('close', abort);
    try {
      return await work(controller.signal);
    } finally {
      response.off('close', abort);
      if (!controller.signal.aborted) this.#free.push(controller);
    }
  }
}
