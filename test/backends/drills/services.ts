// Drills that take services away: PostgreSQL, OpenSearch and Redis are killed and come back with their data, as far as
// they keep any.
import { assertOnlyPutOff, type DrillFigures, type Drills } from './drill.ts';
import { eventually } from './eventually.ts';
import type { Installation } from './installation.ts';

/** So much must be seen while a service is away. */
const SEEN = 20;

export async function killPostgres(
  { postgres }: Installation,
  drills: Drills,
): Promise<DrillFigures> {
  return drills.run('kill PostgreSQL', async ({ faults }) => {
    await postgres.kill();
    const before = faults();
    await eventually('clients hear of it', () => faults() >= before + SEEN);
    await postgres.restart();
  });
}

export async function killOpenSearch(
  { openSearch }: Installation,
  drills: Drills,
): Promise<DrillFigures> {
  return drills.run('kill OpenSearch', async ({ acknowledged, faults }) => {
    await openSearch.kill();
    const before = { kept: acknowledged(), faults: faults() };
    await eventually('clients hear of it', () => faults() >= before.faults + SEEN);
    await eventually('writes go on', () => acknowledged() >= before.kept + SEEN);
    await openSearch.restart();
  });
}

/** Each node goes on by its own count. */
export async function killRedis({ redis }: Installation, drills: Drills): Promise<DrillFigures> {
  const figures = await drills.run('kill Redis', async ({ acknowledged }) => {
    await redis.kill();
    const before = acknowledged();
    await eventually('writes go on', () => acknowledged() >= before + SEEN);
    await redis.restart();
  });
  assertOnlyPutOff(figures);
  return figures;
}
