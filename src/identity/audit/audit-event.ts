// The audit trail: each change leaves one event of its tenant, written in the transaction of the change itself, so that a
// rolled back change leaves no trace and a committed one always does. The store keeps events in an append-only chain
// (audit-chain.ts) and a copy of each among the documents of the index `events`, so whoever may search may search them.
import type { Caller, RequestOrigin } from '../../auth/caller.ts';
import type { Field, FieldType } from '../../query/mapping/mapping.ts';
import type { WritableRecords } from '../ports/store.ts';
import type { StoredDocument } from '../ports/stored-document.ts';

/** What an attribute of an event may be; an array counts by its first element. */
export type AuditValue = string | number | boolean | readonly string[];

/** The `stack` of events that this service wrote. No imported event may carry it. */
export const AUDIT_STACK = 'cardea';

/** Who acted, and from where. */
export interface AuditActor {
  /** Name of the user or API client. */
  readonly name: string;
  /** Id of the user, or of the credential where no user stands behind it. */
  readonly id: string;
  /** null: the command line on the machine itself. */
  readonly origin: RequestOrigin | null;
}

/** An operator at the command line. */
export const LOCAL_OPERATOR: AuditActor = { name: 'cardea', id: 'cardea', origin: null };

/** The actor that a caller is. */
export function actorOf({ userName, identityId, clientId, origin }: Caller): AuditActor {
  return { name: userName ?? clientId, id: identityId ?? clientId, origin: origin ?? null };
}

/** Who did what to whom, and how it ended. */
export interface AuditEvent {
  /** Opaque and unique; also its tracking number. */
  readonly id: string;
  /** ISO 8601 with milliseconds. */
  readonly created: string;
  readonly actor: AuditActor;
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
    actor: { name: event.actor.name },
    target: { name: event.target },
    trackingNumber: event.id,
    stack: AUDIT_STACK,
    attributes: attributesOf(event),
  };
  return {
    index: 'events',
    id: event.id,
    root: new TextEncoder().encode(JSON.stringify(root)),
    nested: new Uint8Array(0),
  };
}

/** The event's own attributes, and who acted from where. */
function attributesOf({ actor, attributes }: AuditEvent): Readonly<Record<string, AuditValue>> {
  const { id: actorId, origin } = actor;
  const from =
    origin === null
      ? { remoteAddress: LOCAL_ADDRESS }
      : { remoteAddress: origin.address, requestId: origin.requestId };
  return { actorId, ...attributes, ...from };
}

/** The `remoteAddress` of what an operator did at the command line. */
const LOCAL_ADDRESS = 'local';

/**
 * The attributes `changed`, `before` and `after` of a change: the members that differ, and as JSON their values. `before` is
 * missing for what was created, `after` for what was deleted.
 * @param before the members as they were; null: it was created
 * @param after the members as they are; null: it was deleted
 */
export function changeAttributes(
  before: Readonly<Record<string, unknown>> | null,
  after: Readonly<Record<string, unknown>> | null,
): Readonly<Record<string, AuditValue>> {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = names.filter(
    (name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  );
  const values = (members: Readonly<Record<string, unknown>>) =>
    JSON.stringify(Object.fromEntries(changed.map((name) => [name, members[name]])));
  return {
    changed,
    ...(before === null ? {} : { before: values(before) }),
    ...(after === null ? {} : { after: values(after) }),
  };
}

/**
 * Appends the event to the tenant's audit trail, in the caller's transaction.
 * Every use case that changes something calls this once, as the last step of the transaction.
 */
export async function recordAuditEvent(
  records: WritableRecords,
  tenantId: string,
  event: AuditEvent,
): Promise<void> {
  await recordAuditEvents(records, tenantId, [event]);
}

type Appending = Pick<WritableRecords, 'addDynamicFields' | 'appendAuditEvents'>;

/** Appends the events in their order, together with the dynamic fields that their attributes bring. */
export async function recordAuditEvents(
  records: Appending,
  tenantId: string,
  events: readonly AuditEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const fields = new Map<string, Field>();
  for (const event of events) {
    for (const field of attributeFields(attributesOf(event))) {
      if (!fields.has(field.path)) fields.set(field.path, field);
    }
  }
  await records.addDynamicFields(tenantId, 'events', [...fields.values()]);
  await records.appendAuditEvents(tenantId, events.map(auditEvent));
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
