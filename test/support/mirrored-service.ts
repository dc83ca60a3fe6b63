// Test services that mirror another service: tests add to the origin, and call the mirror.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createCredential } from '../../src/service/credentials/credentials.ts';
import { temporaryFolder, writeEmptyStore } from './empty-store.ts';
import { mirrored } from './remote-tenant.ts';
import { type RunningService, serveMirrored, useInfrastructure } from './service.ts';

/** Makes the services that this process starts from now on mirrors of others. */
export function useMirrors(): void {
  useInfrastructure({ settings: async () => ({}), replace: startMirrorOf });
}

async function startMirrorOf(
  origin: RunningService,
  settings: Record<string, string>,
): Promise<RunningService> {
  const { cardea, tenantId, clientId, clientSecret, url: baseUrl } = origin;
  const { secret: apiKey } = await createCredential(cardea.store, tenantId, 'key', {
    name: 'mirror',
  });
  const credentials = { tenant: 'test', clientId, clientSecret, apiKey };
  const dataDir = temporaryFolder();
  await writeEmptyStore(join(dataDir, 'cardea.db'));
  // Tests add documents whose times of change lie before the last run.
  const flags = ['--rate', 'off', '--auth-users', 'none', '--profiles-from', baseUrl, '--full'];
  const copy = async () => {
    const { code, outcome, faults, err } = await mirrored({ baseUrl, credentials }, dataDir, flags);
    assert.deepEqual([code, outcome, faults], [0, 'complete', []], err);
  };
  await copy();
  const mirror = await serveMirrored(dataDir, settings);
  const arrival = async () => {
    await copy();
    await mirror.arrival();
  };
  return {
    ...mirror,
    ...{ origin, arrival },
    async addDocuments(documents) {
      const report = await origin.addDocuments(documents);
      await arrival();
      return report;
    },
    async stop() {
      await mirror.stop();
      await origin.stop();
    },
  };
}
