import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORMAT } from '../requests/index-template.ts';
import { FIRST_GENERATION, generationAfter } from './committed-state.ts';
import { IndexUpkeep, type UpkeepOptions } from './index-upkeep.ts';

const LOG = { info: () => {}, warn: () => {} };
const NEXT = generationAfter(FIRST_GENERATION);

/**
 * The upkeep of two generations, of which the first answers, and what it does.
 * @param former indexes of an earlier version
 */
function upkeepOf(isLaidOutOtherwise: boolean, graceMs: number, ...former: readonly string[]) {
  const deleted: string[] = [];
  const settings = { applied: 0 };
  const aliases = { taken: 0 };
  const generations = [FIRST_GENERATION, NEXT];
  const all = [
    ...generations.map((generation) => ({
      name: generation,
      mark: { format: FORMAT, generation },
    })),
    ...former.map((name) => ({ name, mark: { format: FORMAT - 1, generation: name } })),
  ];
  const indexes = {
    generation: FIRST_GENERATION,
    isLaidOutOtherwise: () => isLaidOutOtherwise,
    applySettings: async () => {
      settings.applied += 1;
      return 0;
    },
    takeAliases: async () => {
      aliases.taken += 1;
    },
  };
  const upkeep = new IndexUpkeep({
    client: { send: async ({ path }: { path: string }) => void deleted.push(path) },
    remote: { list: async () => all },
    state: { remove: async () => {}, removeFormat: async () => {} },
    open: { update: async () => {}, sweep: async () => {} },
    log: LOG,
    answering: { connected: async () => ({ indexes, rebuildUntil: null }) },
    ...{ graceMs, intervalMs: 0 },
  } as unknown as UpkeepOptions);
  return { upkeep, deleted, settings, aliases };
}

for (const [isLaidOutOtherwise, graceMs, expected] of [
  [false, 0, [`/${NEXT}`]],
  [true, 0, []],
  [false, 60_000, []],
] as const) {
  const what = isLaidOutOtherwise ? 'is to replace the indexes' : 'is not needed any more';
  test(`a generation that ${what} ${expected.length === 0 ? 'stays' : 'is deleted'} after ${graceMs} ms`, async () => {
    const { upkeep, deleted } = upkeepOf(isLaidOutOtherwise, graceMs);
    await upkeep.run();
    assert.deepEqual(deleted, expected);
  });
}

test('the aliases are written again once indexes are deleted, of a generation, an earlier version or both', async () => {
  for (const [isLaidOutOtherwise, former, taken] of [
    [true, [], 0],
    [false, [], 1],
    [true, ['former'], 1],
    [false, ['former'], 1],
  ] as const) {
    const { upkeep, deleted, aliases } = upkeepOf(isLaidOutOtherwise, 0, ...former);
    await upkeep.run();
    assert.equal(aliases.taken, taken, deleted.join());
    assert.equal(deleted.includes('/former'), former.length > 0);
  }
});

test('settings are applied once to each generation that answers', async () => {
  const { upkeep, settings } = upkeepOf(true, 0);
  await upkeep.run();
  await upkeep.run();
  assert.equal(settings.applied, 1);
  upkeep.replaced();
  await upkeep.run();
  await upkeep.run();
  assert.equal(settings.applied, 2);
});
