// The states of a scrape: what is read first, and what a part that fails or hangs leaves known.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ScrapeSources, takeScrape } from './scrape.ts';

const SOUND: ScrapeSources = {
  pools: () => [],
  lag: async () => ({ changes: 1, seconds: 2 }),
  mirrors: async () => ({ mirrors: 0, failing: 0, lagSeconds: null }),
  condition: async () => ({ ready: true, store: true, search: true }),
  damagedDocuments: async () => 0,
  reports: async () => [],
  storeRestored: () => 7,
  disk: () => ({ free: 1, size: 2 }),
  lastBackup: () => 3,
  backupFailed: () => 4,
  storeCheck: () => ({ checkedAt: 4, faults: 5 }),
  certificateExpires: () => 6,
};

test('does not count its own requests among those that wait for a connection', async () => {
  let waiting = 0;
  const read = async <T>(result: T): Promise<T> => {
    waiting += 1;
    await null;
    waiting -= 1;
    return result;
  };
  const sources: ScrapeSources = {
    ...SOUND,
    pools: () => [{ pool: 'read', open: 1, idle: 1, waiting }],
    lag: () => read({ changes: 0, seconds: 0 }),
    condition: () => read({ ready: true, store: true, search: true }),
  };
  for (let n = 0; n < 2; n++) {
    assert.deepEqual((await takeScrape(sources)).pools, [
      { pool: 'read', open: 1, idle: 1, waiting: 0 },
    ]);
  }
});

const never = () => new Promise<never>(() => {});
const fails = () => Promise.reject(new Error('away'));
const UNKNOWN = { ready: false, store: false, search: false };
for (const [name, fault] of [
  ['fails', fails],
  ['hangs', never],
] as const) {
  test(`knows the rest when the store ${name}`, async () => {
    const scrape = await takeScrape({ ...SOUND, lag: fault, condition: fault }, 20);
    assert.equal(scrape.lag, null);
    assert.deepEqual(scrape.condition, UNKNOWN);
    assert.deepEqual(scrape.disk, { free: 1, size: 2 });
    assert.equal(scrape.lastBackup, 3);
    assert.equal(scrape.backupFailed, 4);
  });
}
