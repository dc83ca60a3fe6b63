import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import type { SearchBackend } from '../identity/search-backend.ts';
import type { DocumentChange, Store } from '../identity/store.ts';
import { Indexer, type IndexerOptions } from './indexer.ts';

const LOG = { info: () => {}, warn: () => {} };

/** A store that is only its change sequence. */
class FakeStore {
  changes: DocumentChange[] = [];
  reads = 0;
  broken: Error | null = null;
  add(tenantId: string, id: string): number {
    const sequence = (this.changes.at(-1)?.sequence ?? 0) + 1;
    const root = new TextEncoder().encode(`{"id":"${id}"}`);
    const document = { index: 'roles' as const, id, root, nested: new Uint8Array(0) };
    this.changes.push({ sequence, tenantId, index: 'roles', id, document });
    return sequence;
  }
  port(): Store {
    const read = {
      changesAfter: async (sequence: number, limit: number) => {
        this.reads++;
        if (this.broken) throw this.broken;
        return this.changes.filter((c) => c.sequence > sequence).slice(0, limit);
      },
      lastSequence: async () => this.changes.at(-1)?.sequence ?? 0,
    };
    return { read } as unknown as Store;
  }
}

/** A backend that remembers what it was told. */
class FakeBackend {
  calls: string[] = [];
  committed = 0;
  failures: Error[] = [];
  port(): SearchBackend {
    return {
      apply: async (tenantId: string, changes: readonly DocumentChange[]) => {
        const failure = this.failures.shift();
        if (failure) throw failure;
        this.calls.push(`apply ${tenantId} ${changes.map((c) => c.id).join(',')}`);
      },
      refresh: async () => void this.calls.push('refresh'),
      commit: async (sequence: number) => {
        this.committed = sequence;
        this.calls.push(`commit ${sequence}`);
      },
      committedSequence: async () => this.committed,
    } as unknown as SearchBackend;
  }
}

let running: Indexer | null = null;
afterEach(async () => {
  await running?.stop();
  running = null;
});

function started(store: FakeStore, backend: FakeBackend, options: Partial<IndexerOptions> = {}) {
  running = new Indexer(store.port(), backend.port(), {
    pollMs: 10,
    batchSize: 100,
    log: LOG,
    refreshMs: 1,
    ...options,
  });
  running.start();
  return running;
}

test('changes are applied tenant by tenant, refreshed, and committed at the end', async () => {
  const store = new FakeStore();
  const backend = new FakeBackend();
  for (const [tenant, id] of [
    ['a', '1'],
    ['b', '2'],
    ['a', '3'],
  ] as const)
    store.add(tenant, id);
  const indexer = started(store, backend);
  await indexer.waitFor(3, 1000);
  assert.deepEqual(backend.calls, ['apply a 1,3', 'apply b 2', 'refresh']);
  assert.deepEqual(indexer.status(), { applied: 3, lag: 0, error: null });
  await indexer.stop();
  assert.equal(backend.calls.at(-1), 'commit 3');
});

test('it starts behind what the backend has committed', async () => {
  const store = new FakeStore();
  const backend = new FakeBackend();
  for (const id of ['1', '2', '3']) store.add('a', id);
  backend.committed = 2;
  await started(store, backend).waitFor(3, 1000);
  assert.equal(backend.calls[0], 'apply a 3');
});

test('a backlog is taken in batches, each searchable before the next', async () => {
  const store = new FakeStore();
  const backend = new FakeBackend();
  for (const id of ['1', '2', '3']) store.add('a', id);
  await started(store, backend, { batchSize: 2 }).waitFor(3, 1000);
  assert.deepEqual(backend.calls, ['apply a 1,2', 'refresh', 'apply a 3', 'refresh']);
});

test('a notification is answered long before the next poll', async () => {
  const store = new FakeStore();
  const indexer = started(store, new FakeBackend(), { pollMs: 60_000 });
  await sleep(20);
  store.add('a', '1');
  indexer.notify();
  await indexer.waitFor(1, 1000);
});

test('a change nobody announces is found by polling', async () => {
  const store = new FakeStore();
  const backend = new FakeBackend();
  started(store, backend);
  await sleep(20);
  store.add('a', '1');
  await sleep(60);
  assert.ok(backend.calls.includes('apply a 1'));
});

