// How long a light request waits while heavy ones are under way: GET /health every few milliseconds, and one heavy
// aggregation each second. What a query holds the event loop for shows in the slowest of the light ones.
import { type Address, Connection, type HttpRequest, wireRequest } from './client.ts';

const LIGHT_EVERY_MS = 5;
const HEAVY_EVERY_MS = 1_000;
const HEALTH: HttpRequest = { method: 'GET', path: '/health' };

export interface Responsiveness {
  /** Of the light requests, from when they were due. */
  readonly lightMs: readonly number[];
  /** Of the heavy ones, to compare. */
  readonly heavyMs: readonly number[];
}

/** @param heavy goes round */
export async function measureResponsiveness(
  to: Address,
  heavy: readonly Buffer[],
  seconds: number,
): Promise<Responsiveness> {
  const until = performance.now() + seconds * 1000;
  const health = [wireRequest(to, HEALTH)];
  const [lightMs, heavyMs] = await Promise.all([
    every(LIGHT_EVERY_MS, until, to, health),
    every(HEAVY_EVERY_MS, until, to, heavy),
  ]);
  return { lightMs, heavyMs };
}

/** A request that is due while the last one is under way counts from when it was due. */
async function every(
  periodMs: number,
  until: number,
  to: Address,
  requests: readonly Buffer[],
): Promise<number[]> {
  const connection = await Connection.open(to.port);
  const times: number[] = [];
  for (let due = performance.now(); due < until; due += periodMs) {
    const waitMs = due - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const request = requests[times.length % requests.length];
    if (request === undefined) throw new Error('Nothing to ask');
    // A timer is late by up to a millisecond, which is not the server's doing.
    const start = waitMs > 0 ? performance.now() : due;
    await connection.send(request);
    times.push(performance.now() - start);
  }
  connection.close();
  return times;
}
