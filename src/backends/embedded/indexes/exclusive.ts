// Runs asynchronous work that must not overlap, in the order of the calls.

/** Runs pieces of work one after the other; a rejected one does not stop the next. */
export class Exclusive {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Settles when all work so far has settled. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
