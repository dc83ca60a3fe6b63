// The audit trail: each mutation leaves one document in the tenant's `events` index, written in the transaction
// of the mutation itself, so that a rolled back change leaves no trace and a kept one always does.
// Invariant: an event is an ordinary document; whoever may search may search the trail.
import type { Field, FieldType } from '../query/mapping.ts';
import type { StoredDocument, WritableRecords } from './store.ts';

/** What an attribute of an event may be; an array counts by its first element. */
export type AuditValue = string | number | boolean | readonly string[];

/** Who did what to whom, and how it ended. */
export interface AuditEvent {
  /** Opaque and unique; also its tracking number. */
  readonly id: string;
  /** ISO 8601 with milliseconds. */
  readonly created: string;
  /** Name of the user or API client that acted. */
  readonly actor: string;
  /** Name of what was acted upon. */
  readonly target: string;
  /** The use case, e.g. `ImportDocuments`. */
  readonly action: string;
  /** Upper case verb, e.g. `MODIFY`. */
  readonly operation: string;
  readonly status: 'PASSED' | 'FAILED';
  readonly attributes: Readonly<Record<string, AuditValue>>;
  /** Objects, operation and status joined by `_`, e.g. `AUTH_USER_MODIFY_PASSED`. */
  readonly technicalName: string;
  /** Group of events; `SYSTEM_CONFIG` when left out. */
  readonly type?: string;
}

/** The event as a document of the index `events` (contract/search.md section 6). */
export function auditEvent(event: AuditEvent): StoredDocument {
  const tail = `_${event.operation}_${event.status}`;
  const objects = event.technicalName.endsWith(tail)
    ? event.technicalName.slice(0, -tail.length)
    : event.technicalName;
  const root = {
    id: event.id,
    created: event.created,
    synced: event.created,
    name: title(`${event.operation}_${objects}_${event.status}`),
    type: event.type ?? 'SYSTEM_CONFIG',
    action: event.action,
    objects: [objects],
    operation: event.operation,
    status: event.status,
    technicalName: event.technicalName,
    actor: { name: event.actor },
    target: { name: event.target },
    trackingNumber: event.id,
    stack: 'cardea',
    attributes: event.attributes,
  };
  return {
    index: 'events',
    id: event.id,
    root: new TextEncoder().encode(JSON.stringify(root)),
    nested: new Uint8Array(0),
  };
}

/**
 * Puts the event and the dynamic fields its attributes bring, in the caller's transaction.
 * Everyone who mutates calls this once, as the last step of the transaction.
 */
export async function recordAuditEvent(
  records: WritableRecords,
  tenantId: string,
  event: AuditEvent,
): Promise<void> {
  await records.addDynamicFields(tenantId, 'events', attributeFields(event.attributes));
  await records.putDocuments(tenantId, [auditEvent(event)]);
}

function attributeFields(attributes: Readonly<Record<string, AuditValue>>): Field[] {
  const fields: Field[] = [];
  for (const [name, value] of Object.entries(attributes)) {
    const first: string | number | boolean | undefined = Array.isArray(value) ? value[0] : value;
    if (first === undefined) continue;
    fields.push({
      path: `attributes.${name}`,
      type: fieldType(first),
      nested: null,
      dynamic: true,
    });
  }
  return fields;
}

function fieldType(value: string | number | boolean): FieldType {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  return Number.isInteger(value) ? 'long' : 'double';
}

/** `MODIFY_AUTH_USER_PASSED` → `Modify Auth User Passed`. */
function title(name: string): string {
  return name
    .split('_')
    .map((word) => word.slice(0, 1) + word.slice(1).toLowerCase())
    .join(' ');
}
