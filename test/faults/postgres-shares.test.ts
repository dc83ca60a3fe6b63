// suite: slow
// Reads that wait in PostgreSQL, as behind the lock of a foreign session, hold up neither the tokens, searches and revocations of
// others, nor the readiness of the node.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { addTenant, tokenOf } from '../support/callers.ts';
import { eventually } from '../support/eventually.ts';
import { startPostgres } from '../support/postgres.ts';
import { addServedTenant, type RunningService, startService } from '../support/service.ts';

const postgres = await startPostgres();
let service: RunningService;
let foreign: Client;
before(async () => {
  const url = await postgres.database('shares');
  service = await startService({ CARDEA_STORE_URL: url, CARDEA_STORE_POOL: '4' });
  foreign = new Client({ connectionString: url });
  await foreign.connect();
});
after(async () => {
  await foreign?.end();
  await service?.stop();
  await postgres.stop();
});

test('a tenant whose reads wait for a lock holds up no other tenant', async () => {
  const other = await addServedTenant(service, 'other');
  await other.addDocuments([{ _type: 'role', id: 'r-1', name: 'Role' }]);
  const spare = await addTenant(service, 'spare');
  await foreign.query('begin; lock table profile in access exclusive mode');
  const reads = Array.from({ length: 12 }, () => service.call('GET', '/api/profiles'));
  await eventually(async () => {
    const { rows } = await foreign.query(
      "select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock'",
    );
    assert.ok(rows[0].waiting > 0);
  });
  try {
    // All of this is answered while the lock is held.
    const query = { indices: ['roles'], query: { query: 'name:Role' } };
    assert.equal((await other.call('POST', '/v3/search', query)).status, 200);
    assert.equal((await other.call('GET', '/v3/search/roles/r-1')).status, 200);
    const token = await tokenOf(service.url, spare);
    const body = new URLSearchParams({
      ...{ token, client_id: spare.clientId, client_secret: spare.clientSecret },
    });
    const revoked = await fetch(`${service.url}/oauth/revoke`, { method: 'POST', body });
    assert.equal(revoked.status, 200);
    assert.equal((await fetch(`${service.url}/ready`)).status, 200);
    // And so are reads of profile management of another tenant that read other tables.
    assert.equal((await other.call('GET', '/api/profile_types')).status, 200);
  } finally {
    await foreign.query('rollback');
  }
  // Its own reads wait for one another; those that waited too long are to be sent again.
  const statuses = (await Promise.all(reads)).map(({ status }) => status);
  assert.ok(statuses.includes(200), statuses.join());
  assert.ok(
    statuses.every((status) => status === 200 || status === 503),
    statuses.join(),
  );
});
