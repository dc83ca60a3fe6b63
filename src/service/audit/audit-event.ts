// The audit trail: each change adds one event to its tenant in the same transaction, so events
// exist exactly for committed changes. The store keeps events in an append-only chain
// (audit-chain.ts), with a searchable copy of each in the index `events`.
import type { Caller, RequestOrigin } from '../../auth/caller.ts';
import { newId, type RandomBytes } from '../../auth/secrets.ts';
import { type Act, EVENT_NAMES } from '../../query/mapping/event-names.ts';
import { type Field, kindOf } from '../../query/mapping/mapping.ts';
import type { WritableRecords } from '../ports/store.ts';
import type { StoredDocument } from '../ports/stored-document.ts';

/** Value of an event attribute; an array is indexed by its first element. */
export type AuditValue = string | number | boolean | readonly string[];

/** The `stack` of events written by this service. Imported events must not have it. */
export const AUDIT_STACK = 'cardea';

/** The actor of an event, and the origin of the request. */
export interface AuditActor {
  /** Name of the user or API client. */
  readonly name: string;
  /** Id of the user, or of the credential when there is no user. */
  readonly id: string;
  /** null for the local command line. */
  readonly origin: RequestOrigin | null;
}

/** An operator at the command line. */
export const LOCAL_OPERATOR: AuditActor = { name: 'cardea', id: 'cardea', origin: null };

/** The actor for a caller. */
export function actorOf({ userName, identityId, clientId, origin }: Caller): AuditActor {
  return { name: userName ?? clientId, id: identityId ?? clientId, origin: origin ?? null };
}

/** The actor, time and randomness of an event. */
export interface EventContext {
  readonly actor: AuditActor;
  /** Epoch milliseconds, or ISO 8601. */
  readonly now: number | string;
  readonly random?: RandomBytes;
}

/** The actor, time and randomness of a change, for its records and its event. */
export interface ChangeContext extends EventContext {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly random: RandomBytes;
}

/** What an audit event tells. */
export interface AuditContent {
  readonly act: Act;
  /** Name of the object acted on. */
  readonly target: string;
  /** `PASSED` when omitted. */
  readonly status?: 'STARTED' | 'PASSED' | 'FAILED';
  readonly attributes: Readonly<Record<string, AuditValue>>;
}

/** An audit event. */
export interface AuditEvent extends AuditContent {
  /** Opaque and unique; also its tracking number. */
  readonly id: string;
  /** ISO 8601 with milliseconds. */
  readonly created: string;
  readonly actor: AuditActor;
}

/** A record before and after a change; null before its creation and after its deletion. */
export type RecordStates<T> =
  | { readonly before: T | null; readonly after: T }
  | { readonly before: T; readonly after: null };

/** What a change did, as in the acts of changed objects. */
export function operationOf({
  before,
  after,
}: RecordStates<object>): 'CREATE' | 'MODIFY' | 'DELETE' {
  if (before === null) return 'CREATE';
  return after === null ? 'DELETE' : 'MODIFY';
}

/** An event with a new id. @param now epoch milliseconds, or ISO 8601 */
export function newEvent({ actor, now, random }: EventContext, content: AuditContent): AuditEvent {
  return { id: newId(random), created: new Date(now).toISOString(), actor, ...content };
}

/** The event as a document of the index `events` (contract/search.md section 6). */
export function auditEvent(event: AuditEvent): StoredDocument {
  const { object, operation, action, type } = EVENT_NAMES[event.act];
  const { status = 'PASSED' } = event;
  const root = {
    id: event.id,
    created: event.created,
    synced: event.created,
    name: title(`${operation}_${object}_${status}`),
    type,
    action,
    objects: [object],
    operation,
    status,
    technicalName: `${object}_${operation}_${status}`,
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

/** The event's own attributes, with the actor's id and the origin. */
function attributesOf({ actor, attributes }: AuditEvent): Readonly<Record<string, AuditValue>> {
  const { id: actorId, origin } = actor;
  const from =
    origin === null
      ? { remoteAddress: LOCAL_ADDRESS, ...localUser() }
      : { remoteAddress: origin.address, requestId: origin.requestId };
  return { actorId, ...attributes, ...from };
}

/** The user of the operating system that this process runs as; Windows has no number for one. */
function localUser(): { readonly localUser?: string } {
  const id = process.getuid?.();
  return id === undefined ? {} : { localUser: String(id) };
}

/** The `remoteAddress` of command-line operations. */
const LOCAL_ADDRESS = 'local';

/**
 * The attributes `changed`, `before` and `after` of a change: the names of changed members, and
 * their values as JSON. Creations have no `before`, deletions no `after`.
 * @param before the previous members; null for a creation
 * @param after the new members; null for a deletion
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

type Appending = Pick<WritableRecords, 'addDynamicFields' | 'appendAuditEvents'>;

/**
 * Appends an event to the tenant's audit trail, in the caller's transaction. Every use case that
 * changes something calls this once, as the last step of the transaction.
 */
export async function recordAuditEvent(
  records: Appending,
  tenantId: string,
  context: EventContext,
  content: AuditContent,
): Promise<void> {
  await recordAuditEvents(records, tenantId, [newEvent(context, content)]);
}

/** Appends events in order, with the dynamic fields of their attributes. */
export async function recordAuditEvents(
  records: Appending,
  tenantId: string,
  events: readonly AuditEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const fields = events.flatMap((event) => attributeFields(attributesOf(event)));
  await Promise.all([
    records.addDynamicFields(tenantId, 'events', fields),
    records.appendAuditEvents(tenantId, events.map(auditEvent)),
  ]);
}

function attributeFields(attributes: Readonly<Record<string, AuditValue>>): Field[] {
  const fields: Field[] = [];
  for (const [name, value] of Object.entries(attributes)) {
    const first: string | number | boolean | undefined = Array.isArray(value) ? value[0] : value;
    if (first === undefined) continue;
    fields.push({
      path: `attributes.${name}`,
      type: kindOf(first),
      nested: null,
      dynamic: true,
    });
  }
  return fields;
}

/** `MODIFY_AUTH_USER_PASSED` → `Modify Auth User Passed`. */
function title(name: string): string {
  return name
    .split('_')
    .map((word) => word.slice(0, 1) + word.slice(1).toLowerCase())
    .join(' ');
}
