// The id of a request in the log and in its response (`trackingId`, `SLPT-Request-ID`).
// Invariant: 32 lower-case hexadecimal digits, random, never taken from the client.
import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
/** Ids whose random bytes are drawn at once: one draw for each would be felt in a small answer. */
const IDS_DRAWN = 256;

/** Makes tracking ids. */
export class TrackingIds {
  readonly #random = Buffer.allocUnsafeSlow(ID_BYTES * IDS_DRAWN);
  #next = IDS_DRAWN;

  /** Returns a new tracking id. */
  next(): string {
    if (this.#next === IDS_DRAWN) {
      randomFillSync(this.#random);
      this.#next = 0;
    }
    const start = this.#next * ID_BYTES;
    this.#next += 1;
    return this.#random.toString('hex', start, start + ID_BYTES);
  }
}
