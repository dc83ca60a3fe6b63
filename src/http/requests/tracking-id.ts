// The id every request carries through the log and back to its caller (`trackingId`, `SLPT-Request-ID`). Random
// bytes are drawn in one go for many ids, because one draw per request is a measurable part of a small answer.
// Invariant: 32 lower-case hexadecimal digits, never repeated on purpose, never taken from the caller.
import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
const POOL_IDS = 256;
const pool = Buffer.allocUnsafe(ID_BYTES * POOL_IDS);
let next = POOL_IDS;

/** A new tracking id: 32 lower-case hexadecimal digits. */
export function newTrackingId(): string {
  if (next === POOL_IDS) {
    randomFillSync(pool);
    next = 0;
  }
  const start = next * ID_BYTES;
  next++;
  return pool.toString('hex', start, start + ID_BYTES);
}
