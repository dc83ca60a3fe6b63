// Profiles put into the store of a served tenant past the use cases, for tests of what points to profiles.
import { randomUUID } from 'node:crypto';
import type { RunningService } from './service.ts';

type Served = Pick<RunningService, 'cardea' | 'tenantId'>;

/** A profile, and one value of it that points to `refId` where that is given. @returns its id */
export async function plantProfile(
  { cardea, tenantId }: Served,
  profileTypeId: string,
  uid = 'planted',
  value?: { readonly attributeId: string; readonly refId: string },
): Promise<string> {
  const id = randomUUID();
  const at = '2026-01-01T00:00:00.000Z';
  const profile = {
    ...{ id, uid, profileTypeId, name: 'Planted', status: 'Active', idProofingStatus: null },
    ...{ archived: false, createdAt: at, updatedAt: at },
  };
  await cardea.store.write(async (records) => {
    await records.addProfiles(tenantId, [profile]);
    if (value === undefined) return;
    const { attributeId, refId } = value;
    const items = [{ value: null, day: null, refId }];
    await records.addValues(tenantId, [{ profileId: id, attributeId, items }]);
  });
  return id;
}

/** How many items of values a profile has. */
export async function countItems({ cardea, tenantId }: Served, profileId: string): Promise<number> {
  const values = await cardea.store.read.valuesOf(tenantId, [profileId]);
  return values.flatMap(({ items }) => items).length;
}
