// The lag in seconds is the age of the oldest change that cannot be found, as far as anybody looked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IndexLag } from './index-lag.ts';

function at() {
  const state = { now: 0, last: 0, applied: 0 };
  const source = { lastSequence: async () => state.last, applied: () => state.applied };
  return { state, lag: new IndexLag(source, { now: () => state.now }) };
}

test('it grows while a change waits, and what comes later does not make it younger', async () => {
  const { state, lag } = at();
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

test('a backlog that lasts keeps its oldest note, however often somebody looks', async () => {
  const { state, lag } = at();
  for (let second = 0; second <= 2_000; second++) {
    state.now = second * 1_000;
    state.last = second + 1;
    await lag.read();
  }
  assert.deepEqual(await lag.read(), { changes: 2_001, seconds: 2_000 });
});

test('an index that is ahead of what was read is not behind', async () => {
  const { state, lag } = at();
  state.last = 5;
  state.applied = 7;
  assert.deepEqual(await lag.read(), { changes: 0, seconds: 0 });
});
