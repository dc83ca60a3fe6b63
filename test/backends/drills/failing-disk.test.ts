// One node under load, on a disk that fails for a while and works again.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Drills, drillLine } from './drill.ts';
import { failAndRestart, failFsync, failIndexCommits, failWrites } from './failing-disk.ts';
import { startOneNode } from './one-node.ts';

const folder = mkdtempSync(join(tmpdir(), 'cardea-failing-disk-'));
const one = await startOneNode(join(folder, 'data'));
after(async () => {
  await one.node.kill();
  rmSync(folder, { recursive: true, force: true });
});
const drills = await Drills.begin(one);

for (const [name, run] of [
  ['fsync fails: writes are 503, reads go on, and nothing acknowledged is lost', failFsync],
  ["writes to the store's files fail: the same", failWrites],
  ['commits of the index fail: nobody notices, and all is fed again', failIndexCommits],
  ['fsync fails and the node is killed: a start is clean', failAndRestart],
] as const) {
  test(name, async (t) => t.diagnostic(drillLine(await run(one, drills))));
}
