// Audit events of saved searches, scheduled searches and their runs.
import { randomBytes } from 'node:crypto';
import { newId } from '../../auth/secrets.ts';
import {
  type AuditActor,
  type AuditValue,
  changeAttributes,
  recordAuditEvent,
} from '../audit/audit-event.ts';
import type { SavedSearch, ScheduledSearch } from '../ports/saved-search-records.ts';
import type { WritableRecords } from '../ports/store.ts';

/** A search before and after a change; null before its creation and after its deletion. */
type States<T> =
  | { readonly before: T | null; readonly after: T }
  | { readonly before: T; readonly after: null };

/** A change to a search or a schedule, or the request of a run. */
export type SearchChange =
  | ({ readonly object: 'SAVED_SEARCH' } & States<SavedSearch>)
  | ({ readonly object: 'SCHEDULED_SEARCH' } & States<ScheduledSearch>)
  | { readonly object: 'SAVED_SEARCH'; readonly execution: SavedSearch };

/** The actor and the time, ISO 8601. */
export interface ChangeOrigin {
  readonly actor: AuditActor;
  readonly now: string;
}

/** Records a change in the caller's transaction. */
export function recordSearchChange(
  records: WritableRecords,
  tenantId: string,
  change: SearchChange,
  { actor, now }: ChangeOrigin,
): Promise<void> {
  const { object } = change;
  const base = { id: newId(randomBytes), created: now, actor, status: 'PASSED' } as const;
  if ('execution' in change) {
    const { id, name } = change.execution;
    return recordAuditEvent(records, tenantId, {
      ...{ ...base, target: name || id, action: 'ExecuteSavedSearch', operation: 'EXECUTE' },
      ...{ technicalName: 'SAVED_SEARCH_EXECUTE_PASSED', attributes: { savedSearchId: id } },
    });
  }
  const { before, after } = change;
  const operation = before === null ? 'CREATE' : after === null ? 'DELETE' : 'MODIFY';
  const { id, name } = (after ?? before) as SavedSearch | ScheduledSearch;
  const noun = object === 'SAVED_SEARCH' ? 'SavedSearch' : 'ScheduledSearch';
  const verb = `${operation[0]}${operation.slice(1).toLowerCase()}`;
  return recordAuditEvent(records, tenantId, {
    ...{ ...base, target: name || id, operation },
    action: `${verb}${noun}`,
    technicalName: `${object}_${operation}_PASSED`,
    attributes: {
      [object === 'SAVED_SEARCH' ? 'savedSearchId' : 'scheduledSearchId']: id,
      ...changeAttributes(choicesOf(before), choicesOf(after)),
    },
  });
}

/** The members that callers choose, as the event shows them. */
function choicesOf(
  record: SavedSearch | ScheduledSearch | null,
): Readonly<Record<string, AuditValue | object | null>> | null {
  if (record === null) return null;
  const members = { ...record } as Record<string, AuditValue | object | null>;
  for (const name of ['id', 'created', 'modified', 'nextDue']) delete members[name];
  return members;
}
