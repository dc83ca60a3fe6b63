// The id of a request in the log and in its response (`trackingId`, `SLPT-Request-ID`). Random
// bytes are drawn for many ids at once, because one draw per request is a measurable part of a
// small response.
// Invariant: 32 lower-case hexadecimal digits, random, never taken from the client.
import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
const POOL_IDS = 256;
const pool = Buffer.allocUnsafe(ID_BYTES * POOL_IDS);
let next = POOL_IDS;

/** Returns a new tracking id. */
export function newTrackingId(): string {
  if (next === POOL_IDS) {
    randomFillSync(pool);
    next = 0;
  }
  const start = next * ID_BYTES;
  next++;
  return pool.toString('hex', start, start + ID_BYTES);
}
