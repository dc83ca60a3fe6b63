import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DocumentChange, Store } from '../service/ports/store.ts';
import { DelayedChanges } from './delayed-changes.ts';

/** A store of `last` changes. */
function world() {
  const state = { last: 0, now: 0 };
  const read = {
    lastSequence: async () => state.last,
    changesAfter: async (after: number, limit: number) =>
      Array.from({ length: state.last }, (_, n) => ({ sequence: n + 1 }) as DocumentChange)
        .filter(({ sequence }) => sequence > after)
        .slice(0, limit),
  };
  return { state, store: { read } as unknown as Store };
}

const sequences = async (store: Store) =>
  (await store.read.changesAfter(0, 100)).map(({ sequence }) => sequence);

test('shows each change after its time, in order', async () => {
  const { state, store } = world();
  const numbers = [1, 0];
  const random = () => numbers.shift() ?? 0;
  const delayed = new DelayedChanges(store, {
    leastMs: 1_000,
    mostMs: 3_000,
    random,
    now: () => state.now,
  });
  state.last = 1;
  assert.deepEqual(await sequences(delayed), []);
  state.now = 500;
  state.last = 2;
  // Due at 1,500, but not before the first one at 3,000.
  assert.deepEqual(await sequences(delayed), []);
  state.now = 2_999;
  assert.deepEqual(await sequences(delayed), []);
  state.now = 3_000;
  assert.deepEqual(await sequences(delayed), [1, 2]);
});

test('shows all changes so far on request, and later ones after their time', async () => {
  const { state, store } = world();
  const delayed = new DelayedChanges(store, {
    ...{ leastMs: 1_000, mostMs: 1_000, random: () => 0, now: () => state.now },
  });
  state.last = 3;
  assert.deepEqual(await sequences(delayed), []);
  await delayed.showAll();
  assert.deepEqual(await sequences(delayed), [1, 2, 3]);
  state.last = 4;
  assert.deepEqual(await sequences(delayed), [1, 2, 3]);
  state.now = 1_000;
  assert.deepEqual(await sequences(delayed), [1, 2, 3, 4]);
});
