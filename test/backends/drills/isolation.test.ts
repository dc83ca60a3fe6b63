// Three nodes under load, of which one lives in a network of its own whose link to all services goes down. Where this
// machine has no network namespaces, relays go silent instead; the output says which it was.
import { after, test } from 'node:test';
import { Drills, drillLine } from './drill.ts';
import { startInstallation } from './installation.ts';
import { isolateFeeder } from './network.ts';

const installation = await startInstallation({ apart: true });
after(() => installation.stop());

test('the link of the feeding node goes down: another one takes over, and no write is lost', async (t) => {
  t.diagnostic(installation.lastNodesWay.how);
  const drills = await Drills.begin(installation);
  t.diagnostic(drillLine(await isolateFeeder(installation, drills)));
});
