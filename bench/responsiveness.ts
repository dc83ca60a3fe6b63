// Measures the latency of a light request during heavy ones: GET /health every few milliseconds,
// and one heavy aggregation each second. The slowest light requests show how long queries block the
// event loop.
import { type Address, Connection, type HttpRequest, wireRequest } from './client.ts';

const LIGHT_EVERY_MS = 5;
const HEAVY_EVERY_MS = 1_000;
const HEALTH: HttpRequest = { method: 'GET', path: '/health' };

/**
 * All access by department, city, source and name; each request has another name and misses caches.
 */
const heavy = (number: number): HttpRequest => ({
  method: 'POST',
  path: '/v2024/search/aggregate?limit=0',
  body: {
    indices: ['identities'],
    aggregationsDsl: {
      [`departments${number}`]: {
        ...{ terms: { field: 'attributes.department' } },
        aggs: {
          cities: {
            ...{ terms: { field: 'attributes.city' } },
            aggs: {
              access: {
                ...{ nested: { path: 'access' } },
                aggs: {
                  sources: {
                    ...{ terms: { field: 'access.source.name' } },
                    aggs: { names: { terms: { field: 'access.name' } } },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
});

export interface Responsiveness {
  /** Latency of light requests, from their scheduled time. */
  readonly lightMs: readonly number[];
  /** Latency of heavy requests. */
  readonly heavyMs: readonly number[];
}

export async function measureResponsiveness(to: Address, seconds: number): Promise<Responsiveness> {
  const until = performance.now() + seconds * 1000;
  const [lightMs, heavyMs] = await Promise.all([
    every(LIGHT_EVERY_MS, until, to, () => HEALTH),
    every(HEAVY_EVERY_MS, until, to, heavy),
  ]);
  return { lightMs, heavyMs };
}

/** Sends requests at a fixed rate; a delayed request counts from its scheduled time. */
async function every(
  periodMs: number,
  until: number,
  to: Address,
  request: (number: number) => HttpRequest,
): Promise<number[]> {
  const connection = await Connection.open(to.port);
  const times: number[] = [];
  for (let due = performance.now(); due < until; due += periodMs) {
    const waitMs = due - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    // Timers are up to a millisecond late, which must not count for the server.
    const start = waitMs > 0 ? performance.now() : due;
    await connection.send(wireRequest(to, request(times.length)));
    times.push(performance.now() - start);
  }
  connection.close();
  return times;
}
