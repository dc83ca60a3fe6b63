// A queue of one: asynchronous work that must not overlap runs in the order it was asked for.

/** Runs pieces of work one after the other; a failed one does not stop the next. */
export class Exclusive {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Settles when everything asked for so far is over. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
