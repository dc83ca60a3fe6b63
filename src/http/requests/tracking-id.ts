// The id of a request in the log and in its response (`trackingId`, `SLPT-Request-ID`).
// Invariant: 32 lower-case hexadecimal digits, random, never taken from the client.
import { randomUUID } from 'node:crypto';

/** Returns a new tracking id. */
export function newTrackingId(): string {
  return randomUUID().replaceAll('-', '');
}
