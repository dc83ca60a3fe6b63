// GET /admin/v1/mirror and the metrics of mirrors: for the administrators of its tenant, and without
// names.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setUpMirror } from '../../src/service/mirrors/mirror-setup.ts';
import { addUser } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

const NO_COUNTS = { created: 0, updated: 0, unchanged: 0, deleted: 0, refused: 0 };
const INDEXES = [
  ...['accessprofiles', 'accountactivities', 'entitlements', 'events', 'identities', 'roles'],
];

let service: RunningService;
before(async () => {
  service = await startService({ CARDEA_METRICS: 'on' });
});
after(() => service.stop());

const metrics = async () => (await fetch(`${service.url}/metrics`)).text();

/** Makes a tenant the mirror of another one, copied an hour ago. */
async function addMirror(name: string): Promise<string> {
  const { store } = service.cardea;
  const sources = { source: 'https://elsewhere.example/', profilesSource: null };
  const tenant = await setUpMirror(store, { name, pod: null, ...sources, authUsers: 'none' });
  const copiedAt = new Date(Date.now() - 3_600_000).toISOString();
  await store.write(async (records) => {
    for (const index of INDEXES) {
      await records.putMirrorPart(tenant.id, {
        ...{ name: index, walk: null, copiedAt, newest: null, sweptAt: null, there: 3 },
        ...{ totals: NO_COUNTS, refusals: [], refusedIds: [], shrinking: null },
      });
    }
    await records.addMirrored(tenant.id, 'roles', ['r1', 'r2']);
  });
  return tenant.id;
}

test('shows nothing of the mirrors of other tenants, and metrics count them without names', async () => {
  assert.doesNotMatch(await metrics(), /^cardea_mirror/m);
  await addMirror('foreign');
  const answer = await service.call('GET', '/admin/v1/mirror');
  assert.deepEqual([answer.status, await answer.json()], [200, { mirror: null }]);
  const text = await metrics();
  assert.match(text, /^cardea_mirrors\{state="well"\} 1$/m);
  assert.match(text, /^cardea_mirrors\{state="failing"\} 0$/m);
  assert.match(text, /^cardea_mirror_lag_seconds\{of="oldest"\} 36\d\d$/m);
  assert.doesNotMatch(text, /foreign|elsewhere/);
});

test('shows the mirror of the tenant to its administrators only', async () => {
  const { store } = service.cardea;
  await store.write((records) =>
    records.putMirror({
      ...{ tenantId: service.tenantId, source: 'https://acme.example/', profilesSource: null },
      ...{ authUsers: 'none', running: null, runs: [], counted: NO_COUNTS, audited: NO_COUNTS },
    }),
  );
  const answer = await service.call('GET', '/admin/v1/mirror');
  const { mirror } = (await answer.json()) as { mirror: { source: string; lagSeconds: null } };
  assert.deepEqual([mirror.source, mirror.lagSeconds], ['https://acme.example/', null]);
  const helper = await addUser(service, { capabilities: ['HELPDESK'] });
  assert.equal((await helper.call('GET', '/admin/v1/mirror')).status, 403);
});
