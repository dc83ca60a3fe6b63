import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deadline } from '../../../scheduling/deadline.ts';
import { SearchJob } from './search-job.ts';
import { WaitingJobs } from './waiting-jobs.ts';

const REQUEST = {
  kind: 'count',
  plan: {
    ...{ targets: [], sort: [], from: 0, size: 0, trackTotal: false },
    source: { includes: [], excludes: [], nested: false },
  },
} as const;
const job = (tenantId: string) =>
  new SearchJob({
    ...{ tenantId, request: REQUEST, targets: [] },
    ...{ options: { deadline: new Deadline(1_000) }, isLarge: false },
  });

test('the tenant with the fewest running jobs goes first', () => {
  const waiting = new WaitingJobs();
  const many = Array.from({ length: 3 }, () => job('many'));
  const one = job('one');
  for (const each of [...many, one]) waiting.add(each);
  const load = new Map([['many', 1]]);
  assert.equal(
    waiting.next((tenant) => load.get(tenant) ?? 0),
    one,
  );
  assert.equal(
    waiting.next((tenant) => load.get(tenant) ?? 0),
    many[0],
  );
  assert.equal(waiting.length, 2);
});

test('skips a tenant at its limit', () => {
  const waiting = new WaitingJobs();
  waiting.add(job('full'));
  assert.equal(
    waiting.next(() => Number.POSITIVE_INFINITY),
    null,
  );
  assert.equal(waiting.length, 1);
});

test('the jobs of a tenant keep their order', () => {
  const waiting = new WaitingJobs();
  const jobs = Array.from({ length: 3 }, () => job('a'));
  for (const each of jobs) waiting.add(each);
  assert.deepEqual(
    jobs.map(() => waiting.next(() => 0)),
    jobs,
  );
});

test('a removed job is not returned, and is removed only once', () => {
  const waiting = new WaitingJobs();
  const [remaining, removed] = [job('a'), job('a')];
  for (const each of [removed, remaining]) waiting.add(each);
  assert.equal(waiting.remove(removed), true);
  assert.equal(waiting.remove(removed), false);
  assert.equal(
    waiting.next(() => 0),
    remaining,
  );
  assert.equal(
    waiting.next(() => 0),
    null,
  );
});

test('drain returns all waiting jobs', () => {
  const waiting = new WaitingJobs();
  const jobs = [job('a'), job('b'), job('a')];
  for (const each of jobs) waiting.add(each);
  assert.deepEqual(new Set(waiting.drain()), new Set(jobs));
  assert.equal(waiting.length, 0);
});
