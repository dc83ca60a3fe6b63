// Writes profiles directly to the store of a running service, for tests of references to profiles.
import { randomUUID } from 'node:crypto';
import type { RunningService } from './service.ts';

type Served = Pick<RunningService, 'cardea' | 'tenantId'>;

/** Adds a profile, optionally with one value that refers to `refId`. @returns its id */
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

/** Counts the value items of a profile. */
export async function countItems({ cardea, tenantId }: Served, profileId: string): Promise<number> {
  const values = await cardea.store.read.valuesOf(tenantId, [profileId]);
  return values.flatMap(({ items }) => items).length;
}
