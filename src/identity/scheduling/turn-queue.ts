// Gives pieces of work of a few milliseconds separate turns of the event loop: each waits for
// `next` first. A hundred concurrent requests thus block the event loop no longer than one does.
// Invariant: turns are granted in the order of the calls.

export class TurnQueue {
  readonly #defer: (turn: () => void) => void;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** @param defer calls back on a later turn of the event loop; tests pass their own */
  constructor(defer: (turn: () => void) => void = (turn) => void setImmediate(turn)) {
    this.#defer = defer;
  }

  /** Resolves in a turn of its own: at once if this turn is still free. */
  next(): Promise<void> {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#take();
    return Promise.resolve();
  }

  #take(): void {
    this.#isTaken = true;
    this.#defer(() => {
      this.#isTaken = false;
      const resolve = this.#waiting.shift();
      if (resolve === undefined) return;
      this.#take();
      resolve();
    });
  }
}
