// suite: slow
import assert from 'node:assert/strict';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { ServiceError } from '../../src/errors.ts';
import { History, writeBatch } from './history.ts';
import { indexPath, linesInIndex, type Service, startService } from './service.ts';

const BATCHES = 60;
const history = new History();
history.advance(BATCHES);

/** A data directory in order; each test damages a copy. */
const template = mkdtempSync(join(tmpdir(), 'cardea-damage-'));
let data: string;
before(async () => {
  const service = await startService(template);
  service.indexer.start();
  for (let number = 1; number <= BATCHES; number++) {
    await writeBatch(service.store, number);
    // Writes them twice, so that the second half deletes rows of the first.
    if (number === BATCHES / 2 || number === BATCHES) {
      await service.indexer.waitFor(await service.store.read.lastSequence(), 120_000);
    }
  }
  await service.stop();
});
after(() => rmSync(template, { recursive: true, force: true }));
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'cardea-damage-'));
  cpSync(template, data, { recursive: true });
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

/** The largest file of the committed state with a given suffix. */
function fileEnding(suffix: string): string {
  const manifest = readFileSync(join(indexPath(data), 'manifest.json'), 'utf8');
  const isNamed = (name: string) =>
    manifest.includes(`"${name.replace(/\.(index|sources)$/, '')}"`);
  const files = readdirSync(indexPath(data))
    .filter((name) => name.endsWith(suffix) && (name === 'manifest.json' || isNamed(name)))
    .map((name) => join(indexPath(data), name))
    .sort((a, b) => readFileSync(b).length - readFileSync(a).length);
  const [largest] = files;
  assert.ok(largest, `no file ends in ${suffix}`);
  return largest;
}

function flipBit(path: string, share: number): void {
  const bytes = readFileSync(path);
  const at = Math.min(bytes.length - 1, Math.floor(bytes.length * share));
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at);
  writeFileSync(path, bytes);
}

/** A position in the section of document offsets, which every search with hits reads. */
function flipBitOfSection(path: string): void {
  const bytes = readFileSync(path);
  const text = bytes.toString('latin1');
  const [, offset] =
    /"rootLength":\[(\d+),/.exec(text.slice(text.lastIndexOf('{"contents"'))) ?? [];
  assert.ok(offset, 'there is no such section');
  flipBit(path, Number(offset) / bytes.length + Number.EPSILON);
}

async function isUnavailable(work: Promise<unknown>): Promise<void> {
  await assert.rejects(
    work,
    (error) => error instanceof ServiceError && error.code === 'unavailable',
  );
}

/** Feeds until the index is searchable, and compares it with the store. */
async function recovers(service: Service): Promise<void> {
  service.indexer.start();
  const until = performance.now() + 120_000;
  while ((await service.backend.unreadyReason()) !== null) {
    assert.ok(performance.now() < until, 'the index was not rebuilt');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.deepEqual(await linesInIndex(service.backend), history.lines());
}

const FOUND_AT_START: Readonly<Record<string, () => void>> = {
  'a manifest with a flipped bit': () => flipBit(fileEnding('manifest.json'), 0.5),
  'a manifest that is cut short': () => truncateSync(fileEnding('manifest.json'), 20),
  'a missing manifest': () => rmSync(fileEnding('manifest.json')),
  'an index file with a flipped bit at its begin': () => flipBit(fileEnding('.index'), 0),
  'an index file with a flipped bit at its end': () => flipBit(fileEnding('.index'), 1),
  'an index file that is cut short': () => truncateSync(fileEnding('.index'), 1000),
  'a missing index file': () => rmSync(fileEnding('.index')),
  'a sources file that is cut short': () => truncateSync(fileEnding('.sources'), 1000),
  'a missing sources file': () => rmSync(fileEnding('.sources')),
  'live docs with a flipped bit': () => flipBit(fileEnding('.live'), 0.5),
  'missing live docs': () => rmSync(fileEnding('.live')),
  'the index of a version with another format': () => {
    const path = fileEnding('manifest.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"format":2', '"format":9'));
  },
};

describe('a damaged index', () => {
  for (const [damage, make] of Object.entries(FOUND_AT_START)) {
    test(`detects ${damage} at start, refuses searches, and rebuilds from the store`, async () => {
      make();
      const service = await startService(data);
      try {
        assert.match((await service.backend.unreadyReason()) ?? '', /rebuilt from the store/);
        assert.equal(await service.backend.committedSequence(), 0);
        await isUnavailable(linesInIndex(service.backend));
        await recovers(service);
      } finally {
        await service.stop();
      }
    });
  }

  for (const [what, flip] of Object.entries({
    'a source': () => flipBit(fileEnding('.sources'), 0.5),
    'a section of the index': () => flipBitOfSection(fileEnding('.index')),
  })) {
    test(`detects a flipped bit in ${what} when a running server reads it`, async () => {
      flip();
      const service = await startService(data);
      try {
        service.indexer.start();
        assert.equal(await service.backend.unreadyReason(), null);
        await isUnavailable(linesInIndex(service.backend));
        await recovers(service);
      } finally {
        await service.stop();
      }
    });
  }

  test('continues an interrupted rebuild after the next start, and refuses searches before', async () => {
    truncateSync(fileEnding('.index'), 1000);
    const first = await startService(data);
    const [change] = await first.store.read.changesAfter(0, 1);
    assert.ok(change);
    await first.backend.committedSequence();
    await first.backend.apply(change.tenantId, [change]);
    await first.backend.commit(change.sequence);
    await first.stop();
    const second = await startService(data);
    try {
      assert.equal(await second.backend.committedSequence(), change.sequence);
      assert.notEqual(await second.backend.unreadyReason(), null);
      await recovers(second);
    } finally {
      await second.stop();
    }
  });

  test('deletes an index that is ahead of its store', async () => {
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(join(data, `cardea.db${suffix}`), { force: true });
    }
    const service = await startService(data);
    try {
      assert.equal(await service.backend.committedSequence(), 0);
      assert.deepEqual(await linesInIndex(service.backend), []);
    } finally {
      await service.stop();
    }
  });

  test('deletes files without a manifest entry at start', async () => {
    const stray = join(indexPath(data), 's999999.index');
    writeFileSync(stray, 'x');
    writeFileSync(`${stray}.tmp`, 'x');
    const service = await startService(data);
    try {
      const names = readdirSync(indexPath(data));
      assert.ok(!names.some((name) => name.includes('s999999')));
      assert.deepEqual(await linesInIndex(service.backend), history.lines());
    } finally {
      await service.stop();
    }
  });
});
