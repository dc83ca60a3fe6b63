import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { FakeLock } from '../../test/support/fake-lock.ts';
import { FakeSearch } from '../../test/support/fake-search.ts';
import { FakeStore } from '../../test/support/fake-store.ts';
import { VirtualTime } from '../../test/support/virtual-time.ts';
import { ElectedIndexer } from './elected-indexer.ts';
import { Indexer } from './indexer.ts';
import { StoreHistory } from './store-history.ts';

const LOG = { info: () => {}, warn: () => {} };
const SILENCE_MS = 1_000;

/** One store, one search, one lock, and a factory of nodes, which are not started. */
function testCluster() {
  const time = new VirtualTime();
  const store = new FakeStore();
  const search = new FakeSearch(time, store, 'cluster');
  const lock = new FakeLock(time);
  const node = (name: string) => {
    const connection = search.connect(name);
    const { calls } = connection;
    const { store: port } = store.open(calls);
    const backend = connection.port();
    const history = new StoreHistory(port.read, LOG);
    const feeder = new Indexer(port, backend, {
      ...{
        history,
        pollMs: 100,
        batchSize: 10,
        refreshMs: 10,
        commitMs: 100,
        timers: time,
        log: LOG,
      },
    });
    const indexer = new ElectedIndexer(history, backend, feeder, {
      ...{ lock: lock.port(name), pollMs: 100, silenceMs: SILENCE_MS, timers: time, log: LOG },
    });
    return { indexer, calls };
  };
  return {
    ...{ time, store, search, lock, node },
    put: (id: string) => store.put('t', id),
    waitFor: (indexer: ElectedIndexer, sequence: number) =>
      time.settle(indexer.waitFor(sequence, 30_000)),
    untilCommitted: () => time.until(() => search.committed === store.lastSequence),
    applied: () => search.log.filter((entry) => entry.includes('apply')),
  };
}

test('one of two nodes feeds, and the other takes over when the lock is lost or released', async () => {
  const { time, lock, node, put, waitFor, applied } = testCluster();
  const [one, other] = [node('one').indexer, node('other').indexer];
  one.start();
  await waitFor(one, put('a'));
  other.start();
  await waitFor(other, put('b'));
  assert.deepEqual([one.feeds, other.feeds], [true, false]);
  assert.deepEqual(applied(), ['one apply t a', 'one apply t b']);
  assert.equal(other.status().applied, 2);

  lock.lose();
  await time.until(() => other.feeds);
  await waitFor(one, put('c'));
  assert.deepEqual([one.feeds, other.feeds], [false, true]);
  assert.deepEqual(applied().slice(2), ['other apply t c']);

  await time.settle(other.stop());
  await time.until(() => one.feeds);
  await waitFor(one, put('d'));
  assert.deepEqual(applied().slice(3), ['one apply t d']);
  await time.settle(one.stop());
  assert.equal(lock.holder, null);
});

test('a node that loses the lock again and again keeps no listener of a former hold', async () => {
  const { time, lock, node } = testCluster();
  const { indexer } = node('one');
  indexer.start();
  const counts: number[] = [];
  for (let held = 1; held <= 20; held++) {
    await time.until(() => lock.granted === held && indexer.feeds);
    const [signal, ...others] = lock.signals;
    assert.ok(signal !== undefined && others.length === 0);
    counts.push(getEventListeners(signal, 'abort').length);
    lock.lose();
  }
  assert.ok(Math.max(...counts) < 10, counts.join());
  await time.settle(indexer.stop());
});

test('a feeder that cannot reach the search releases the lock to a node that can', async () => {
  const { time, lock, node, put, waitFor, untilCommitted, applied } = testCluster();
  const [one, other] = [node('one'), node('other')];
  one.indexer.start();
  put('a');
  await untilCommitted();
  other.indexer.start();

  one.calls.isolate();
  await time.until(() => other.indexer.feeds);
  await waitFor(other.indexer, put('b'));
  assert.deepEqual(applied(), ['one apply t a', 'other apply t b']);
  await time.settle(other.indexer.stop());
  await time.pass(10_000);
  assert.equal(lock.holder, null, 'a node that cannot feed has taken the lock');

  one.calls.heal();
  await time.until(() => one.indexer.feeds);
  await time.settle(one.indexer.stop());
});

test('another node takes over while a request of the old feeder is pending', async () => {
  const { time, lock, node, put, search, waitFor, untilCommitted, applied } = testCluster();
  const [one, other] = [node('one'), node('other')];
  one.indexer.start();
  put('a');
  await untilCommitted();
  other.indexer.start();

  one.calls.fail('apply', { kind: 'slow', ms: 20_000 });
  put('b');
  await time.pass(200);
  lock.lose();
  await waitFor(other.indexer, 2);
  put('b');
  await waitFor(other.indexer, 3);
  assert.deepEqual(applied(), ['one apply t a', 'other apply t b', 'other apply t b']);

  // The late request has the older version, which must lose.
  await time.pass(20_000);
  assert.equal(applied().at(-1), 'one apply t b');
  assert.deepEqual(search.searchableVersions(), { 't/a': 1, 't/b': 3 });
  assert.deepEqual([one.indexer.feeds, other.indexer.feeds], [false, true]);
});

test('a feeder releases the lock while its request hangs', async () => {
  const { time, node, put, waitFor, untilCommitted, applied } = testCluster();
  const [one, other] = [node('one'), node('other')];
  one.indexer.start();
  put('a');
  await untilCommitted();
  other.indexer.start();

  one.calls.isolate();
  put('b');
  await waitFor(other.indexer, 2);
  assert.deepEqual(applied(), ['one apply t a', 'other apply t b']);
  assert.ok(time.now() < 5 * SILENCE_MS, `${time.now()} ms`);
});

test('a feeder keeps the lock when one ping fails after a long time', async () => {
  const { time, lock, node, put, waitFor } = testCluster();
  const { indexer, calls } = node('one');
  indexer.start();
  await waitFor(indexer, put('a'));
  await time.pass(10 * SILENCE_MS);
  calls.fail('ping', { kind: 'refused' });
  await time.pass(10 * SILENCE_MS);
  assert.equal(lock.granted, 1);
  assert.equal(indexer.feeds, true);
});

test('no node has the lock while none can reach the search; afterwards one feeds', async () => {
  const { time, lock, node, put, waitFor } = testCluster();
  const nodes = [node('one'), node('other')] as const;
  for (const { indexer } of nodes) indexer.start();
  await waitFor(nodes[0].indexer, put('a'));

  for (const { calls } of nodes) calls.isolate();
  await time.until(() => lock.holder === null);
  const { granted } = lock;
  await time.pass(60_000);
  assert.equal(lock.granted, granted, 'the lock passes between nodes');
  assert.equal(lock.holder, null);

  for (const { calls } of nodes) calls.heal();
  await time.until(() => nodes.some(({ indexer }) => indexer.feeds));
  await waitFor(nodes[0].indexer, put('b'));
  await time.settle(Promise.all(nodes.map(({ indexer }) => indexer.stop())));
});

test('waiting for a change that no node feeds ends after the timeout', async () => {
  const { time, lock, node, put, applied } = testCluster();
  lock.suspend();
  const { indexer } = node('one');
  indexer.start();
  await assert.rejects(time.settle(indexer.waitFor(put('a'), 20)), { code: 'unavailable' });
  assert.equal(time.now(), 20);
  await time.settle(indexer.stop());
  assert.deepEqual(applied(), []);
});
