// Entries of the history of an auth user, from events of the audit trail.

/** One change of an auth user. */
export interface HistoryEntry {
  /** Id of the event, for `GET /search/events/{id}`. */
  readonly id: string;
  /** ISO 8601. */
  readonly created: string;
  /** Its name, such as `CAPABILITY_UPDATE_EVENT`. */
  readonly action: string;
  /** `CREATE`, `MODIFY`, `ENABLE`, `DISABLE`, `SIGN_OUT` or `DELETE`. */
  readonly operation: string;
  readonly actor: {
    /** Name and id of the user or API client; both are `cardea` for the command line. */
    readonly name: string;
    readonly id: string | null;
    /** IP address, or `local`. */
    readonly remoteAddress: string | null;
    /** The `SLPT-Request-ID` of the response; null for the command line. */
    readonly requestId: string | null;
  };
  /** null if the change did not touch the capabilities. */
  readonly capabilities: CapabilityChange | null;
  /** The changed members before, except the capabilities; null for a creation. */
  readonly before: Json | null;
  /** The changed members after; null for a deletion. */
  readonly after: Json | null;
}

/** The capabilities around a change. */
export interface CapabilityChange {
  readonly before: readonly string[];
  /** Empty after a deletion. */
  readonly after: readonly string[];
  readonly granted: readonly string[];
  readonly revoked: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

/** @param text the event as JSON, as audit-event.ts writes it */
export function historyEntry(text: string): HistoryEntry {
  const event = JSON.parse(text) as Json;
  const attributes = objectOf(event['attributes']);
  const operation = String(event['operation']);
  const [before, after] = [membersOf(attributes['before']), membersOf(attributes['after'])];
  return {
    id: String(event['id']),
    created: String(event['created']),
    action: String(event['action']),
    operation,
    actor: {
      name: String(objectOf(event['actor'])['name']),
      id: textOf(attributes['actorId']),
      remoteAddress: textOf(attributes['remoteAddress']),
      requestId: textOf(attributes['requestId']),
    },
    capabilities: capabilityChange(attributes, operation),
    before,
    after,
  };
}

/** Enabling, disabling and signing out record the capabilities, but do not change them. */
function capabilityChange(attributes: Json, operation: string): CapabilityChange | null {
  const before = listOf(attributes['capabilitiesBefore']);
  const after = listOf(attributes['capabilitiesAfter']) ?? (operation === 'DELETE' ? [] : null);
  if (before === null || after === null) return null;
  return {
    before,
    after,
    granted: after.filter((capability) => !before.includes(capability)),
    revoked: before.filter((capability) => !after.includes(capability)),
  };
}

/** The members of `before` or `after`, which events hold as JSON; null if it is absent. */
function membersOf(value: unknown): Json | null {
  if (typeof value !== 'string') return null;
  const { capabilities: _, ...members } = objectOf(JSON.parse(value));
  return members;
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function listOf(value: unknown): readonly string[] | null {
  return Array.isArray(value) ? value.map(String) : null;
}
