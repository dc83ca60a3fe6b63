import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeSearch } from '../../test/support/fake-search.ts';
import { FakeStore } from '../../test/support/fake-store.ts';
import { VirtualTime } from '../../test/support/virtual-time.ts';
import { ServiceError } from '../errors.ts';
import { NotCommittedError } from '../service/ports/search-backend.ts';
import { type FedBackend, Indexer, type IndexerOptions } from './indexer.ts';

const LOG = { info: () => {}, warn: () => {} };

/** A store and a search in one process, and an indexer that is not started. */
function testIndexer(
  options: Partial<IndexerOptions> = {},
  changed: (backend: FedBackend) => Partial<FedBackend> = () => ({}),
) {
  const time = new VirtualTime();
  const store = new FakeStore();
  const search = new FakeSearch(time, store, 'process');
  const node = search.connect();
  const { store: port, written, listeners } = store.open(node.calls);
  const backend = node.port();
  const indexer = new Indexer(
    port,
    { ...backend, ...changed(backend) },
    {
      ...{ pollMs: 10, batchSize: 100, refreshMs: 1, timers: time, log: LOG },
      ...options,
    },
  );
  const put = (...ids: string[]) => {
    for (const id of ids) store.put('a', id);
  };
  const applied = () => search.log.filter((entry) => entry.startsWith('apply'));
  const waitFor = (sequence: number) => time.settle(indexer.waitFor(sequence, 10_000));
  const { calls } = node;
  return { time, store, search, calls, written, listeners, indexer, put, applied, waitFor };
}

test('applies changes tenant by tenant, refreshes, and commits at the end', async () => {
  const { time, store, search, indexer, waitFor } = testIndexer();
  store.put('a', '1');
  store.put('b', '2');
  store.put('a', '3');
  indexer.start();
  await waitFor(3);
  assert.deepEqual(search.log, ['apply a 1,3', 'apply b 2', 'refresh']);
  assert.deepEqual(indexer.status(), { applied: 3, lag: 0, error: null });
  await time.settle(indexer.stop());
  assert.equal(search.log.at(-1), 'commit 3');
});

test('starts after the committed sequence of the backend', async () => {
  const { search, indexer, put, waitFor } = testIndexer();
  put('1', '2', '3');
  search.commit(2, search.generation);
  indexer.start();
  await waitFor(3);
  assert.equal(search.log[0], 'apply a 3');
});

test('reads a backlog in batches, each searchable before the next', async () => {
  const { search, indexer, put, waitFor } = testIndexer({ batchSize: 2 });
  put('1', '2', '3');
  indexer.start();
  await waitFor(3);
  assert.deepEqual(search.log, ['apply a 1,2', 'refresh', 'apply a 3', 'refresh']);
});

test('a write of this process ends the wait for the next poll', async () => {
  const { time, written, indexer, put } = testIndexer({ pollMs: 60_000 });
  indexer.start();
  await time.pass(1_000);
  put('1');
  await time.pass(1_000);
  assert.equal(indexer.status().applied, 0);
  written();
  await time.pass(100);
  assert.equal(indexer.status().applied, 1);
});

test('the store calls an indexer only while it runs', async () => {
  const { time, listeners, indexer } = testIndexer();
  for (const end of ['stop', 'abandon', 'stop'] as const) {
    assert.equal(listeners(), 0);
    indexer.start();
    indexer.start();
    assert.equal(listeners(), 1);
    await time.settle(indexer[end]());
  }
  assert.equal(listeners(), 0);
});

test('polling finds the changes of other processes', async () => {
  const { time, indexer, put, applied } = testIndexer({ pollMs: 1_000 });
  indexer.start();
  await time.pass(500);
  put('1');
  await time.pass(400);
  assert.deepEqual(applied(), []);
  await time.pass(200);
  assert.deepEqual(applied(), ['apply a 1']);
});

