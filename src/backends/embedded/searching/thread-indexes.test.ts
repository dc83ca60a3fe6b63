// suite: slow
// The embedded indexes as other threads search them, through the backend that has them.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { searchOptions } from '../../../../test/support/search-options.ts';
import { openWithReaders } from '../../../../test/support/thread-reader.ts';
import { ServiceError } from '../../../errors.ts';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import type { Plan } from '../../../query/plan.ts';
import type { Query } from '../../../query/query.ts';
import type { DocumentChange } from '../../../service/ports/store.ts';
import type { EmbeddedBackend } from '../embedded-backend.ts';
import { cacheSizes } from '../indexes/cache-sizes.ts';
import type { IndexList } from '../indexes/shared-indexes.ts';
import { ThreadIndexes } from './thread-indexes.ts';

const OPTIONS = searchOptions();

let path: string;
let backend: EmbeddedBackend;
let sequence: number;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'cardea-readers-'));
  sequence = 0;
});
afterEach(async () => {
  await backend.close();
  rmSync(path, { recursive: true, force: true });
});

async function open(readers: number): Promise<void> {
  backend = await openWithReaders(
    {
      path,
      mapping: (tenant, index) => staticMapping(index, { name: tenant, pod: 'cardea' }),
      lastSequence: async () => sequence,
      ...{ settleMs: 10, restMs: 20 },
    },
    readers,
  );
}

async function feed(tenantId: string, ids: readonly string[], content = 'written') {
  const changes = ids.map((id): DocumentChange => {
    sequence += 1;
    const root = new TextEncoder().encode(JSON.stringify({ id, name: id }));
    const document = { index: 'roles' as const, id, root, nested: new Uint8Array(0) };
    const isDeleted = content === 'deleted';
    return { sequence, tenantId, index: 'roles', id, document: isDeleted ? null : document };
  });
  await backend.apply(tenantId, changes);
  await backend.refresh();
}

function planOf(query: Query, changes: Partial<Plan> = {}): Plan {
  return {
    ...{ targets: [{ index: 'roles', query }], sort: [], from: 0, size: 1_000, trackTotal: true },
    source: { includes: [], excludes: [], nested: true },
    ...changes,
  };
}

const ALL = planOf({ kind: 'matchAll' });
const files = () => readdirSync(path).filter((name) => name.endsWith('.sources')).length;

test('while segments are added, merged and removed, every tenant finds all its documents and no others', async () => {
  await open(2);
  const tenants = ['acme', 'globex', 'initech'];
  for (const tenant of tenants) await feed(tenant, [`${tenant}0`]);
  let feeding = true;
  const counts = new Map(tenants.map((tenant) => [tenant, 1]));
  const fed = (async () => {
    for (let n = 1; n <= 40; n += 1) {
      for (const tenant of tenants) {
        await feed(tenant, [`${tenant}${n}`]);
        counts.set(tenant, n + 1);
      }
      if (n % 10 === 0) await backend.commit(sequence);
    }
    feeding = false;
  })();
  while (feeding) {
    await Promise.all(
      tenants.map(async (tenant) => {
        const least = counts.get(tenant) ?? 0;
        const { hits, total } = await backend.search(tenant, ALL, OPTIONS);
        assert.ok(hits.length >= least, `${hits.length} of ${least}`);
        assert.equal(total, hits.length);
        for (const { id, root } of hits) {
          assert.ok(id.startsWith(tenant), `${id} is none of ${tenant}`);
          assert.equal(JSON.parse(new TextDecoder().decode(root)).id, id);
        }
      }),
    );
  }
  await fed;
  for (const tenant of tenants) assert.equal(await backend.count(tenant, ALL, OPTIONS), 41);
});

