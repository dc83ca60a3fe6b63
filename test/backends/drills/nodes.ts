// Drills that take nodes away: killed one after the other, and replaced one after the other as an upgrade does it.
import assert from 'node:assert/strict';
import type { DrillFigures, Drills } from './drill.ts';
import { eventually } from './eventually.ts';
import type { Installation } from './installation.ts';

/** kill -9, the node that feeds the search first; the others go on, and it comes back. */
export async function killNodes(
  installation: Installation,
  drills: Drills,
): Promise<DrillFigures[]> {
  const figures: DrillFigures[] = [];
  const [feeder, ...others] = await installation.feederFirst();
  assert.ok(feeder !== undefined && (await feeder.feeds()), 'no node feeds the search');
  for (const node of [feeder, ...others]) {
    const name = node === feeder ? 'kill -9 the node that feeds' : 'kill -9 another node';
    figures.push(await drills.run(name, () => node.kill()));
    const [next] = await installation.feederFirst();
    assert.ok(await next?.feeds(), 'nobody feeds the search');
    figures.push(await drills.run('… and start it again', () => node.start()));
  }
  return figures;
}

/** Each node ends as an operator ends it, and a new process takes its place over the same database. */
export async function replaceNodes(
  installation: Installation,
  drills: Drills,
): Promise<DrillFigures> {
  return drills.run('rolling upgrade: all three replaced', async ({ acknowledged }) => {
    for (const node of installation.nodes) {
      const before = acknowledged();
      await node.stop();
      await node.start();
      await eventually('the new node is ready', () => node.ready());
      await eventually('clients went on writing', () => acknowledged() > before);
    }
  });
}
