// Every conversation of a published program, on a service with the demo company.
// test/backends/three-nodes.test.ts runs it on OpenSearch, test/mirror/programs.test.ts on a mirror.
import { after, before, test } from 'node:test';
import { demoDocuments } from '../../src/demo/documents.ts';
import { withApiKey } from '../support/api-key.ts';
import { putDemoProfiles } from '../support/demo-profiles.ts';
import { documented } from '../support/documented.ts';
import { type RunningService, startService } from '../support/service.ts';
import { firstValues, play, type Target, type Values } from './conversation.ts';
import { PROGRAMS } from './programs.ts';

const IDENTITIES = 60;

let service: RunningService;
let target: Target;
let values: Values;

before(async () => {
  // What programs of profile management expect.
  service = await startService({ CARDEA_COLLECTION_ENVELOPE: 'keyed' });
  const now = Date.now();
  await service.addDocuments([...demoDocuments({ seed: 3, identities: IDENTITIES, now })]);
  await putDemoProfiles(service, 90, new Date(now).toISOString(), IDENTITIES);
  const { url, clientId, clientSecret } = service;
  const { key } = await withApiKey(service);
  target = { url, clientId, clientSecret, apiKey: key, check: documented };
  values = firstValues(target, now);
});
after(() => service.stop());

for (const program of PROGRAMS) {
  test(`${program.name} has its conversation`, () => play(program, target, values));
}
