// All records of the port over one executor, the same for both databases.
import type { WritableRecords } from '../service/ports/store.ts';
import { consistencyRecords } from './consistency.ts';
import { advancedSearchRecords } from './profiles/advanced-search-records.ts';
import { profileRecords } from './profiles/profile-records.ts';
import { resourceRecords } from './profiles/resource-records.ts';
import { auditRecords } from './records/audit-records.ts';
import { authUserRecords } from './records/auth-user-records.ts';
import { credentialRecords } from './records/credential-records.ts';
import { dashboardRecords } from './records/dashboard-records.ts';
import { documentDamage } from './records/document-damage.ts';
import { documentRecords } from './records/document-records.ts';
import { documentVersions } from './records/document-versions.ts';
import { mirrorRecords } from './records/mirror-records.ts';
import { purgeRecords } from './records/purge-records.ts';
import { refreshTokenRecords } from './records/refresh-token-records.ts';
import { revocationRecords } from './records/revocation-records.ts';
import { savedSearchRecords } from './records/saved-search-records.ts';
import { searchRunRecords } from './records/search-run-records.ts';
import { snapshotRecords } from './records/snapshot-records.ts';
import { viewRecords } from './records/view-records.ts';
import { type SqlConnection, SqlExecutor } from './sql/executor.ts';
import type { SharedRows } from './sql/shared-rows.ts';
import type { Dialect, Executor } from './sql/statement.ts';

type RecordFile = (executor: Executor) => Partial<WritableRecords>;

const RECORD_FILES: readonly RecordFile[] = [
  auditRecords,
  authUserRecords,
  consistencyRecords,
  credentialRecords,
  dashboardRecords,
  documentDamage,
  documentRecords,
  documentVersions,
  mirrorRecords,
  purgeRecords,
  refreshTokenRecords,
  revocationRecords,
  savedSearchRecords,
  searchRunRecords,
  snapshotRecords,
  viewRecords,
  resourceRecords,
  profileRecords,
  advancedSearchRecords,
];

const EXECUTOR = Symbol('executor');
const FILES = Symbol('files');

/** Records of one executor: those of a file are created when one of them is first used. */
interface LazyRecords {
  readonly [EXECUTOR]: Executor;
  readonly [FILES]: (Partial<WritableRecords> | undefined)[];
}

/** A getter for each record. A write uses a few of two hundred. */
const PROTOTYPE = Object.freeze(
  Object.create(
    null,
    Object.fromEntries(
      RECORD_FILES.flatMap((file, at) =>
        Object.keys(file(undefined as unknown as Executor)).map((name) => [
          name,
          {
            get(this: LazyRecords) {
              this[FILES][at] ??= file(this[EXECUTOR]);
              return this[FILES][at][name as keyof WritableRecords];
            },
          },
        ]),
      ),
    ),
  ) as object,
);

/** All records. They are inherited, not own members: use `withRecords` to replace some of them. */
export function recordsOver(executor: Executor): WritableRecords {
  const records = Object.create(PROTOTYPE) as {
    -readonly [K in keyof LazyRecords]: LazyRecords[K];
  };
  records[EXECUTOR] = executor;
  records[FILES] = new Array(RECORD_FILES.length);
  return records as unknown as WritableRecords;
}

/** Runs a write over a connection; its records are of no use afterwards. */
export async function runWrite<T>(
  dialect: Dialect,
  { connection, shared }: { readonly connection: SqlConnection; readonly shared: SharedRows },
  work: (records: WritableRecords) => Promise<T>,
): Promise<T> {
  const executor = new SqlExecutor(dialect, connection, shared);
  try {
    return await work(recordsOver(executor));
  } finally {
    executor.end();
  }
}
