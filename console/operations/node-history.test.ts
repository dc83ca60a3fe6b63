// What the lines are drawn of: the last minutes of one node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeStatus } from '../api/node-status.ts';
import { HISTORY_SECONDS, type Sample, seen } from './node-history.ts';

const status = (id: string, requests: number, seconds: number): NodeStatus => ({
  node: {
    ...{ id, version: '1', uptimeSeconds: 1, store: 'sqlite', search: 'embedded' },
    ...{ searchWorkers: 0, feeds: true },
  },
  lag: { seconds: 0.5, changes: 1, lastSequence: 2 },
  indexes: [],
  merges: null,
  caches: null,
  activity: { seconds, requests, searches: requests / 2, writes: 0 },
});

test('rates are a second, and of less than a second none is made up', () => {
  const [minute, start] = [seen([], status('a', 120, 60), 10), seen([], status('a', 1, 0.1), 10)];
  assert.deepEqual(minute, [
    { node: 'a', at: 10, lagSeconds: 0.5, requests: 2, searches: 1, writes: 0 },
  ]);
  assert.equal(start[0]?.requests, 1);
});

test('it keeps the last minutes and nothing else', () => {
  let history: readonly Sample[] = [];
  for (let at = 0; at <= 10 * HISTORY_SECONDS; at += 3)
    history = seen(history, status('a', 1, 60), at);
  assert.equal(history.length, HISTORY_SECONDS / 3 + 1);
  assert.equal(history[0]?.at, 9 * HISTORY_SECONDS);
});

test('another node, or a clock that was put back, leaves no line that runs backwards', () => {
  const one = seen([], status('a', 1, 60), 100);
  assert.deepEqual(
    seen(one, status('b', 1, 60), 103).map(({ node }) => node),
    ['b'],
  );
  assert.deepEqual(
    seen(one, status('a', 1, 60), 50).map(({ at }) => at),
    [50],
  );
});