test('commits come by time and by bytes', async () => {
  for (const options of [{ commitMs: 1 }, { commitBytes: 1 }]) {
    const store = new FakeStore();
    const backend = new FakeBackend();
    store.add('a', '1');
    started(store, backend, options);
    await until(() => backend.committed === 1);
    await running?.stop();
    assert.deepEqual(
      backend.calls.filter((call) => call.startsWith('commit')),
      ['commit 1'],
    );
  }
});

test('a fault is shown, tried again, and forgotten when the backlog has drained in order', async () => {
  const store = new FakeStore();
  const backend = new FakeBackend();
  backend.failures = [new ServiceError('unavailable', 'The engine is down')];
  for (const id of ['1', '2']) store.add('a', id);
  const indexer = started(store, backend);
  await sleep(50);
  assert.deepEqual(indexer.status(), { applied: 0, lag: 2, error: 'The engine is down' });
  await indexer.waitFor(2, 2000);
  assert.deepEqual(backend.calls, ['apply a 1,2', 'refresh']);
  await sleep(10);
  assert.equal(indexer.status().error, null);
});

test('while a fault lasts, notifications do not shorten the pause', async () => {
  const store = new FakeStore();
  store.broken = new Error('disk');
  const indexer = started(store, new FakeBackend());
  for (let i = 0; i < 20; i++) {
    indexer.notify();
    await sleep(2);
  }
  assert.ok(store.reads <= 2, `${store.reads} reads`);
});

test('a backend that lost its state is fed again from where it says', async () => {
  const store = new FakeStore();
  const backend = new FakeBackend();
  for (const id of ['1', '2']) store.add('a', id);
  const indexer = started(store, backend, { commitMs: 1 });
  await sleep(50);
  assert.equal(backend.committed, 2);
  backend.calls = [];
  backend.committed = 0;
  await sleep(50);
  assert.deepEqual(backend.calls, ['apply a 1,2', 'refresh', 'commit 2']);
  assert.equal(indexer.status().applied, 2);
});

test('who waits for a change that does not come is told after the time given', async () => {
  const indexer = started(new FakeStore(), new FakeBackend());
  await assert.rejects(
    indexer.waitFor(7, 30),
    (e) => e instanceof ServiceError && e.code === 'unavailable' && /30 ms/.test(e.message),
  );
});

test('who waits while the indexer stops is told so', async () => {
  const indexer = started(new FakeStore(), new FakeBackend());
  const rejected = assert.rejects(indexer.waitFor(7, 10_000), /stopping/);
  await indexer.stop();
  await rejected;
});

/** Until it holds, for at most five seconds. */
async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; !holds(); i++) {
    assert.ok(i < 500, 'it never came true');
    await sleep(10);
  }
}

test('full batches are waited for, until somebody waits for a change', async () => {
  const store = new FakeStore();
  const backend = new FakeBackend();
  const indexer = started(store, backend, { batchSize: 3, fullBatches: true });
  for (const id of ['1', '2']) store.add('a', id);
  indexer.notify();
  await until(() => indexer.status().lag === 2);
  assert.equal(backend.calls.length, 0);
  for (const id of ['3', '4', '5', '6', '7']) store.add('a', id);
  indexer.notify();
  await until(() => indexer.status().applied === 6);
  await indexer.waitFor(7, 5_000);
  const applied = backend.calls.filter((call) => call.startsWith('apply'));
  assert.deepEqual(applied, ['apply a 1,2,3', 'apply a 4,5,6', 'apply a 7']);
});

test('a batch that was read ahead is read again when the backend has lost its state', async () => {
  const store = new FakeStore();
  const backend = new FakeBackend();
  for (const id of ['1', '2', '3', '4']) store.add('a', id);
  const indexer = started(store, backend, { batchSize: 2, fullBatches: true });
  backend.failures.push(new Error('lost'));
  await indexer.waitFor(4, 5_000);
  const applied = backend.calls.filter((call) => call.startsWith('apply'));
  assert.deepEqual(applied, ['apply a 1,2', 'apply a 3,4']);
});
