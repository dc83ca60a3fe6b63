// Users and attributes as the store kept them before 0016-profile-references, and a check of what they
// became.
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Records } from '../../src/service/ports/store.ts';
import { type Executor, rawStatement } from '../../src/store/sql/statement.ts';

/** More than the migration reads at once. */
const COUNT = 250;
const TENANTS = ['t1', 't2'];
const AT = '2026-01-01T00:00:00.000Z';

const idOf = (n: number) => String(n).padStart(4, '0');
/** Every third record refers to none, every other third to a deleted one. */
const referenceOf = (n: number) => [idOf(0), null, 'deleted'][n % 3] ?? null;

/** The users that refer to a deleted record, and as many attributes. */
export const DELETED_REFERENCES =
  TENANTS.length *
  Array.from({ length: COUNT }, (_, n) => referenceOf(n)).filter((one) => one === 'deleted').length;

/** Adds the rows to a database with the steps up to 0015-shared-searches. */
export async function addEarlierReferences(executor: Executor): Promise<void> {
  const run = (statement: ReturnType<typeof sql>) => executor.query(rawStatement(statement));
  for (const tenant of TENANTS) {
    await run(
      sql`insert into profile (tenant_id, id, uid, uid_folded, name, name_folded, profile_type_id, status, archived,
        created_at, updated_at) values (${tenant}, ${idOf(0)}, 'p', 'p', 'P', 'p', 't', 'Active', 0, ${AT}, ${AT})`,
    );
    for (let n = 0; n < COUNT; n++) {
      const [id, reference] = [idOf(n), referenceOf(n)];
      const user = JSON.stringify({ groupStrings: '"profileId":', profileId: reference });
      await run(
        sql`insert into profile_user (tenant_id, id, uid, created_at, updated_at, name, name_folded, email,
          email_folded, login, login_folded, type, status, details) values (${tenant}, ${id}, ${id}, ${AT}, ${AT},
          'N', 'n', 'e', 'e', ${id}, ${id}, 'NeaccessUser', 'Active', ${user})`,
      );
      const filters = { filteringNeAttributeId: reference, neAttributeFilterId: null };
      const attribute = JSON.stringify({ description: 'x', ...filters, validations: [] });
      await run(
        sql`insert into ne_attribute (tenant_id, id, uid, created_at, updated_at, label, label_folded, data_type,
          type, archived, details) values (${tenant}, ${id}, ${id}, ${AT}, ${AT}, 'L', 'l', 'tags', 'TagsAttribute', 0,
          ${attribute})`,
      );
    }
  }
}

/** Checks that the migrated database has the same records, without references to deleted ones. */
export async function checkMigratedReferences(records: Pick<Records, 'resource'>): Promise<void> {
  for (const tenant of TENANTS) {
    for (let n = 0; n < COUNT; n++) {
      const reference = referenceOf(n) === 'deleted' ? null : referenceOf(n);
      const user = await records.resource(tenant, 'user', idOf(n));
      assert.deepEqual([user?.groupStrings, user?.profileId], ['"profileId":', reference]);
      const attribute = await records.resource(tenant, 'attribute', idOf(n));
      assert.deepEqual(
        [attribute?.description, attribute?.validations, attribute?.neAttributeFilterId],
        ['x', [], null],
      );
      assert.equal(attribute?.filteringNeAttributeId, reference);
    }
  }
}
