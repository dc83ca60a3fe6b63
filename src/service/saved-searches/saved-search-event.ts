// The audit event of the request of a run; changes have those of owned-items/item-event.ts.
import { recordAuditEvent } from '../audit/audit-event.ts';
import type { ChangeOrigin } from '../owned-items/item-event.ts';
import type { SavedSearch } from '../ports/saved-search-records.ts';
import type { WritableRecords } from '../ports/store.ts';

/** Records the request in the caller's transaction. */
export function recordExecution(
  records: WritableRecords,
  tenantId: string,
  { id, name }: SavedSearch,
  origin: ChangeOrigin,
): Promise<void> {
  return recordAuditEvent(records, tenantId, origin, {
    act: 'SAVED_SEARCH_EXECUTE',
    target: name || id,
    attributes: { savedSearchId: id },
  });
}
