import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { eventually } from '../../../test/support/eventually.ts';
import { searchOptions } from '../../../test/support/search-options.ts';
import { ServiceError } from '../../errors.ts';
import { staticMapping } from '../../query/mapping/document-types.ts';
import type { Plan } from '../../query/plan.ts';
import { NotCommittedError, type SearchBackend } from '../../service/ports/search-backend.ts';
import type { DocumentChange } from '../../service/ports/store.ts';
import { openEmbeddedBackend } from './embedded-backend.ts';
import type { EmbeddedOptions } from './embedded-options.ts';
import { decodeManifest, encodeManifest, MANIFEST } from './files/manifest.ts';

const OPTIONS = searchOptions();
const PLAN: Plan = {
  targets: [{ index: 'roles', query: { kind: 'matchAll' } }],
  sort: [],
  from: 0,
  size: 1000,
  trackTotal: true,
  source: { includes: [], excludes: [], nested: true },
};

let path: string;
let backend: SearchBackend;
let sequence: number;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'cardea-embedded-'));
  sequence = 0;
});
afterEach(async () => {
  await backend.close();
  rmSync(path, { recursive: true, force: true });
});

async function open(options: Partial<EmbeddedOptions> = {}): Promise<void> {
  backend = await openEmbeddedBackend({
    path,
    mapping: (_tenant, index) => staticMapping(index, { name: 'acme', pod: 'cardea' }),
    lastSequence: async () => sequence,
    settleMs: 10,
    ...options,
  });
}

function put(id: string, characters = 200): DocumentChange {
  sequence += 1;
  const root = new TextEncoder().encode(`{"id":"${id}","name":"${'n'.repeat(characters)}"}`);
  const document = { index: 'roles' as const, id, root, nested: new Uint8Array(0) };
  return { sequence, tenantId: 'acme', index: 'roles', id, document };
}

async function feed(...ids: string[]): Promise<void> {
  await backend.apply(
    'acme',
    ids.map((id) => put(id)),
  );
  await backend.refresh();
}

const total = async () => (await backend.search('acme', PLAN, OPTIONS)).total;
const unavailable = (error: unknown) =>
  error instanceof ServiceError && error.code === 'unavailable';

const endings = (suffix: string) => readdirSync(path).filter((name) => name.endsWith(suffix));

test('a directory that is removed while it is open is made and locked again, and filled', async () => {
  let isTaken = true;
  await open({
    async relock() {
      if (isTaken) throw new ServiceError('unavailable', 'Another process has it.');
    },
  });
  await feed('a', 'b');
  await backend.commit(sequence);
  rmSync(path, { recursive: true });
  // Feeding comes upon a file that is gone, so the index is filled again.
  await assert.rejects(feed('c'), unavailable);
  await assert.rejects(backend.refresh(), unavailable);
  assert.equal(await backend.committedSequence(), 0);
  await feed('a', 'b', 'c');
  // A second attempt does not write beside the other process either.
  for (let n = 0; n < 2; n++) await assert.rejects(backend.commit(sequence), unavailable);
  isTaken = false;
  await backend.commit(sequence);
  await backend.close();
  await open();
  assert.equal(await total(), 3);
});

test('an index of which feeding reads a damaged part is discarded, and fed again', async () => {
  await open();
  await feed('a', 'b');
  await backend.commit(sequence);
  await backend.close();
  const [name = ''] = endings('.index');
  const bytes = readFileSync(join(path, name));
  // The first section, after a header of 8 bytes, has the ids, which no search reads.
  bytes[16] = ~(bytes[16] ?? 0);
  writeFileSync(join(path, name), bytes);
  await open();
  await assert.rejects(feed('a'), unavailable);
  await assert.rejects(backend.refresh(), unavailable);
  assert.equal(await backend.committedSequence(), 0);
  await feed('a', 'b');
  assert.equal(await total(), 2);
});

test('a failed commit is reported, searches continue, and the next commit succeeds', async () => {
  await open();
  mkdirSync(join(path, 'manifest.json'));
  await feed('a', 'b');
  await assert.rejects(backend.commit(sequence), NotCommittedError);
  assert.match(String(backend.warnings?.()), /^The search index cannot be written/);
  assert.equal(await backend.unreadyReason(), null);
  assert.equal(await backend.committedSequence(), 0);
  assert.equal(await total(), 2);
  rmSync(join(path, 'manifest.json'), { recursive: true });
  await backend.commit(sequence);
  assert.deepEqual(backend.warnings?.(), []);
  assert.equal(await backend.committedSequence(), 2);
  await backend.close();
  await open();
  assert.equal(await total(), 2);
});

