// A clock that jumps under a node with everything embedded (robustness line 38). The machine's own clock is everybody's,
// so the process is given one that can be moved: what it reads as the time jumps by an hour, ahead and back.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { decodeJwt } from 'jose';
import { Drills, drillLine } from './drill.ts';
import { eventually } from './eventually.ts';
import { startOneNode } from './one-node.ts';

const HOUR_MS = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), 'cardea-clock-'));
const clock = join(folder, 'clock');
const drilled = await startOneNode(join(folder, 'data'), {
  settings: { DRILL_CLOCK: clock, CARDEA_RATE_LIMIT: '1000000/60' },
  nodeFlags: ['--import', import.meta.resolve('./moved-clock.js')],
});
after(async () => {
  await drilled.node.kill();
  rmSync(folder, { recursive: true, force: true });
});
const drills = await Drills.begin(drilled);

for (const [name, offsetMs] of [
  ['an hour ahead', HOUR_MS],
  ['and back again', 0],
  ['an hour back', -HOUR_MS],
] as const) {
  test(`the clock jumps ${name}: tokens stay good, and every write is kept once and in order`, async (t) => {
    const figures = await drills.run(`the clock jumps ${name}`, async ({ acknowledged }) => {
      writeFileSync(clock, String(offsetMs));
      drilled.node.signal('SIGUSR2');
      await eventually('the node goes by the new time', async () => {
        const { iat = 0 } = decodeJwt(await drilled.newToken());
        const aheadMs = iat * 1000 - Date.now();
        return Math.abs(aheadMs - offsetMs) < HOUR_MS / 2;
      });
      const before = acknowledged();
      await eventually('writes go on', () => acknowledged() >= before + 20);
    });
    assert.deepEqual([...figures.faults], [], figures.reasons.join('\n'));
    t.diagnostic(drillLine(figures));
  });
}
