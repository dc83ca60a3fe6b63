// The audit event of the request of a run; changes have those of owned-items/item-event.ts.
import { randomBytes } from 'node:crypto';
import { newId } from '../../auth/secrets.ts';
import { recordAuditEvent } from '../audit/audit-event.ts';
import type { ChangeOrigin } from '../owned-items/item-event.ts';
import type { SavedSearch } from '../ports/saved-search-records.ts';
import type { WritableRecords } from '../ports/store.ts';

/** Records the request in the caller's transaction. */
export function recordExecution(
  records: WritableRecords,
  tenantId: string,
  { id, name }: SavedSearch,
  { actor, now }: ChangeOrigin,
): Promise<void> {
  return recordAuditEvent(records, tenantId, {
    ...{ id: newId(randomBytes), created: now, actor, status: 'PASSED', operation: 'EXECUTE' },
    ...{ target: name || id, action: 'ExecuteSavedSearch' },
    ...{ technicalName: 'SAVED_SEARCH_EXECUTE_PASSED', attributes: { savedSearchId: id } },
  });
}
