// Auth users and saved searches as the store kept them before 0026-folded-text, and a check that lists
// find them without case.
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { readCollectionFilter } from '../../src/query/collections/collection-filter.ts';
import { AUTH_USER_FIELDS } from '../../src/service/ports/auth-user-list.ts';
import type { Records } from '../../src/service/ports/store.ts';
import { MIGRATIONS } from '../../src/store/migrate.ts';
import { type Executor, rawStatement } from '../../src/store/sql/statement.ts';

/** More than the migration reads at once. */
const COUNT = 250;
const TENANT = 'tenant';
const NAMES = ['Ærøskøbing', 'ADA', 'ada', 'Éva', 'ΣΑΣ'];
const nameOf = (n: number) => `${NAMES[n % NAMES.length]} ${n}`;

/** The steps before the one that is tested. */
export const BEFORE_FOLDED_TEXT = MIGRATIONS.slice(
  0,
  MIGRATIONS.findIndex(({ name }) => name === '0026-folded-text'),
);

/** Adds the rows to a database with these steps. */
export async function addEarlierText(executor: Executor): Promise<void> {
  for (let n = 0; n < COUNT; n++) {
    const details = JSON.stringify({ displayName: nameOf(n), email: null, alias: `A${n}` });
    await executor.query(
      rawStatement(sql`insert into auth_user (tenant_id, id, uid, details, capabilities)
        values (${TENANT}, ${`U${n}`}, ${`Uid-${n}`}, ${details}, '[]')`),
    );
  }
  const created = '2026-01-01T00:00:00.000Z';
  await executor.query(
    rawStatement(sql`insert into saved_search (tenant_id, id, owner_id, created, details)
      values (${TENANT}, 'S1', 'Owner', ${created}, '{}')`),
  );
  await executor.query(
    rawStatement(sql`insert into scheduled_search
      (tenant_id, id, owner_id, saved_search_id, created, details)
      values (${TENANT}, 'D1', 'Owner', 'S1', ${created}, '{}')`),
  );
}

/** Checks the lists of the migrated database. */
export async function checkMigratedText(
  records: Pick<Records, 'listAuthUsers' | 'savedSearches' | 'scheduledSearches'>,
): Promise<void> {
  const page = { limit: COUNT, offset: 0, count: true };
  const totalOf = async (text: string) => {
    const filter = readCollectionFilter(text, AUTH_USER_FIELDS);
    return (await records.listAuthUsers(TENANT, { filter, sorters: [], ...page })).total;
  };
  for (let n = 0; n < COUNT; n += 49) {
    assert.equal(await totalOf(`name eq "${nameOf(n).toLowerCase().replace('ς', 'σ')}"`), 1);
    assert.equal(await totalOf(`uid eq "UID-${n}" and id eq "u${n}" and alias eq "a${n}"`), 1);
  }
  assert.equal(await totalOf('name sw "ada"'), 100);
  assert.equal(await totalOf('email isnull'), COUNT);
  const any = { ownerId: 'OWNER', readerId: null };
  assert.equal((await records.savedSearches(TENANT, any, page)).length, 1);
  const schedules = { ownerId: 'owner', savedSearchId: 's1' };
  assert.equal((await records.scheduledSearches(TENANT, schedules, page)).length, 1);
  const others = { ...schedules, readerId: 'owner' };
  assert.equal((await records.scheduledSearches(TENANT, others, page)).length, 0);
}
