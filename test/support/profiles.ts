// Profiles put into the store of a served tenant past the use cases, for tests of what points to profiles.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openConnection } from '../../src/store/sqlite-driver.ts';
import type { RunningService } from './service.ts';

/** A profile, and one value of it that points to `refId` where that is given. @returns its id */
export async function plantProfile(
  { dataDir, tenantId }: Pick<RunningService, 'dataDir' | 'tenantId'>,
  profileTypeId: string,
  uid = 'planted',
  value?: { readonly attributeId: string; readonly refId: string },
): Promise<string> {
  const connection = await openConnection(join(dataDir, 'cardea.db'), 10_000);
  const id = randomUUID();
  const at = '2026-01-01T00:00:00.000Z';
  try {
    connection.run(
      'insert into profile (tenant_id, id, uid, created_at, updated_at, name, name_folded, profile_type_id, status, archived) values (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)',
      [tenantId, id, uid, at, at, 'Planted', 'planted', profileTypeId, 'Active'],
    );
    if (value !== undefined) {
      connection.run(
        'insert into profile_value (tenant_id, profile_id, attribute_id, position, ref_id) values (?, ?, ?, 0, ?)',
        [tenantId, id, value.attributeId, value.refId],
      );
    }
  } finally {
    connection.close();
  }
  return id;
}

/** How many items of values a profile has. */
export async function countItems(
  { dataDir }: Pick<RunningService, 'dataDir'>,
  profileId: string,
): Promise<number> {
  const connection = await openConnection(join(dataDir, 'cardea.db'), 10_000);
  try {
    return connection.all('select 1 from profile_value where profile_id = ?', [profileId]).length;
  } finally {
    connection.close();
  }
}
