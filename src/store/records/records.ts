// All records of the port over one executor, the same for both databases.
import type { WritableRecords } from '../../identity/ports/store.ts';
import { consistencyRecords } from '../consistency.ts';
import { advancedSearchRecords } from '../profiles/advanced-search-records.ts';
import { apiKeyRecords } from '../profiles/api-key-records.ts';
import { profileRecords } from '../profiles/profile-records.ts';
import { resourceRecords } from '../profiles/resource-records.ts';
import type { Executor } from '../statement.ts';
import { auditRecords } from './audit-records.ts';
import { authUserRecords } from './auth-user-records.ts';
import { clientRecords } from './client-records.ts';
import { credentialRecords } from './credential-records.ts';
import { documentRecords } from './document-records.ts';
import { revocationRecords } from './revocation-records.ts';

export function recordsOver(executor: Executor): WritableRecords {
  return {
    ...auditRecords(executor),
    ...authUserRecords(executor),
    ...clientRecords(executor),
    ...consistencyRecords(executor),
    ...credentialRecords(executor),
    ...documentRecords(executor),
    ...revocationRecords(executor),
    ...resourceRecords(executor),
    ...apiKeyRecords(executor),
    ...profileRecords(executor),
    ...advancedSearchRecords(executor),
  };
}
