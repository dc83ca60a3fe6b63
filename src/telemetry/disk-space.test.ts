import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { diskSpace, diskWarning, LOW_DISK_BYTES } from './disk-space.ts';

test('reads the space of a disk, and knows none of a missing directory', () => {
  const space = diskSpace(tmpdir());
  assert.ok(space !== null && space.size > 0 && space.free <= space.size);
  assert.equal(diskSpace('/missing/directory'), null);
});

test('warns of a disk that is full or nearly so', () => {
  const size = 10 * LOW_DISK_BYTES;
  assert.equal(diskWarning(null), null);
  assert.equal(diskWarning({ free: LOW_DISK_BYTES, size }), null);
  const sentence = diskWarning({ free: 3.5 * 1024 * 1024, size });
  assert.match(
    sentence ?? '',
    /^The disk of the data directory has 3 MiB free: writes are refused/,
  );
  assert.match(diskWarning({ free: 0, size }) ?? '', /has 0 MiB free/);
});
