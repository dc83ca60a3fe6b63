// Three nodes over PostgreSQL, OpenSearch and Redis under load: each is killed, then each replaced.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Drills, drillLine } from './drill.ts';
import { startInstallation } from './installation.ts';
import { killNodes, replaceNodes } from './nodes.ts';

const installation = await startInstallation();
after(() => installation.stop());
const drills = await Drills.begin(installation);

test('each node is killed in turn: the others go on, and no write is lost or applied twice', async (t) => {
  for (const figures of await killNodes(installation, drills)) t.diagnostic(drillLine(figures));
});

test('nodes are replaced one after the other, old beside new: clients hear of it by 503 at most', async (t) => {
  const figures = await replaceNodes(installation, drills);
  t.diagnostic(drillLine(figures));
  assert.ok(!figures.faults.has('no answer'));
});
