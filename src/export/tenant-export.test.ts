// An export of a tenant that changes meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testTenant } from '../../test/support/tenant.ts';
import { withRecords } from '../service/ports/forwarding-store.ts';
import type { Profile } from '../service/ports/profile-records.ts';
import type { User } from '../service/ports/resources.ts';
import type { Records } from '../service/ports/store.ts';
import { TenantExport } from './tenant-export.ts';

const AT = '2026-01-01T00:00:00.000Z';

const userOf = (id: string, profileId: string | null): User => ({
  ...{ id, uid: id, createdAt: AT, updatedAt: AT, name: id, email: `${id}@acme.test`, profileId },
  ...{ login: id, type: 'NeaccessUser', status: 'Active', title: null, lastLogin: null },
  ...{ cookiesAcceptedAt: null, preferredLanguage: null, locale: null, groupStrings: null },
  sailpointIdentityId: null,
});

const profileOf = (id: string): Profile => ({
  ...{ id, uid: `uid-of-${id}`, name: 'P', profileTypeId: 't', status: 'Active' },
  ...{ idProofingStatus: null, archived: false, createdAt: AT, updatedAt: AT },
});

const exportOf = (records: Records, tenantId: string) =>
  new TenantExport({ records, tenantId, indexes: [], findMatches: null, anonymiser: null });

const linesOf = (bytes: Uint8Array) => Buffer.from(bytes).toString().split('\n').slice(0, -1);

/** The users among the lines of an export. */
async function exportedUsers(records: Records, tenantId: string) {
  const run = exportOf(records, tenantId);
  const users: { readonly id: string; readonly profile_id: string | null }[] = [];
  for await (const { bytes } of run.profiles()) {
    for (const line of linesOf(bytes)) {
      const { user } = JSON.parse(line);
      if (user !== undefined) users.push(user);
    }
  }
  return users.map(({ id, profile_id }) => [id, profile_id]);
}

test('the report counts the auth users that were written', async () => {
  const { store, tenant, admin } = await testTenant();
  const more = Array.from({ length: 501 }, (_, at) => ({
    ...{ ...admin, id: `u${at}`, uid: `u${at}`, alias: `u${at}` },
  }));
  await store.write((records) => records.putAuthUsers(tenant.id, more));
  const run = exportOf(store.read, tenant.id);
  let lines = 0;
  for await (const { bytes } of run.authUsers()) lines += linesOf(bytes).length;
  assert.deepEqual([lines, run.report.authUsers], [502, 502]);
});

test('exports each user once, also those who lose their profile or get one meanwhile', async () => {
  const { store, tenant } = await testTenant();
  await store.write(async (records) => {
    await records.addProfiles(tenant.id, [profileOf('kept'), profileOf('gone')]);
    await records.addResource(tenant.id, 'user', userOf('a', 'kept'));
    await records.addResource(tenant.id, 'user', userOf('b', 'gone'));
    await records.addResource(tenant.id, 'user', userOf('c', null));
  });
  let pages = 0;
  const changing = withRecords(store.read, {
    async profilePage(...query) {
      const page = await store.read.profilePage(...query);
      pages += 1;
      if (pages > 1) return page;
      await store.write(async (records) => {
        await records.deleteProfiles(tenant.id, ['gone']);
        await records.updateResource(tenant.id, 'user', userOf('c', 'kept'));
        // Before the last profile that was read, so no page has it.
        await records.addProfiles(tenant.id, [profileOf('added')]);
        await records.addResource(tenant.id, 'user', userOf('d', 'added'));
      });
      return page;
    },
  });
  assert.deepEqual(await exportedUsers(changing, tenant.id), [
    ['c', null],
    ['a', 'kept'],
    ['b', null],
    ['d', null],
  ]);
});
