import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_GENERATION } from './committed-state.ts';
import { type GenerationFeed, RebuildBeside, type RebuildOptions } from './rebuild-beside.ts';

const LOG = { info: () => {}, warn: () => {} };

test('a replacement that fails may have succeeded: former indexes stay for a while', async () => {
  let replaced = 0;
  const connection = {
    ...{ rebuildUntil: null, sequence: 5, current: { listing: 1, version: {} } },
    indexes: {
      generation: FIRST_GENERATION,
      isLaidOutOtherwise: () => true,
      all: () => [],
      takeAliases: async () => {},
    },
  };
  const fed = { connected: async () => connection, applied: 5, drop: () => {} };
  const feed: GenerationFeed = {
    start: () => {},
    stop: async () => {},
    abandon: async () => {},
    waitFor: async () => {},
    status: () => ({ applied: 5, lag: 0, error: null }),
  };
  const rebuild = new RebuildBeside({
    state: {
      writeCurrent: async () => {
        throw new Error('no answer');
      },
    },
    ...{ log: LOG, answering: fed, open: () => fed, feed: () => feed },
    onReplaced: () => {
      replaced += 1;
    },
  } as unknown as RebuildOptions);
  await rebuild.step();
  await rebuild.step();
  assert.equal(replaced, 1);
});
