// Drills that cut lines between nodes and services: silently, so that only time tells, and by reset.
import assert from 'node:assert/strict';
import type { NodeProcess } from '../../support/node-process.ts';
import { assertOnlyPutOff, type DrillFigures, type Drills } from './drill.ts';
import { eventually } from './eventually.ts';
import type { Installation } from './installation.ts';

const SEEN = 20;

async function untilOneFeeds(nodes: readonly NodeProcess[]): Promise<void> {
  await eventually('another node feeds', async () => {
    const feeds = await Promise.all(nodes.map((node) => node.feeds()));
    return feeds.some((feeding) => feeding);
  });
}

/** It believes for a while that it still feeds; another node takes over, and nothing is fed twice or lost. */
export async function cutFeederFromPostgres(
  installation: Installation,
  drills: Drills,
): Promise<DrillFigures> {
  const [feeder, ...others] = await installation.feederFirst();
  const line = installation.lines[installation.nodes.indexOf(feeder as never)]?.postgres;
  assert.ok(line);
  return drills.run('the feeding node hears nothing of PostgreSQL', async () => {
    line.cut('silent');
    await untilOneFeeds(others);
    line.mend();
  });
}

/** It leaves the lock to another one, and what is written meanwhile is found at the others. */
export async function silenceFeederAndOpenSearch(
  installation: Installation,
  drills: Drills,
): Promise<DrillFigures> {
  const [feeder, ...others] = await installation.feederFirst();
  const line = installation.lines[installation.nodes.indexOf(feeder as never)]?.openSearch;
  assert.ok(line);
  return drills.run('the feeding node hears nothing of OpenSearch', async ({ acknowledged }) => {
    line.cut('silent');
    await untilOneFeeds(others);
    const before = acknowledged();
    await eventually('writes go on', () => acknowledged() >= before + SEEN);
    await drills.foundAt(others);
    line.mend();
  });
}

/** Too short for another one to take over: what was written meanwhile is fed when the line is whole again. */
export async function cutFeederFromOpenSearch(
  installation: Installation,
  drills: Drills,
): Promise<DrillFigures> {
  const [feeder] = await installation.feederFirst();
  const line = installation.lines[installation.nodes.indexOf(feeder as never)]?.openSearch;
  assert.ok(line);
  return drills.run('the feeding node is reset by OpenSearch', async ({ acknowledged, faults }) => {
    line.cut('reset');
    const before = { kept: acknowledged(), faults: faults() };
    await eventually('clients hear of it', () => faults() > before.faults);
    await eventually('writes go on', () => acknowledged() >= before.kept + SEEN);
    line.mend();
  });
}

/**
 * The last node, which feeds, loses its way to PostgreSQL, OpenSearch and Redis at once; its clients still reach it.
 * Another one takes over, and it is one of three again when the way is there.
 */
export async function isolateFeeder(
  installation: Installation,
  drills: Drills,
): Promise<DrillFigures> {
  const { nodes, lastNodesWay: way } = installation;
  const last = nodes.at(-1);
  assert.ok(last);
  await eventually('the last node feeds', async () => {
    const [feeder] = await installation.feederFirst();
    if (feeder === last) return last.feeds();
    // Who ends leaves the lock to one of the others.
    await feeder?.stop();
    await feeder?.start();
    return false;
  });
  const others = nodes.filter((node) => node !== last);
  return drills.run('a node, which feeds, hears nothing of any service', async (fault) => {
    way.cut();
    const before = fault.faults();
    await untilOneFeeds(others);
    await eventually('its clients are told', () => fault.faults() > before);
    await drills.foundAt(others);
    way.mend();
  });
}

/** Each node counts for itself. */
export async function cutRedis({ lines }: Installation, drills: Drills): Promise<DrillFigures> {
  const figures = await drills.run('no node hears anything of Redis', async ({ acknowledged }) => {
    for (const { redis } of lines) redis.cut('silent');
    const before = acknowledged();
    await eventually('writes go on', () => acknowledged() >= before + SEEN);
    for (const { redis } of lines) redis.mend();
  });
  assertOnlyPutOff(figures);
  return figures;
}
