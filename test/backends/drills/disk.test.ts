// A disk that fills up under a node with everything embedded (robustness line 34): a small file system of its own, for
// which the test must be root. Writes are 503, reads go on, and when there is room again so do writes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Drills, drillLine } from './drill.ts';
import { eventually } from './eventually.ts';
import { assertReadsGoOn, startOneNode } from './one-node.ts';

const disk = mkdtempSync(join(tmpdir(), 'cardea-disk-'));
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'cardea-drill', disk]);
const drilled = await startOneNode(join(disk, 'data'));
after(async () => {
  await drilled.node.kill();
  // Lazily: what is still open there ends with this process.
  execFileSync('umount', ['--lazy', disk]);
  rmdirSync(disk);
});

test('a full disk: writes are 503, reads go on, nothing acknowledged is lost, and a start is clean', async (t) => {
  const drills = await Drills.begin(drilled);
  const ballast = join(disk, 'ballast');
  const full = await drills.run('full disk', async ({ faults }) => {
    const before = faults();
    fill(ballast);
    await eventually('writes are refused', () => faults() >= before + 20);
    await assertReadsGoOn(drilled);
    await assertStaysReady();
    rmSync(ballast);
  });
  assert.deepEqual([...full.faults.keys()], ['503']);
  t.diagnostic(drillLine(full));
  const again = await drills.run('full disk, and a start on it', async () => {
    fill(ballast);
    await drilled.node.kill();
    rmSync(ballast);
    await drilled.node.start();
  });
  t.diagnostic(drillLine(again));
});

/**
 * Polls `/ready` until a commit of the index has failed, too: what was searchable before the disk was
 * full is committed seconds later.
 */
async function assertStaysReady(): Promise<void> {
  await eventually('/ready warns of the disk and of the index', async () => {
    const answer = await fetch(`${drilled.url}/ready`);
    const text = await answer.text();
    assert.equal(answer.status, 200, `${text}\n${drilled.node.output}`);
    return /MiB free/.test(text) && /search index cannot be written/.test(text);
  });
}

/** Takes what room there is. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const size of [1 << 20, 1 << 12]) {
      const block = Buffer.alloc(size);
      try {
        while (writeSync(file, block) === size);
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
      }
    }
  } finally {
    closeSync(file);
  }
}
