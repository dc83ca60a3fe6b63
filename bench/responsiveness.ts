// How long a light request waits while heavy ones are under way: GET /health every few milliseconds, and one heavy
// aggregation each second. What a query holds the event loop for shows in the slowest of the light ones.
import { type Address, Connection, type HttpRequest, wireRequest } from './client.ts';

const LIGHT_EVERY_MS = 5;
const HEAVY_EVERY_MS = 1_000;
const HEALTH: HttpRequest = { method: 'GET', path: '/health' };

/** Every access of everybody, by department, city, source and name; each has another name, so that none is remembered. */
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
  /** Of the light requests, from when they were due. */
  readonly lightMs: readonly number[];
  /** Of the heavy ones, to compare. */
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

/** A request that is due while the last one is under way counts from when it was due. */
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
    // A timer is late by up to a millisecond, which is not the server's doing.
    const start = waitMs > 0 ? performance.now() : due;
    await connection.send(wireRequest(to, request(times.length)));
    times.push(performance.now() - start);
  }
  connection.close();
  return times;
}