test('many small commits leave few files, as segments are merged and old ones removed', async () => {
  await open();
  for (let i = 0; i < 40; i++) {
    await feed(`d${i}`, `e${i % 3}`);
    await backend.commit(sequence);
  }
  // Files are written and removed one by one, so both kinds are equal in number once merging has
  // finished.
  await eventually(() => {
    assert.ok(endings('.index').length <= 12);
    assert.equal(endings('.sources').length, endings('.index').length);
  });
  assert.ok(endings('.live').length <= endings('.index').length);
  assert.equal(await total(), 43);
});

test('after a rest the segments become one, only its files remain, and searches still find everything', async () => {
  await open({ restMs: 50 });
  for (let i = 0; i < 4; i++) {
    await feed(`d${i}`, `e${i}`);
    await backend.commit(sequence);
  }
  assert.equal(await total(), 8);
  await eventually(() =>
    assert.deepEqual([readManifestSegments(), endings('.index').length], [1, 1]),
  );
  assert.equal(await total(), 8);
  await backend.close();
  await open();
  assert.equal(await total(), 8);
});

test('merged segments are written even without another commit', async () => {
  await open();
  for (let i = 0; i < 3; i++) await feed(`c${i}`);
  await backend.commit(sequence);
  for (let i = 0; i < 10; i++) await feed(`d${i}`);
  await eventually(() => assert.ok(endings('.index').length > 3 || readManifestSegments() < 3));
  assert.equal(await backend.committedSequence(), 3);
  await backend.close();
  await open();
  assert.ok(((await total()) ?? 0) >= 3);
});

function readManifestSegments(): number {
  const [line = ''] = readFileSync(join(path, 'manifest.json'), 'utf8').split('\n');
  return JSON.parse(line).indexes[0].segments.length;
}

test('a merge that finds a damaged source takes the index out of service', async () => {
  await open();
  for (let i = 0; i < 5; i++) await feed(`d${i}`);
  await backend.commit(sequence);
  await backend.close();
  const [sources = ''] = endings('.sources');
  const bytes = readFileSync(join(path, sources));
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(join(path, sources), bytes);
  await open();
  assert.equal(await backend.unreadyReason(), null);
  const fed = feed('x', 'y').then(() => feed('z'));
  await eventually(async () => assert.notEqual(await backend.unreadyReason(), null));
  // The feeder may or may not have got the error by now.
  await fed.catch((error: unknown) => assert.ok(unavailable(error), String(error)));
  await assert.rejects(total(), unavailable);
  assert.equal(await backend.committedSequence(), 0);
});

test('after a loss changes are rejected until the feeder has asked where to start, once', async () => {
  await open();
  await feed('a');
  await backend.commit(sequence);
  await backend.close();
  const [sources = ''] = endings('.sources');
  const bytes = readFileSync(join(path, sources));
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(join(path, sources), bytes);
  await open();
  await backend.apply('acme', [put('b')]);
  await assert.rejects(total(), unavailable);
  await assert.rejects(backend.commit(sequence), unavailable);
  assert.equal(await backend.committedSequence(), 0);
  await feed('a', 'b');
  assert.equal(await total(), 2);
});

test('after a loss of one index the others need deletions from the last commit on, also after a restart', async () => {
  await open();
  await feed('a', 'b');
  await backend.commit(sequence);
  await backend.close();
  const [index = ''] = endings('.index');
  writeFileSync(join(path, index), 'damaged');
  sequence = 9;
  await open();
  const state = async () => [await backend.committedSequence(), await backend.coveredSequence()];
  assert.deepEqual(await state(), [0, 2]);
  sequence = 0;
  await feed('a');
  await backend.commit(sequence);
  await backend.close();
  sequence = 9;
  await open();
  assert.deepEqual(await state(), [1, 2]);
});

test('the manifest of an earlier version covers deletions up to its commit', async () => {
  await open();
  await feed('a', 'b');
  await backend.commit(sequence);
  await backend.close();
  const file = join(path, MANIFEST);
  const { covered, ...earlier } = decodeManifest(readFileSync(file));
  assert.equal(covered, 2);
  writeFileSync(file, encodeManifest(earlier));
  sequence = 9;
  await open();
  assert.equal(await backend.coveredSequence(), 2);
  assert.equal(await total(), 2);
});