test('commits after some time and after some bytes', async () => {
  for (const { options, commits } of [
    { options: { commitMs: 500 }, commits: [0, 1] },
    { options: { commitMs: 60_000, commitBytes: 1 }, commits: [1, 1] },
    { options: { commitMs: 60_000 }, commits: [0, 0] },
  ]) {
    const { time, search, indexer, put } = testIndexer(options);
    put('1');
    indexer.start();
    await time.pass(400);
    const early = search.committed;
    await time.pass(400);
    assert.deepEqual([early, search.committed], commits, JSON.stringify(options));
  }
});

test('shows a fault, retries, and clears it once the backlog has drained in order', async () => {
  const { time, calls, search, indexer, put } = testIndexer();
  calls.fail('apply', { kind: 'refused' });
  put('1', '2');
  indexer.start();
  await time.pass(100);
  assert.deepEqual(indexer.status(), { applied: 0, lag: 2, error: 'apply failed' });
  await time.pass(200);
  assert.deepEqual(search.log, ['apply a 1,2', 'refresh']);
  assert.deepEqual(indexer.status(), { applied: 2, lag: 0, error: null });
});

test('writes do not shorten the pause after a fault', async () => {
  const { time, calls, written, indexer, put } = testIndexer();
  calls.fail('changesAfter', { kind: 'refused' });
  put('1');
  indexer.start();
  for (let ms = 0; ms < 190; ms++) {
    written();
    await time.pass(1);
  }
  assert.equal(indexer.status().error, 'changesAfter failed');
  await time.pass(30);
  assert.equal(indexer.status().applied, 1);
});

test('the pause doubles with each fault, up to five seconds', async () => {
  const { time, calls, indexer, put } = testIndexer();
  for (let n = 0; n < 7; n++) calls.fail('changesAfter', { kind: 'refused' });
  put('1');
  indexer.start();
  // 200 + 400 + 800 + 1,600 + 3,200 + 5,000 + 5,000
  await time.pass(16_000);
  assert.equal(indexer.status().applied, 0);
  await time.pass(400);
  assert.equal(indexer.status().applied, 1);
});

test('feeds a backend that lost everything again from the beginning', async () => {
  const { time, search, indexer, put, applied } = testIndexer({ commitMs: 1 });
  put('1', '2');
  indexer.start();
  await time.until(() => search.committed === 2);
  search.loseAll();
  await time.until(() => search.committed === 2);
  assert.deepEqual(applied(), ['apply a 1,2', 'apply a 1,2']);
  assert.equal(indexer.status().applied, 2);
});

test('feeds again from a committed sequence that went back without a fault', async () => {
  const { time, search, indexer, put, applied } = testIndexer({ commitMs: 1 });
  put('1', '2');
  indexer.start();
  await time.until(() => search.committed === 2);
  search.commit(1, search.generation);
  await time.until(() => search.committed === 2);
  assert.deepEqual(applied(), ['apply a 1,2', 'apply a 2']);
});

/** A store that is restored to change 2 once an indexer has fed change 5. */
async function restoredWorld(fullBatches: boolean) {
  const world = testIndexer({ commitMs: 1, fullBatches });
  const { store, indexer, put, waitFor } = world;
  put('1', '2');
  const restore = store.backUp();
  put('2', '3', '4');
  indexer.start();
  await waitFor(5);
  restore();
  return world;
}

for (const fullBatches of [false, true]) {
  test(`fills the backend again when the store was restored to an older state, with fullBatches ${fullBatches}`, async () => {
    const { time, search, indexer, put, waitFor } = await restoredWorld(fullBatches);
    await time.until(() => indexer.status().applied < 5);
    put('5');
    await waitFor(3);
    assert.deepEqual(search.searchableVersions(), { 'a/1': 1, 'a/2': 2, 'a/5': 3 });
    assert.deepEqual(indexer.status(), { applied: 3, lag: 0, error: null });
    await time.settle(indexer.stop());
    assert.equal(search.committed, 3);
  });

  test(`fills the backend again when changes have passed those that a restored store has lost, with fullBatches ${fullBatches}`, async () => {
    const { time, search, indexer, put, waitFor } = await restoredWorld(fullBatches);
    put('5', '6', '7', '8', '9');
    await waitFor(7);
    const expected = { 'a/1': 1, 'a/2': 2, 'a/5': 3, 'a/6': 4, 'a/7': 5, 'a/8': 6, 'a/9': 7 };
    assert.deepEqual(search.searchableVersions(), expected);
    await time.settle(indexer.stop());
    assert.equal(search.committed, 7);
  });
}

