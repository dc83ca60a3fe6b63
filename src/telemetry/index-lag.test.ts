// The lag in seconds is the age of the oldest change that is not searchable, as observed by reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IndexLag } from './index-lag.ts';

function lagAt() {
  const state = { now: 0, last: 0, applied: 0 };
  const source = { lastSequence: async () => state.last, applied: () => state.applied };
  return { state, lag: new IndexLag(source, { now: () => state.now }) };
}

test('grows while a change waits, regardless of later changes', async () => {
  const { state, lag } = lagAt();
  assert.deepEqual(await lag.read(), { changes: 0, seconds: 0 });
  state.last = 10;
  assert.deepEqual(await lag.read(), { changes: 10, seconds: 0 });
  state.now = 3_000;
  state.last = 12;
  assert.deepEqual(await lag.read(), { changes: 12, seconds: 3 });
  state.applied = 10;
  state.now = 4_000;
  assert.deepEqual(await lag.read(), { changes: 2, seconds: 1 });
  state.applied = 12;
  assert.deepEqual(await lag.read(), { changes: 0, seconds: 0 });
});

test('keeps the oldest sample of a long backlog, however often it is read', async () => {
  const { state, lag } = lagAt();
  for (let second = 0; second <= 2_000; second++) {
    state.now = second * 1_000;
    state.last = second + 1;
    await lag.read();
  }
  assert.deepEqual(await lag.read(), { changes: 2_001, seconds: 2_000 });
});

test('reports no lag for an index that is ahead of the sequence read', async () => {
  const { state, lag } = lagAt();
  state.last = 5;
  state.applied = 7;
  assert.deepEqual(await lag.read(), { changes: 0, seconds: 0 });
});
