// What stands before a search: no more than so many run at once, and one whose client goes away is told to stop. And what
// stands before a change, which is let in before its body is read. Under overload the ones too many are turned away
// early, so those inside end in time and memory stays bounded.
// Invariant: a signal is lent for as long as the work runs, and one that has aborted is never lent again.
import type { ServerResponse } from 'node:http';
import { ServiceError } from '../errors.ts';
import { clientGone } from './client-gone.ts';

const RETRY_AFTER_SECONDS = 1;

/** A counter with a ceiling, and the signals of those inside. */
export class Gate {
  readonly #most: number;
  /** Signals to lend again: making one costs as much as a third of a small request. */
  readonly #free: AbortController[] = [];
  #inside = 0;

  /** @param most how many may be inside at once */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * For whoever would read a body first.
   * @throws ServiceError `unavailable` if there is no room at this moment
   */
  check(): void {
    if (this.#inside < this.#most) return;
    throw new ServiceError('unavailable', 'Too many searches are running.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /**
   * Runs `work` if there is room. Its signal aborts when the connection of `response` closes meanwhile; a listener
   * that work puts on the signal it takes off again.
   * @throws ServiceError `unavailable` if there is no room, `cancelled` if the connection has closed already
   */
  async pass<T>(response: ServerResponse, work: (gone: AbortSignal) => Promise<T>): Promise<T> {
    this.check();
    // No more events come from it: nothing would tell the work to stop.
    if (response.destroyed) throw clientGone();
    this.#inside++;
    const controller = this.#free.pop() ?? new AbortController();
    const abort = () => controller.abort();
    response.on('close', abort);
    try {
      return await work(controller.signal);
    } finally {
      this.#inside--;
      response.off('close', abort);
      if (!controller.signal.aborted) this.#free.push(controller);
    }
  }
}

/** A ceiling for requests that are inside from before their bodies are read until they have been answered. */
export class RequestCeiling {
  readonly #most: number;
  #inside = 0;

  /** @param most how many may be inside at once */
  constructor(most: number) {
    this.#most = most;
  }

  /** @throws ServiceError `unavailable` if there is no room */
  enter(response: ServerResponse): void {
    if (this.#inside >= this.#most) {
      throw new ServiceError('unavailable', 'Too many changes are under way.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.#inside++;
    let inside = true;
    const leave = () => {
      if (inside) this.#inside--;
      inside = false;
    };
    response.once('finish', leave).once('close', leave);
  }
}