test('goes on while commits fail without a loss, without an error, and commits later', async () => {
  let isFull = true;
  const { time, search, indexer, put, applied, waitFor } = testIndexer(
    { commitMs: 1 },
    (backend) => ({
      async commit(sequence) {
        if (isFull) throw new NotCommittedError('unavailable', 'The disk is full');
        await backend.commit(sequence);
      },
    }),
  );
  put('1');
  indexer.start();
  await waitFor(1);
  await time.pass(1_000);
  put('2');
  await waitFor(2);
  await time.pass(1_000);
  assert.deepEqual(indexer.status(), { applied: 2, lag: 0, error: null });
  assert.equal(search.committed, 0);
  isFull = false;
  await time.until(() => search.committed === 2);
  assert.deepEqual(applied(), ['apply a 1', 'apply a 2']);
});

test('applies changes again that were lost before a commit', async () => {
  const { time, search, indexer, put, applied, waitFor } = testIndexer({ commitMs: 60_000 });
  put('1', '2');
  indexer.start();
  await waitFor(2);
  search.loseUncommitted();
  put('3');
  await time.until(() => search.searchable('a', '3') > 0);
  assert.deepEqual(applied(), ['apply a 1,2', 'apply a 1,2,3']);
  assert.deepEqual(search.searchableVersions(), { 'a/1': 1, 'a/2': 2, 'a/3': 3 });
});

test('stop does not commit after a fault that may have lost changes', async () => {
  const { time, search, indexer, put, waitFor } = testIndexer({ commitMs: 60_000 });
  put('1');
  indexer.start();
  await waitFor(1);
  search.loseUncommitted();
  await time.until(() => indexer.status().error !== null);
  await time.settle(indexer.stop());
  assert.equal(search.committed, 0);
  indexer.start();
  await time.until(() => search.searchable('a', '1') > 0);
});

/** An index that holds documents 1, 2 and 3 as committed, and a store that deletes 1, then adds 4. */
async function behindDeletion(options: Partial<IndexerOptions> = {}) {
  const world = testIndexer(options);
  const { time, store, indexer, put, waitFor } = world;
  put('1', '2', '3');
  indexer.start();
  await waitFor(3);
  await time.settle(indexer.stop());
  const tombstone = store.delete('a', '1');
  put('4');
  return { ...world, tombstone };
}

test('an index that missed a deletion whose tombstone was purged is cleared and fed from nothing', async () => {
  const { search, store, indexer, tombstone, applied, waitFor } = await behindDeletion();
  store.purge(tombstone);
  indexer.start();
  await waitFor(5);
  assert.deepEqual(search.log.slice(3), ['clear', 'apply a 2,3,4', 'refresh']);
  assert.deepEqual(search.searchableVersions(), { 'a/2': 2, 'a/3': 3, 'a/4': 5 });
  assert.equal(applied().length, 2);
});

test('an index that holds all purged deletions continues where it was', async () => {
  const { time, search, store, indexer, tombstone, put, waitFor } = await behindDeletion();
  indexer.start();
  await waitFor(5);
  await time.settle(indexer.stop());
  store.purge(tombstone);
  put('5');
  indexer.start();
  await waitFor(6);
  assert.ok(!search.log.includes('clear'), search.log.join('; '));
});

test('an interrupted rebuild continues, although it is behind the purge', async () => {
  const { time, search, store, indexer, tombstone, applied, waitFor } = await behindDeletion({
    ...{ batchSize: 1, commitMs: 0 },
  });
  store.purge(tombstone);
  indexer.start();
  await time.until(() => search.committed === 2);
  await time.settle(indexer.stop());
  indexer.start();
  await waitFor(5);
  assert.equal(search.log.filter((entry) => entry === 'clear').length, 1);
  assert.deepEqual(applied().slice(-3), ['apply a 2', 'apply a 3', 'apply a 4']);
});

