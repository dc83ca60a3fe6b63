// What remains of an auth user after a mirror has deleted it is the same as after an administrator has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ORG_ADMIN } from '../../src/auth/capabilities.ts';
import { TOKEN_POLICIES } from '../../src/auth/confinement.ts';
import { createCredential } from '../../src/service/credentials/credentials.ts';
import { openTestMirror } from '../support/mirror-world.ts';

const TIME = '2025-01-01T00:00:00.000Z';
const ADA = { id: 'ada', _type: 'identity', name: 'ada', created: TIME, modified: TIME };
const USERS = { sweepEveryMs: 0, authUsers: 'all' } as const;

for (const policy of TOKEN_POLICIES) {
  test(`the policy ${policy} decides what becomes of the API keys of a removed user`, async (t) => {
    const mirror = await openTestMirror({ CARDEA_TOKEN_POLICY: policy });
    t.after(() => mirror.close());
    mirror.tenant.rows = [ADA];
    await mirror.run(USERS);
    const { store, tenantId } = mirror.world();
    await createCredential(store, tenantId, 'key', { name: 'of ada' }, { ownerId: 'ada' });
    mirror.tenant.hasUser = () => false;
    const { outcome, counts } = await mirror.run(USERS);
    assert.deepEqual([outcome, counts.deleted], ['complete', 1]);
    const keys = (await store.read.credentialsOf(tenantId, 'key')).map(({ name }) => name);
    assert.deepEqual(keys, policy === 'vendor' ? ['of ada'] : []);
  });
}

test('the last administrator is not removed, and the run says why', async (t) => {
  const mirror = await openTestMirror();
  t.after(() => mirror.close());
  mirror.tenant.rows = [ADA];
  await mirror.run(USERS);
  const { store, tenantId } = mirror.world();
  const others = await store.read.authUserPage(tenantId, '', 10);
  await store.write(async (records) => {
    await records.setCapabilities(tenantId, 'ada', [ORG_ADMIN], []);
    for (const { id, capabilities } of others.filter((user) => user.id !== 'ada')) {
      await records.setCapabilities(tenantId, id, [], capabilities);
    }
  });
  mirror.tenant.hasUser = () => false;
  const { counts, refused } = await mirror.run(USERS);
  assert.deepEqual([counts.deleted, refused.length], [0, 1]);
  assert.match(refused[0]?.reason ?? '', /at least one enabled user with ORG_ADMIN/);
  assert.notEqual(await store.read.authUser(tenantId, 'ada'), null);
});
