// All records of the port over one executor, the same for both databases.
import type { WritableRecords } from '../../identity/ports/store.ts';
import { consistencyRecords } from '../consistency.ts';
import { type SqlConnection, SqlExecutor } from '../executor.ts';
import { advancedSearchRecords } from '../profiles/advanced-search-records.ts';
import { apiKeyRecords } from '../profiles/api-key-records.ts';
import { profileRecords } from '../profiles/profile-records.ts';
import { resourceRecords } from '../profiles/resource-records.ts';
import type { Dialect, Executor } from '../statement.ts';
import { auditRecords } from './audit-records.ts';
import { authUserRecords } from './auth-user-records.ts';
import { clientRecords } from './client-records.ts';
import { credentialRecords } from './credential-records.ts';
import { documentRecords } from './document-records.ts';
import { mirrorRecords } from './mirror-records.ts';
import { purgeRecords } from './purge-records.ts';
import { revocationRecords } from './revocation-records.ts';
import { savedSearchRecords } from './saved-search-records.ts';
import { searchRunRecords } from './search-run-records.ts';
import { snapshotRecords } from './snapshot-records.ts';

export function recordsOver(executor: Executor): WritableRecords {
  return {
    ...auditRecords(executor),
    ...authUserRecords(executor),
    ...clientRecords(executor),
    ...consistencyRecords(executor),
    ...credentialRecords(executor),
    ...documentRecords(executor),
    ...mirrorRecords(executor),
    ...purgeRecords(executor),
    ...revocationRecords(executor),
    ...savedSearchRecords(executor),
    ...searchRunRecords(executor),
    ...snapshotRecords(executor),
    ...resourceRecords(executor),
    ...apiKeyRecords(executor),
    ...profileRecords(executor),
    ...advancedSearchRecords(executor),
  };
}

/** Runs a write over a connection; its records are of no use afterwards. */
export async function runWrite<T>(
  dialect: Dialect,
  connection: SqlConnection,
  work: (records: WritableRecords) => Promise<T>,
): Promise<T> {
  const executor = new SqlExecutor(dialect, connection);
  try {
    return await work(recordsOver(executor));
  } finally {
    executor.end();
  }
}
