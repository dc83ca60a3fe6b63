// The samples behind the line charts of a node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeStatus } from '../../api/node-status.ts';
import { HISTORY_SECONDS, type Sample, withSample } from './node-history.ts';

const status = (id: string, requests: number, seconds: number): NodeStatus => ({
  node: {
    ...{ id, version: '1', uptimeSeconds: 1, store: 'sqlite', search: 'embedded' },
    ...{ threads: 1, feeds: true, testing: false },
  },
  lag: { seconds: 0.5, changes: 1, lastSequence: 2 },
  indexes: [],
  threads: null,
  merges: null,
  caches: null,
  damagedDocuments: [],
  moreDamagedDocuments: 0,
  retention: { eventsPurgedBefore: null },
  backup: null,
  activity: { seconds, requests, searches: requests / 2, writes: 0 },
});

test('computes rates per second, and at most the count itself within the first second', () => {
  const [minute, start] = [
    withSample([], status('a', 120, 60), 10),
    withSample([], status('a', 1, 0.1), 10),
  ];
  assert.deepEqual(minute, [
    { node: 'a', at: 10, lagSeconds: 0.5, requests: 2, searches: 1, writes: 0 },
  ]);
  assert.equal(start[0]?.requests, 1);
});

test('keeps only the samples of the last minutes', () => {
  let history: readonly Sample[] = [];
  for (let at = 0; at <= 10 * HISTORY_SECONDS; at += 3)
    history = withSample(history, status('a', 1, 60), at);
  assert.equal(history.length, HISTORY_SECONDS / 3 + 1);
  assert.equal(history[0]?.at, 9 * HISTORY_SECONDS);
});

test('drops the samples of another node and those after a clock was set back', () => {
  const one = withSample([], status('a', 1, 60), 100);
  assert.deepEqual(
    withSample(one, status('b', 1, 60), 103).map(({ node }) => node),
    ['b'],
  );
  assert.deepEqual(
    withSample(one, status('a', 1, 60), 50).map(({ at }) => at),
    [50],
  );
});
