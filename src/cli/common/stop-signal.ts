// Ctrl-C and SIGTERM: the first signal stops the work gracefully, the second ends the process at
// once. A terminal and a process manager may both forward one key stroke, so signals in quick
// succession count as one.

/** Signals within this time count as one. */
const TOGETHER_MS = 500;
/** Exit code of shells for a process ended by SIGINT: 128 + 2. */
export const INTERRUPTED = 130;

/** Thrown by work that is stopped. */
export class Interrupted extends Error {}

/** Source of signals: `process`, or an emitter of a test. */
export interface SignalSource {
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  off(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

export class StopSignal {
  readonly #controller = new AbortController();
  readonly #source: SignalSource;
  readonly #now: () => number;
  readonly #exit: (code: number) => void;
  #first: number | null = null;
  readonly #listener = (): void => this.#received();

  /** @param exit ends the process at once */
  constructor(source: SignalSource, now: () => number, exit: (code: number) => void) {
    this.#source = source;
    this.#now = now;
    this.#exit = exit;
    source.on('SIGINT', this.#listener);
    source.on('SIGTERM', this.#listener);
  }

  get stopping(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Aborts when a stop is requested. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves when a stop is requested. */
  wait(): Promise<void> {
    const { signal } = this.#controller;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** @throws Interrupted once a stop is requested */
  check(): void {
    if (this.stopping) throw new Interrupted('Stopped on request.');
  }

  /** Restores the usual effect of signals. */
  dispose(): void {
    this.#source.off('SIGINT', this.#listener);
    this.#source.off('SIGTERM', this.#listener);
  }

  #received(): void {
    const now = this.#now();
    if (this.#first === null) {
      this.#first = now;
      this.#controller.abort();
    } else if (now - this.#first > TOGETHER_MS) {
      this.#exit(INTERRUPTED);
    }
  }
}