test('a request reads the segments that it began with to its end, and their files stay until then', async () => {
  await open(1);
  await feed('acme', ['a']);
  await backend.commit(sequence);
  assert.equal(files(), 1);
  const indexes = new ThreadIndexes({
    cacheSizes: cacheSizes(2 ** 20),
    post: (message) => queueMicrotask(() => reader.onMessage(message)),
    onDamaged: (error, tenantId) => backend.discardDamaged(error, tenantId),
  });
  const reader = backend.addReader((list) => queueMicrotask(() => indexes.take(list)));
  await reader.begin();
  const target = { index: 'roles', query: { kind: 'matchAll' } } as const;
  const snapshot = indexes.get('acme', target).open();
  await feed('acme', ['a'], 'deleted');
  await backend.commit(sequence);
  assert.equal(indexes.get('acme', target).open(), null);
  assert.equal(files(), 1);
  const segment = snapshot?.views[0]?.segment;
  assert.match(new TextDecoder().decode(segment?.sources.root(0)), /"a"/);
  snapshot?.release();
  await feed('acme', ['b']);
  await feed('acme', ['b'], 'deleted');
  await backend.commit(sequence);
  assert.equal(files(), 0);
  reader.close();
});

test('damage that a thread comes upon takes the index out of service for all, until it is fed again', async () => {
  await open(1);
  await feed('acme', ['a', 'b']);
  await feed('globex', ['g']);
  await backend.commit(sequence);
  await backend.close();
  const name = readdirSync(path).find(
    (file) => file.endsWith('.sources') && readFileSync(join(path, file)).includes('"a"'),
  );
  const bytes = readFileSync(join(path, name ?? ''));
  bytes[10] = (bytes[10] ?? 0) ^ 1;
  writeFileSync(join(path, name ?? ''), bytes);
  await open(3);
  for (let n = 0; n < 3; n++) {
    await assert.rejects(backend.search('acme', ALL, OPTIONS), (error) => {
      assert.ok(error instanceof ServiceError);
      return error.code === 'unavailable' && error.details.retryAfterSeconds === 5;
    });
  }
  assert.notEqual(await backend.unreadyReason(), null);
  assert.equal(await backend.count('globex', ALL, OPTIONS), 1);
  // The feeder gets one error, and then asks where to start.
  await assert.rejects(backend.refresh());
  assert.equal(await backend.committedSequence(), 0);
  sequence = 0;
  await feed('acme', ['a', 'b']);
  await feed('globex', ['g']);
  for (let n = 0; n < 3; n++) {
    assert.equal((await backend.search('acme', ALL, OPTIONS)).hits.length, 2);
  }
});

test('threads drop the segments of a cleared index and find documents fed afterwards', async () => {
  await open(2);
  await feed('acme', ['a', 'b']);
  assert.equal(await backend.count('acme', ALL, OPTIONS), 2);
  sequence = 0;
  await backend.clear();
  for (let n = 0; n < 2; n++) assert.equal(await backend.count('acme', ALL, OPTIONS), 0);
  await feed('acme', ['c']);
  for (let n = 0; n < 2; n++) {
    const { hits } = await backend.search('acme', ALL, OPTIONS);
    assert.deepEqual(
      hits.map(({ id }) => id),
      ['c'],
    );
  }
});

test('a thread that has ended keeps no files, and nobody waits for it', async () => {
  await open(1);
  await feed('acme', ['a']);
  await backend.commit(sequence);
  const held = backend.addReader(() => {});
  void held.begin();
  // A change is searchable once every thread has its list, and this one takes none.
  const fed = feed('acme', ['a'], 'deleted');
  held.close();
  await fed;
  await backend.commit(sequence);
  assert.equal(files(), 0);
});

test('a list that arrives after a thread has closed its indexes changes nothing', async () => {
  await open(1);
  const lists: IndexList[] = [];
  const indexes = new ThreadIndexes({
    cacheSizes: cacheSizes(2 ** 20),
    post: (message) => reader.onMessage(message),
    onDamaged: (error, tenantId) => backend.discardDamaged(error, tenantId),
  });
  const reader = backend.addReader((list) => lists.push(list));
  for (const list of lists.splice(0)) indexes.take(list);
  await reader.begin();
  const fed = feed('acme', ['a']);
  while (lists.length === 0) await new Promise(setImmediate);
  for (const list of lists.splice(0)) indexes.take(list);
  await fed;
  indexes.close();
  const again = feed('acme', ['b']);
  while (lists.length === 0) await new Promise(setImmediate);
  for (const list of lists) indexes.take(list);
  reader.close();
  await again;
  const target = { index: 'roles', query: { kind: 'matchAll' } } as const;
  assert.throws(() => indexes.get('acme', target), { code: 'unavailable' });
});
