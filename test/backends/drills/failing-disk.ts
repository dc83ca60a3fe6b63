// Drills on a disk that answers EIO below a node with everything embedded (robustness line 34): what was not seen on
// the disk is never acknowledged, searches go on, and writes are taken again when the disk works again.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type FailingCallsOptions, failCalls } from '../../support/failing-calls.ts';
import { runCardea } from '../../support/node-process.ts';
import type { DrillFigures, Drills } from './drill.ts';
import { eventually } from './eventually.ts';
import { assertReadsGoOn, type OneNode } from './one-node.ts';

const SEEN = 20;
const LOG = 'cardea.db-wal';
const ERROR = { error: 'EIO' } as const;
const FSYNC: FailingCallsOptions = { ...ERROR, calls: ['fsync', 'fdatasync'] };

/** Nothing can be seen to be on the disk, neither of the store nor of the index. */
export function failFsync(one: OneNode, drills: Drills): Promise<DrillFigures> {
  return refused(one, drills, 'every fsync fails', FSYNC);
}

/** The store's files take nothing. */
export function failWrites(one: OneNode, drills: Drills): Promise<DrillFigures> {
  const paths = [one.store, join(one.dataDir, LOG)];
  const calls = ['write', 'pwrite64', 'writev', 'pwritev', 'ftruncate'];
  return refused(one, drills, "writes to the store's files fail", { ...ERROR, calls, paths });
}

/** What the index cannot commit is fed to it again; nobody who writes or searches notices. */
export async function failIndexCommits(one: OneNode, drills: Drills): Promise<DrillFigures> {
  const index = join(one.dataDir, 'index');
  const paths = [index, join(index, 'manifest.json.tmp')];
  const figures = await drills.run('commits of the index fail', async ({ acknowledged }) => {
    const disk = await failCalls(one.node.pid, { ...FSYNC, paths });
    await eventually('two commits of the index fail', () => disk.failed(index) >= 2);
    const before = acknowledged();
    await eventually('writes go on', () => acknowledged() >= before + SEEN);
    await disk.heal();
  });
  assert.deepEqual([...figures.faults], [], figures.reasons.join('\n'));
  return figures;
}

/** A power cut in the middle of it; then the next start finds all that was acknowledged, and nothing to mend. */
export async function failAndRestart(one: OneNode, drills: Drills): Promise<DrillFigures> {
  return drills.run('every fsync fails, and a start after it', async ({ faults }) => {
    const disk = await failCalls(one.node.pid, FSYNC);
    const before = faults();
    await eventually('writes are refused', () => faults() >= before + SEEN);
    await one.node.kill();
    await disk.heal();
    await one.node.start();
    runCardea(['doctor'], { CARDEA_DATA_DIR: one.dataDir });
  });
}

async function refused(
  one: OneNode,
  drills: Drills,
  name: string,
  failing: FailingCallsOptions,
): Promise<DrillFigures> {
  const figures = await drills.run(name, async ({ acknowledged, faults }) => {
    const disk = await failCalls(one.node.pid, failing);
    // What was on its way is answered.
    await eventually('the store hears of it', () => disk.failed(LOG) > 0);
    const before = { faults: faults(), kept: acknowledged() };
    await eventually('writes are refused', () => faults() >= before.faults + SEEN);
    await assertReadsGoOn(one);
    assert.ok(acknowledged() <= before.kept + UNDER_WAY, 'writes are acknowledged');
    await disk.heal();
  });
  assert.deepEqual([...figures.faults.keys()], ['503'], figures.reasons.join('\n'));
  return figures;
}

/** Writes of the load that may be kept and not yet acknowledged when the disk begins to fail: one for each client. */
const UNDER_WAY = 4;
