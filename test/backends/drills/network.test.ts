// Three nodes under load, and lines between them and what is below are cut and mended.
import { after, test } from 'node:test';
import { Drills, drillLine } from './drill.ts';
import { startInstallation } from './installation.ts';
import {
  cutFeederFromOpenSearch,
  cutFeederFromPostgres,
  cutRedis,
  silenceFeederAndOpenSearch,
} from './network.ts';

const installation = await startInstallation();
after(() => installation.stop());
const drills = await Drills.begin(installation);

for (const [name, run] of [
  ['the feeding node is cut off from PostgreSQL: another one takes over', cutFeederFromPostgres],
  [
    'the feeding node is cut off from OpenSearch: what waited is found afterwards',
    cutFeederFromOpenSearch,
  ],
  [
    'the feeding node hears nothing of OpenSearch: another one takes over',
    silenceFeederAndOpenSearch,
  ],
  ['all nodes are cut off from Redis: they go on by themselves', cutRedis],
] as const) {
  test(name, async (t) => t.diagnostic(drillLine(await run(installation, drills))));
}