test('a process that slept through deletions and their purge starts from nothing', async () => {
  const { time, calls, search, store, indexer, put, waitFor } = testIndexer({ pollMs: 1_000 });
  put('1', '2');
  indexer.start();
  await waitFor(2);
  calls.isolate();
  await time.pass(5_000);
  const tombstone = store.delete('a', '1');
  put('3');
  store.purge(tombstone);
  calls.heal();
  await waitFor(4);
  assert.deepEqual(search.searchableVersions(), { 'a/2': 2, 'a/3': 4 });
});

test('a clear that fails is tried again', async () => {
  const { calls, search, store, indexer, tombstone, waitFor } = await behindDeletion();
  store.purge(tombstone);
  calls.fail('clear', { kind: 'refused' });
  indexer.start();
  await waitFor(5);
  assert.deepEqual(Object.keys(search.searchableVersions()), ['a/2', 'a/3', 'a/4']);
});

test('a slow call delays the next ones, and stop waits for it', async () => {
  const { time, calls, search, indexer, put, applied } = testIndexer();
  calls.fail('apply', { kind: 'slow', ms: 5_000 });
  put('1');
  indexer.start();
  await time.pass(100);
  put('2');
  await time.pass(4_000);
  assert.deepEqual(applied(), []);
  await time.settle(indexer.stop());
  assert.deepEqual(search.log, ['apply a 1', 'refresh', 'commit 1']);
});

test('waiting for a change that does not come ends after the timeout', async () => {
  const { time, indexer } = testIndexer();
  indexer.start();
  const waiting = indexer.waitFor(7, 30);
  await assert.rejects(
    time.settle(waiting),
    (e) => e instanceof ServiceError && e.code === 'unavailable' && /30 ms/.test(e.message),
  );
  assert.equal(time.now(), 30);
});

test('waiting for a change ends when the indexer stops', async () => {
  const { time, indexer } = testIndexer();
  indexer.start();
  const rejected = assert.rejects(indexer.waitFor(7, 10_000), /stopping/);
  await time.settle(indexer.stop());
  await rejected;
});

test('waits for full batches, until a caller waits for a change', async () => {
  const { time, written, indexer, put, applied, waitFor } = testIndexer({
    batchSize: 3,
    fullBatches: true,
  });
  indexer.start();
  put('1', '2');
  written();
  await time.pass(1_000);
  assert.deepEqual(indexer.status(), { applied: 0, lag: 2, error: null });
  assert.deepEqual(applied(), []);
  put('3', '4', '5', '6', '7');
  await time.pass(1_000);
  assert.deepEqual(indexer.status(), { applied: 6, lag: 1, error: null });
  await waitFor(7);
  assert.deepEqual(applied(), ['apply a 1,2,3', 'apply a 4,5,6', 'apply a 7']);
});

test('refreshes after several full batches if they may wait, and when no other follows', async () => {
  const { time, search, indexer, put, waitFor } = testIndexer({
    ...{ batchSize: 2, fullBatches: true, refreshBytes: 100 },
  });
  // A document has some 20 bytes.
  put(...Array.from({ length: 13 }, (_, at) => `${at + 1}`));
  indexer.start();
  await time.pass(1_000);
  const batches = ['a 1,2', 'a 3,4', 'a 5,6', 'a 7,8', 'a 9,10', 'a 11,12'];
  const [one, two, three, four, five, six] = batches.map((batch) => `apply ${batch}`);
  assert.deepEqual(search.log, [one, two, three, 'refresh', four, five, six, 'refresh']);
  assert.deepEqual(indexer.status(), { applied: 12, lag: 1, error: null });
  await waitFor(13);
  assert.deepEqual(search.log.slice(-2), ['apply a 13', 'refresh']);
});

