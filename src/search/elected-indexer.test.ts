import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SearchBackend } from '../identity/search-backend.ts';
import type { DocumentChange, Store } from '../identity/store.ts';
import { ElectedIndexer, type ExclusiveLock, type Hold } from './elected-indexer.ts';
import { Indexer } from './indexer.ts';

const LOG = { info: () => {}, warn: () => {} };

/** A lock among those of one process; the one who has it can be robbed of it. */
class FakeLock implements ExclusiveLock {
  #rob: (() => void) | null = null;
  #waiting: (() => void)[] = [];
  /** How often it was had. */
  had = 0;

  get free(): boolean {
    return this.#rob === null;
  }

  async acquire(signal: AbortSignal): Promise<Hold | null> {
    while (this.#rob !== null && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    if (signal.aborted) return null;
    let tell = (): void => {};
    const lost = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const rob = () => {
      tell();
      if (this.#rob === rob) this.#rob = null;
      for (const wake of this.#waiting.splice(0)) wake();
    };
    this.#rob = rob;
    this.had += 1;
    return { lost, release: async () => rob() };
  }

  rob(): void {
    this.#rob?.();
  }
}

/** One store and one search for all nodes; each call to the search says which node it came from. */
class Shared {
  changes: DocumentChange[] = [];
  fed: string[] = [];
  committed = 0;
  /** Nodes that the search does not answer. */
  readonly cutOff = new Set<string>();

  add(id: string): number {
    const sequence = this.changes.length + 1;
    this.changes.push({ sequence, tenantId: 't', index: 'roles', id, document: null });
    return sequence;
  }

  node(name: string, lock: ExclusiveLock): ElectedIndexer {
    const read = {
      changesAfter: async (sequence: number, limit: number) =>
        this.changes.filter((change) => change.sequence > sequence).slice(0, limit),
      lastSequence: async () => this.changes.length,
    };
    const store = { read } as unknown as Store;
    const backend = {
      apply: async (_tenant: string, changes: readonly DocumentChange[]) => {
        for (const { id } of changes) this.fed.push(`${name} ${id}`);
      },
      refresh: async () => {},
      commit: async (sequence: number) => {
        this.committed = sequence;
      },
      committedSequence: async () => this.committed,
      ping: async () => {
        if (this.cutOff.has(name)) throw new Error('No answer');
      },
    } as unknown as SearchBackend;
    const indexer = new Indexer(store, backend, {
      ...{ pollMs: 5, batchSize: 10, refreshMs: 1, commitMs: 5, log: LOG },
    });
    return new ElectedIndexer(store, backend, indexer, {
      lock,
      pollMs: 5,
      silenceMs: 50,
      log: LOG,
    });
  }
}

test('one of two feeds, the other follows and takes over when the lock is lost or left', async () => {
  const shared = new Shared();
  const lock = new FakeLock();
  const [one, other] = [shared.node('one', lock), shared.node('other', lock)];
  one.start();
  await one.waitFor(shared.add('a'), 10_000);
  other.start();
  await other.waitFor(shared.add('b'), 10_000);
  assert.deepEqual([one.feeds, other.feeds], [true, false]);
  assert.deepEqual(shared.fed, ['one a', 'one b']);
  assert.equal(other.status().applied, 2);

  lock.rob();
  await until(() => other.feeds);
  await one.waitFor(shared.add('c'), 10_000);
  assert.deepEqual([one.feeds, other.feeds], [false, true]);
  assert.deepEqual(shared.fed.slice(2), ['other c']);

  await other.stop();
  await until(() => one.feeds);
  await one.waitFor(shared.add('d'), 10_000);
  assert.deepEqual(shared.fed.slice(3), ['one d']);
  await one.stop();
});

test('a feeder that the search does not answer leaves the lock to one that it does', async () => {
  const shared = new Shared();
  const lock = new FakeLock();
  const [one, other] = [shared.node('one', lock), shared.node('other', lock)];
  one.start();
  await one.waitFor(shared.add('a'), 10_000);
  other.start();

  shared.cutOff.add('one');
  await until(() => other.feeds);
  await other.waitFor(shared.add('b'), 10_000);
  assert.deepEqual(shared.fed, ['one a', 'other b']);
  await until(() => !one.feeds);
  await other.stop();
  assert.equal(lock.free, true, 'who cannot feed has taken the lock');

  shared.cutOff.clear();
  await until(() => one.feeds);
  await one.stop();
});

test('while the search answers nobody, nobody has the lock, and afterwards one feeds', async () => {
  const shared = new Shared();
  const lock = new FakeLock();
  const nodes = [shared.node('one', lock), shared.node('other', lock)];
  for (const node of nodes) node.start();
  await nodes[0]?.waitFor(shared.add('a'), 10_000);

  for (const name of ['one', 'other']) shared.cutOff.add(name);
  await until(() => nodes.every(({ feeds }) => !feeds) && lock.free);
  const before = lock.had;
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(lock.had, before, 'the lock goes round');

  shared.cutOff.clear();
  await until(() => nodes.some(({ feeds }) => feeds));
  await nodes[0]?.waitFor(shared.add('b'), 10_000);
  await Promise.all(nodes.map((node) => node.stop()));
});

test('who waits for a change that nobody feeds is told so in time', async () => {
  const shared = new Shared();
  const lock = new FakeLock();
  const hold = await lock.acquire(new AbortController().signal);
  const node = shared.node('one', lock);
  node.start();
  await assert.rejects(node.waitFor(shared.add('a'), 20), { code: 'unavailable' });
  await node.stop();
  await hold?.release();
  assert.deepEqual(shared.fed, []);
});

async function until(met: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!met()) {
    if (Date.now() > deadline) throw new Error('It did not come to pass');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
