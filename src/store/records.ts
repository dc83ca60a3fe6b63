// All records of the port over one executor; both databases share every one of them.
import type { WritableRecords } from '../identity/store.ts';
import { authUserRecords } from './auth-user-records.ts';
import { consistencyRecords } from './consistency.ts';
import { credentialRecords } from './credential-records.ts';
import { documentRecords } from './document-records.ts';
import { advancedSearchRecords } from './profiles/advanced-search-records.ts';
import { profileRecords } from './profiles/profile-records.ts';
import { resourceRecords } from './profiles/resource-records.ts';
import type { Executor } from './statement.ts';

export function recordsOver(executor: Executor): WritableRecords {
  return {
    ...authUserRecords(executor),
    ...consistencyRecords(executor),
    ...credentialRecords(executor),
    ...documentRecords(executor),
    ...resourceRecords(executor),
    ...profileRecords(executor),
    ...advancedSearchRecords(executor),
  };
}
