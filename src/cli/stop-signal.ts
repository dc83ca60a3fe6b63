// Ctrl-C and SIGTERM: the first asks the work to end well, the second ends the process at once.
// A terminal and a process manager may both pass on one key stroke, so signals that come together count as one.

/** Signals this close belong to one request to stop. */
const TOGETHER_MS = 500;
/** What a shell reports for a process that SIGINT ended: 128 + 2. */
export const INTERRUPTED = 130;

/** Thrown out of work that was asked to end. */
export class Interrupted extends Error {}

/** Where signals come from; `process` itself, or a test's emitter. */
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

  /** Resolves when a stop is asked for. */
  wait(): Promise<void> {
    const { signal } = this.#controller;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** @throws Interrupted once a stop is asked for */
  check(): void {
    if (this.stopping) throw new Interrupted('Stopped on request.');
  }

  /** Signals have their usual effect again. */
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