test('refreshes and commits each batch of a rebuild', async () => {
  const { time, search, indexer, put } = testIndexer({
    ...{ batchSize: 2, fullBatches: true, refreshBytes: 1_000, commitMs: 0 },
  });
  search.isRebuilding = true;
  put('1', '2', '3', '4');
  indexer.start();
  await time.pass(1_000);
  assert.deepEqual(search.log, [
    'apply a 1,2',
    'refresh',
    'commit 2',
    'apply a 3,4',
    'refresh',
    'commit 4',
  ]);
});

test('feeds again what was not refreshed when the backend fails', async () => {
  const { time, search, calls, indexer, put, applied, waitFor } = testIndexer({
    ...{ batchSize: 2, fullBatches: true, refreshBytes: 1_000 },
  });
  put('1', '2', '3', '4');
  calls.fail('refresh', { kind: 'refused' });
  indexer.start();
  await time.until(() => indexer.status().error !== null);
  assert.equal(indexer.status().applied, 0);
  search.loseUncommitted();
  await waitFor(4);
  const [first, second] = ['apply a 1,2', 'apply a 3,4'];
  assert.deepEqual(applied().slice(0, 2), [first, second]);
  assert.deepEqual(applied().slice(-2), [first, second]);
  assert.deepEqual(Object.keys(search.searchableVersions()), ['a/1', 'a/2', 'a/3', 'a/4']);
});

test('reads a batch again that was read ahead when the backend fails and loses its state', async () => {
  const { time, calls, search, indexer, put, applied, waitFor } = testIndexer({
    ...{ batchSize: 2, fullBatches: true },
  });
  put('1', '2', '3', '4');
  calls.fail('refresh', { kind: 'refused' });
  indexer.start();
  await time.until(() => indexer.status().error !== null);
  search.loseUncommitted();
  await waitFor(4);
  // The second attempt is the first call after the loss, and only reports it.
  assert.deepEqual(applied(), ['apply a 1,2', 'apply a 1,2', 'apply a 3,4']);
  assert.deepEqual(Object.keys(search.searchableVersions()), ['a/1', 'a/2', 'a/3', 'a/4']);
});

test('refreshes a stream of writes less often, until a caller waits for a change', async () => {
  const { time, indexer, put, written, applied, waitFor } = testIndexer({
    ...{ pollMs: 60_000, refreshMs: 100 },
  });
  indexer.start();
  await time.pass(1_000);
  const stream = Array.from({ length: 16 }, (_, at) => `${at + 1}`);
  put(...stream);
  written();
  await time.pass(50);
  assert.equal(applied().length, 1);
  put('17');
  written();
  await time.pass(300);
  assert.equal(applied().length, 1);
  await time.pass(100);
  assert.equal(applied().length, 2);
  // A single change ended the stream.
  put('18');
  written();
  await time.pass(150);
  assert.equal(applied().length, 3);
  put(...stream.map((id) => `again ${id}`));
  written();
  await time.pass(150);
  put('19');
  written();
  const began = time.now();
  await waitFor(35);
  assert.ok(time.now() - began <= 150, `${time.now() - began} ms`);
});

test('starts over where it is asked to, and feeds everything again', async () => {
  const { time, search, indexer, put, waitFor } = testIndexer();
  put('1', '2');
  indexer.start();
  await waitFor(2);
  await time.settle(indexer.startOver());
  assert.ok(indexer.status().applied < 2, 'what was cleared is not searchable');
  await waitFor(2);
  put('3');
  await waitFor(3);
  await time.settle(indexer.stop());
  assert.deepEqual(
    search.log.filter((entry) => !entry.startsWith('refresh')),
    ['apply a 1,2', 'clear', 'apply a 1,2', 'apply a 3', 'commit 3'],
  );
});

test('goes on with a filling that is under way where it is asked to start over', async () => {
  let clears = 0;
  const { time, indexer, put, waitFor } = testIndexer({}, () => ({
    rebuilding: async () => true,
    clear: async () => {
      clears += 1;
    },
  }));
  put('1');
  indexer.start();
  await waitFor(1);
  await time.settle(indexer.startOver());
  assert.equal(clears, 0);
  assert.equal(indexer.status().applied, 1);
  await time.settle(indexer.stop());
});
