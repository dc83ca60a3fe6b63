// Calls of the pages Tests and Advice, which only a server with the powers for tests answers.
import type { Advice, CountedFaultRule, RecordedRequest } from '../../src/testing/types.ts';
import { call, callJson } from './client.ts';

/** What a test run did so far. */
export interface TestRun {
  readonly advice: readonly Advice[];
  /** The last 1,000, the oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** How many requests were recorded, including those that were forgotten for space. */
  readonly total: number;
  readonly faults: readonly CountedFaultRule[];
}

const REQUESTS = 'admin/v1/requests';
const FAULTS = 'admin/v1/faults';

export async function testRun(signal: AbortSignal): Promise<TestRun> {
  const [advice, { requests, total }, { faults }] = await Promise.all([
    callJson<TestRun['advice']>('admin/v1/advice', { signal }),
    callJson<Pick<TestRun, 'requests' | 'total'>>(REQUESTS, { signal }),
    callJson<Pick<TestRun, 'faults'>>(FAULTS, { signal }),
  ]);
  return { advice, requests, total, faults };
}

/** Empties the journal, and so the advice. */
export async function forgetRequests(): Promise<void> {
  await call(REQUESTS, { method: 'DELETE' });
}

/** Removes the faults of the tenant; those of the settings stay. */
export async function removeFaults(): Promise<void> {
  await call(FAULTS, { method: 'DELETE' });
}

/** The clock of the server. */
export interface TestClock {
  /** ISO 8601. */
  readonly now: string;
  readonly mode: 'real' | 'frozen' | 'shifted';
}

const CLOCK = 'admin/v1/clock';

export function readClock(signal: AbortSignal): Promise<TestClock> {
  return callJson(CLOCK, { signal });
}

/** @param now `real`, an instant, or a shift such as `+90d` */
export async function setClock(now: string): Promise<void> {
  await call(CLOCK, { method: 'PUT', body: { now } });
}

/** Restores the state of the start. @throws ApiFault `missing` if the server did not keep it */
export async function resetTenant(): Promise<void> {
  await call('admin/v1/reset', { method: 'POST' });
}
