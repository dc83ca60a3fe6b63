// One node that is asked for far more than it can do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Drills, drillLine } from './drill.ts';
import { startOneNode } from './one-node.ts';
import { OVERLOAD_SETTINGS, overload, overloadLine } from './overload.ts';

const folder = mkdtempSync(join(tmpdir(), 'cardea-overload-'));
const one = await startOneNode(join(folder, 'data'), { settings: OVERLOAD_SETTINGS });
after(async () => {
  await one.node.kill();
  rmSync(folder, { recursive: true, force: true });
});

test('sustained overload: early 503s, bounded memory, and well again by itself', async (t) => {
  const figures = await overload(one, await Drills.begin(one));
  t.diagnostic(drillLine(figures));
  t.diagnostic(overloadLine(figures));
});
