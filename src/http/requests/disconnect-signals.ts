// Tells work to stop when the connection of its client closes.
// Invariant: a signal is lent for as long as the work runs, and one that has aborted is never lent again.
import type { ServerResponse } from 'node:http';
import { clientGone } from './client-gone.ts';

export class DisconnectSignals {
  /** Signals to lend again: making one costs as much as a third of a small request. */
  readonly #free: AbortController[] = [];

  /**
   * Runs `work` with a signal that aborts when the connection of `response` closes meanwhile; a listener that work puts on
   * the signal it takes off again.
   * @throws ServiceError `cancelled` if the connection has closed already
   */
  async run<T>(response: ServerResponse, work: (gone: AbortSignal) => Promise<T>): Promise<T> {
    // No more events come from it: nothing would tell the work to stop.
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
