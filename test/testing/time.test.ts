// suite: slow
// The clock and the index lag of a tenant for tests.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTenant, type TestTenant } from '../../src/testing/index.ts';
import { TestClient } from './client.ts';

const NOW = '2031-05-06T07:08:09.000Z';
const role = (id: string, created: string) => ({ _type: 'role', id, name: id, created });

describe('the clock', () => {
  let tenant: TestTenant;
  let client: TestClient;
  before(async () => {
    tenant = await startTenant({ identities: 0, now: NOW });
    client = new TestClient(tenant);
  });
  after(() => tenant.close());

  test('rules date math and the times of records, and stands still', async () => {
    await tenant.seed([role('old', '2031-04-01T00:00:00Z'), role('new', '2031-05-01T00:00:00Z')]);
    assert.deepEqual(await client.ids('roles', 'created:[now-30d TO now]'), ['new']);
    await tenant.setNow(new Date('2031-04-10T00:00:00Z'));
    assert.deepEqual(await client.ids('roles', 'created:[now-30d TO now]'), ['old']);
    const key = await client.call('GET', '/admin/v1/clock');
    assert.deepEqual(await key.json(), { now: '2031-04-10T00:00:00.000Z', mode: 'frozen' });
    await tenant.setNow('real');
    assert.equal(
      ((await (await client.call('GET', '/admin/v1/clock')).json()) as { mode: string }).mode,
      'real',
    );
    await tenant.reset();
    assert.deepEqual(await (await client.call('GET', '/admin/v1/clock')).json(), {
      now: NOW,
      mode: 'frozen',
    });
  });

  test('does not rule tokens', async () => {
    await tenant.setNow('1999-01-01T00:00:00Z');
    assert.equal(
      (await client.call('POST', '/v2024/search', { indices: ['roles'], query: { query: '*' } }))
        .status,
      200,
    );
    await new TestClient(tenant).newToken();
  });

  test('rejects a time that is none', async () => {
    await assert.rejects(tenant.setNow('tomorrow'), /must be real, an instant such as/);
  });
});

test('an index lag delays what searches see, but not preparations and refresh=wait', async () => {
  // So long that no test could wait for it.
  const tenant = await startTenant({ identities: 0, indexLag: '10m' });
  const client = new TestClient(tenant);
  const post = (id: string) =>
    client.call('POST', '/admin/v1/documents', [role(id, '2031-04-01T00:00:00Z')]);
  assert.equal((await post('late')).status, 200);
  assert.deepEqual(await client.ids('roles', '*'), []);
  await tenant.seed([role('seeded', '2031-04-01T00:00:00Z')]);
  assert.deepEqual(await client.ids('roles', '*'), ['late', 'seeded']);
  await tenant.reset();
  assert.deepEqual(await client.ids('roles', '*'), []);
  await tenant.close();
  const quick = await startTenant({ identities: 0, indexLag: '100ms-200ms' });
  const answer = await new TestClient(quick).call('POST', '/admin/v1/documents?refresh=wait', [
    role('r1', '2031-04-01T00:00:00Z'),
  ]);
  assert.equal(answer.status, 200);
  assert.deepEqual(await new TestClient(quick).ids('roles', '*'), ['r1']);
  await quick.close();
});
