import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import { SegmentSources, storedSources } from './segment-sources.ts';

/** Why open files cannot be listed. */
const NO_PROC = existsSync('/proc/self/fd') ? false : 'the system has no /proc';
const BYTES = Uint8Array.from({ length: 50_000 }, (_, i) => i % 251);
let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cardea-sources-'));
  path = join(directory, 's1.sources');
  writeFileSync(path, BYTES);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const READS = [
  [0, 10],
  [10, 5],
  [8_190, 10],
  [20_000, 20_000],
  [49_990, 10],
  [3, 0],
  [0, 50_000],
] as const;

for (const readAhead of [0, 8_192]) {
  test(`reads the same bytes from memory and from the file, at least ${readAhead} at a time`, () => {
    const sources = new SegmentSources('s1', { kind: 'memory', bytes: BYTES }, readAhead);
    const read = () => READS.map(([offset, length]) => Buffer.from(sources.read(offset, length)));
    const expected = READS.map(([offset, length]) =>
      Buffer.from(BYTES.slice(offset, offset + length)),
    );
    assert.deepEqual(read(), expected);
    sources.moveToFile(path);
    assert.deepEqual(read(), expected);
    assert.deepEqual(read().reverse(), [...expected].reverse());
    sources.release();
  });
}

test('later reads do not change bytes returned before', () => {
  const sources = storedSources('s1', path, BYTES.length);
  const first = sources.read(0, 100);
  sources.read(30_000, 100);
  assert.deepEqual(Buffer.from(first), Buffer.from(BYTES.slice(0, 100)));
  sources.release();
});

test('a missing file or one of another length is a damaged segment', () => {
  truncateSync(path, 100);
  assert.throws(() => storedSources('s1', path, BYTES.length), CorruptSegmentError);
  rmSync(path);
  assert.throws(() => storedSources('s1', path, BYTES.length), CorruptSegmentError);
});

test('a file removed while a search uses it can still be read', () => {
  const sources = storedSources('s1', path, BYTES.length);
  sources.read(0, 1);
  sources.retain();
  sources.release();
  assert.equal(sources.inUse, true);
  rmSync(path);
  assert.equal(sources.read(40_000, 10).length, 10);
  sources.release();
  assert.equal(sources.inUse, false);
});

test('a read after the last release leaves no file open', { skip: NO_PROC }, () => {
  const sources = storedSources('s1', path, BYTES.length);
  sources.read(0, 1);
  sources.release();
  assert.equal(sources.read(40_000, 10).length, 10);
  const open = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // Closed since the folder was listed.
      return '';
    }
  });
  assert.ok(!open.includes(realpathSync(path)));
});
