// Shares the turns of the event loop among work that comes in promises: whoever has a piece of work that takes some
// milliseconds waits for a turn first, and gets one in which nobody else of this queue works. So a hundred requests at
// once hold the event loop no longer than one.
// Invariant: turns are given in the order in which they were asked for.

export class TurnQueue {
  readonly #defer: (turn: () => void) => void;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** @param defer calls back on a later turn of the event loop; tests give their own */
  constructor(defer: (turn: () => void) => void = (turn) => void setImmediate(turn)) {
    this.#defer = defer;
  }

  /** Resolves in a turn of its own: at once where this turn has not been given to anybody. */
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
