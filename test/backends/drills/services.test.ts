// Three nodes under load, and each of the services below them is killed and comes back.
import { after, test } from 'node:test';
import { Drills, drillLine } from './drill.ts';
import { startInstallation } from './installation.ts';
import { killOpenSearch, killPostgres, killRedis } from './services.ts';

const installation = await startInstallation();
after(() => installation.stop());
const drills = await Drills.begin(installation);

for (const [name, run] of [
  [
    'PostgreSQL is killed: writes are 503 meanwhile, and none is lost or applied twice',
    killPostgres,
  ],
  ['OpenSearch is killed: writes go on, and all of them are found afterwards', killOpenSearch],
  ['Redis is killed: the nodes go on by themselves', killRedis],
] as const) {
  test(name, async (t) => t.diagnostic(drillLine(await run(installation, drills))));
}