test('segments that were exchanged between two tenants are not served, and fed again', async () => {
  await open();
  const other = async () => (await backend.search('other', PLAN, OPTIONS)).total;
  await feed('a', 'b');
  await backend.apply('other', [{ ...put('c'), tenantId: 'other' }]);
  await backend.refresh();
  await backend.commit(sequence);
  await backend.close();
  const file = join(path, MANIFEST);
  const written = readFileSync(file);
  const manifest = decodeManifest(written);
  const [one, two] = manifest.indexes;
  assert.ok(one && two);
  const indexes = [
    { ...one, segments: two.segments },
    { ...two, segments: one.segments },
  ];
  writeFileSync(file, encodeManifest({ ...manifest, indexes }));
  await open();
  await assert.rejects(total(), unavailable);
  await assert.rejects(other(), unavailable);
  assert.equal(await backend.committedSequence(), 0);
});

test('segments in the manifest of an earlier version, without their tenant, are served', async () => {
  await open();
  await feed('a', 'b');
  await backend.commit(sequence);
  await backend.close();
  const file = join(path, MANIFEST);
  const manifest = decodeManifest(readFileSync(file));
  const indexes = manifest.indexes.map((entry) => ({
    ...entry,
    segments: entry.segments.map(({ owner, ...segment }) => {
      assert.equal(typeof owner, 'number');
      return segment;
    }),
  }));
  writeFileSync(file, encodeManifest({ ...manifest, indexes }));
  await open();
  assert.equal(await total(), 2);
});

for (const indexes of [{}, [], null, [null], [{ tenantId: 'acme', index: 'roles' }]]) {
  test(`a manifest with the indexes ${JSON.stringify(indexes)} is discarded, and all are fed again`, async () => {
    await open();
    await feed('a');
    await backend.commit(sequence);
    await backend.close();
    const file = join(path, MANIFEST);
    const manifest = decodeManifest(readFileSync(file));
    writeFileSync(file, encodeManifest({ ...manifest, indexes: indexes as never }));
    await open();
    await assert.rejects(total(), unavailable);
    assert.equal(await backend.committedSequence(), 0);
    assert.notEqual(await backend.unreadyReason(), null);
  });
}

test('an index that is lost or empty at the start covers all deletions so far', async () => {
  sequence = 9;
  await open();
  assert.deepEqual([await backend.committedSequence(), await backend.coveredSequence()], [0, 9]);
});

test('a refresh fails when the builder thread dies twice, and the next one has all changes', async () => {
  let deaths = 2;
  await open({
    startWorker: () => {
      if (deaths-- > 0) return new Worker('process.exit(1)', { eval: true });
      return new Worker(new URL('./building/builder-worker.js', import.meta.url));
    },
  });
  await backend.apply('acme', [put('a', 40_000), put('b')]);
  await assert.rejects(backend.refresh(), unavailable);
  await backend.refresh();
  assert.equal(await total(), 2);
});

test('a large segment that could not be written leaves no files', async () => {
  const cutShort = `const { writeFileSync } = require('node:fs');
    require('node:worker_threads').parentPort.on('message', ({ job }) => {
      for (const path of Object.values(job.paths)) writeFileSync(path, 'half');
      process.exit(1);
    });`;
  await open({ startWorker: () => new Worker(cutShort, { eval: true }) });
  const large = Array.from({ length: 5 }, (_, at) => put(`d${at}`, 2 ** 20));
  await backend.apply('acme', large);
  await assert.rejects(backend.refresh(), unavailable);
  assert.deepEqual([...endings('.index'), ...endings('.sources')], []);
});

test('a batch larger than one segment becomes several segments', async () => {
  await open();
  await feed(...Array.from({ length: 16_500 }, (_, i) => `d${i}`));
  await backend.commit(sequence);
  assert.equal(endings('.index').length, 2);
  assert.equal(await backend.count('acme', PLAN, OPTIONS), 16_500);
});

test('close ends a running refresh', async () => {
  await open();
  await backend.apply(
    'acme',
    Array.from({ length: 2_000 }, (_, i) => put(`d${i}`)),
  );
  const refreshed = assert.rejects(backend.refresh(), unavailable);
  await backend.close();
  await refreshed;
  await assert.rejects(total(), unavailable);
});

test('the error for a directory that cannot be created names it', async () => {
  await open();
  writeFileSync(join(path, 'file'), '');
  await assert.rejects(
    openEmbeddedBackend({
      path: join(path, 'file', 'index'),
      mapping: (_tenant, index) => staticMapping(index, { name: 'acme', pod: 'cardea' }),
      lastSequence: async () => 0,
    }),
    (error) => unavailable(error) && /file\/index/.test(String(error)),
  );
});
