// The meaning of `now` in one request. It records whether a date of the request depends on it: then
// the plan of the request is valid at this moment only.

export class RequestTime {
  readonly #now: number;
  #wasRead = false;

  /** @param now epoch milliseconds */
  constructor(now: number) {
    this.#now = now;
  }

  /** Epoch milliseconds, the same throughout the request. */
  read(): number {
    this.#wasRead = true;
    return this.#now;
  }

  get wasRead(): boolean {
    return this.#wasRead;
  }
}
