// Imports auth users from lines in the form that the service returns (contract/auth-users.md
// section 2), with checks and defaults. The tenant is the target of the import, whatever a line
// says; unknown members are ignored. Levels that do not exist here, such as custom levels of a
// mirrored tenant, are kept with a warning.
// Invariant: an import cannot remove the last ORG_ADMIN, just as a patch cannot.

import { isKnownCapability, ORG_ADMIN } from '../../auth/capabilities.ts';
import { strictIsoDate } from '../../query/analysis/values.ts';
import { type AuditEvent, recordAuditEvents } from '../audit/audit-event.ts';
import { DocumentFault } from '../documents/document-shape.ts';
import type { ImportSteps, ItemOutcome } from '../documents/import-run.ts';
import { mergePatch } from '../documents/merge-patch.ts';
import { type Json, parseRecord } from '../documents/record-line.ts';
import type { AuthUser, Tenant, WritableRecords } from '../ports/store.ts';

/** Maximum length of any text of an auth user, in UTF-16 units. */
const TEXT_MAX = 1024;
const ID_MAX = 256;
/** Maximum number of levels per auth user; each is an index row. */
const CAPABILITIES_MAX = 500;
/** Maximum number of unknown levels named in a warning, and of characters shown of each. */
const NAMED_MAX = 5;
const SHOWN_CHARACTERS = 80;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;
/** The end of a date-time with a zone. */
const ZONED = /T.+(?:Z|[+-]\d{2}:\d{2})$/;

/** Builds the events of a user that was created (`before` is null) or changed. */
export type BuildUserEvents = (before: AuthUser | null, after: AuthUser) => readonly AuditEvent[];

/** An auth user that is ready to be stored. */
interface PreparedUser {
  readonly line: Json;
  /** With `merge` null until it is written. */
  user: AuthUser | null;
  /** Size of its line, approximately. */
  readonly bytes: number;
}

export class AuthUserImport implements ImportSteps<PreparedUser> {
  readonly #tenant: Tenant;
  readonly #buildEvents: BuildUserEvents;
  readonly #isMerging: boolean;

  /** @param merge whether lines are JSON merge patches: what one does not name stays */
  constructor(
    tenant: Tenant,
    buildEvents: BuildUserEvents,
    { merge }: { readonly merge: boolean },
  ) {
    this.#tenant = tenant;
    this.#buildEvents = buildEvents;
    this.#isMerging = merge;
  }

  prepare(text: Uint8Array | string): PreparedUser {
    const line = parseRecord(text);
    if (this.#isMerging) required(line, 'id', ID_MAX);
    return { line, user: this.#isMerging ? null : this.#userOf(line), bytes: text.length };
  }

  /** Names the levels that do not exist here: they grant nothing, and no patch can add them. */
  warningOf({ user }: PreparedUser): string | null {
    const unknown = (user?.capabilities ?? []).filter((one) => !isKnownCapability(one));
    if (unknown.length === 0) return null;
    const named = unknown.slice(0, NAMED_MAX).map((capability) => quoted(capability));
    const rest = unknown.length > NAMED_MAX ? ` and ${unknown.length - NAMED_MAX} more` : '';
    const are = unknown.length === 1 ? 'is not known and grants' : 'are not known and grant';
    return `capabilities: ${named.join(', ')}${rest} ${are} nothing here; kept as imported`;
  }

  bytes({ bytes }: PreparedUser): number {
    return bytes;
  }

  async write(records: WritableRecords, batch: readonly PreparedUser[]): Promise<ItemOutcome[]> {
    const outcomes: ItemOutcome[] = [];
    const events: AuditEvent[] = [];
    for (const item of batch) outcomes.push(await this.#merge(records, item, events));
    await recordAuditEvents(records, this.#tenant.id, events);
    return outcomes;
  }

  /** Stores what a line makes of a user, or as which it creates one. */
  async #merge(
    records: WritableRecords,
    item: PreparedUser,
    events: AuditEvent[],
  ): Promise<ItemOutcome> {
    try {
      const { before, user } = await this.#build(records, item);
      item.user = user;
      return await this.#put(records, before, user, events);
    } catch (error) {
      if (error instanceof DocumentFault) return error;
      throw error;
    }
  }

  /**
   * Checks a line, except for what depends on other users.
   * @throws DocumentFault
   */
  async check(
    records: Pick<WritableRecords, 'authUser'>,
    text: Uint8Array | string,
  ): Promise<void> {
    await this.#build(records, this.prepare(text));
  }

  /** The user that a line makes of the one that there is. @throws DocumentFault */
  async #build(
    records: Pick<WritableRecords, 'authUser'>,
    { line, user }: PreparedUser,
  ): Promise<{ readonly before: AuthUser | null; readonly user: AuthUser }> {
    const before = await records.authUser(this.#tenant.id, user?.id ?? String(line['id']));
    return { before, user: user ?? this.#userOf(mergePatch({ ...before }, line)) };
  }

  #userOf(line: Json): AuthUser {
    return authUserOf(line, this.#tenant);
  }

  /** Stores a user, and appends the event of the change to `events`. */
  async #put(
    records: WritableRecords,
    before: AuthUser | null,
    user: AuthUser,
    events: AuditEvent[],
  ): Promise<ItemOutcome> {
    const tenantId = this.#tenant.id;
    const holder = await records.authUserByUid(tenantId, user.uid);
    if (holder !== null && holder.id !== user.id) {
      return new DocumentFault(`uid "${user.uid}" belongs to the auth user ${holder.id}`);
    }
    if (!user.capabilities.includes(ORG_ADMIN)) {
      const last =
        before?.capabilities.includes(ORG_ADMIN) === true &&
        (await records.countHolders(tenantId, ORG_ADMIN, user.id)) === 0;
      if (last) return new DocumentFault(`would remove ${ORG_ADMIN} from the last user who has it`);
    }
    const [outcome] = await records.putAuthUsers(tenantId, [user]);
    if (outcome !== 'unchanged') events.push(...this.#buildEvents(before, user));
    return outcome as ItemOutcome;
  }
}

/**
 * The auth user that a record describes: `uid`, or `alias` in its place, is required.
 * @param newId makes the id of a record without one; without it, `id` is required
 * @throws DocumentFault naming the member
 */
export function authUserOf(value: Json, tenant: Tenant, newId?: () => string): AuthUser {
  const isNew = newId !== undefined && (value['id'] ?? null) === null;
  const id = isNew ? newId() : required(value, 'id', ID_MAX);
  if (CONTROL_CHARACTER.test(id)) throw new DocumentFault('id has a control character');
  const alias = text(value, 'alias');
  const uid = value['uid'] === undefined && alias !== null ? alias : required(value, 'uid', ID_MAX);
  return {
    tenant: tenant.name,
    id,
    uid,
    profile: text(value, 'profile') ?? tenant.id.replaceAll('-', ''),
    identificationNumber: text(value, 'identificationNumber'),
    email: text(value, 'email'),
    phone: text(value, 'phone'),
    workPhone: text(value, 'workPhone'),
    personalEmail: text(value, 'personalEmail'),
    firstname: text(value, 'firstname'),
    lastname: text(value, 'lastname'),
    displayName: text(value, 'displayName') ?? uid,
    alias: alias ?? uid,
    lastPasswordChangeDate: date(value, 'lastPasswordChangeDate'),
    lastLoginTimestamp: milliseconds(value, 'lastLoginTimestamp'),
    currentLoginTimestamp: milliseconds(value, 'currentLoginTimestamp'),
    lastUnlockTimestamp: date(value, 'lastUnlockTimestamp'),
    capabilities: capabilities(value['capabilities']),
  };
}

function required(line: Json, name: string, max: number): string {
  const value = text(line, name);
  if (value === null || value === '') throw new DocumentFault(`${name} is missing`);
  if (value.length > max) throw new DocumentFault(`${name} is longer than ${max} characters`);
  return value;
}

function text(line: Json, name: string): string | null {
  const value = line[name] ?? null;
  if (value === null) return null;
  if (typeof value !== 'string') throw new DocumentFault(`${name} must be a string or null`);
  if (value.length > TEXT_MAX) {
    throw new DocumentFault(`${name} is longer than ${TEXT_MAX} characters`);
  }
  return value;
}

/** A date-time as sent; a day, or a time without zone, as a date-time in UTC. */
function date(line: Json, name: string): string | null {
  const value = text(line, name);
  if (value === null) return null;
  const milliseconds = strictIsoDate(value);
  if (milliseconds !== undefined) {
    return ZONED.test(value) ? value : new Date(milliseconds).toISOString();
  }
  throw new DocumentFault(`${name} must be an ISO 8601 date-time or null`);
}

function milliseconds(line: Json, name: string): number {
  const value = line[name] ?? 0;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new DocumentFault(`${name} must be epoch milliseconds, an integer`);
}

/** The distinct levels of a line, whether or not they exist here. */
function capabilities(value: unknown): readonly string[] {
  const list = value ?? [];
  if (!Array.isArray(list)) throw new DocumentFault('capabilities must be an array');
  for (const item of list) {
    if (typeof item !== 'string' || item === '') {
      throw new DocumentFault(`capabilities: ${quoted(item)} must be a string that is not empty`);
    }
    if (item.length > ID_MAX) {
      throw new DocumentFault(`capabilities: ${quoted(item)} is longer than ${ID_MAX} characters`);
    }
    if (CONTROL_CHARACTER.test(item)) {
      throw new DocumentFault(`capabilities: ${quoted(item)} has a control character`);
    }
  }
  const distinct = [...new Set(list as string[])];
  if (distinct.length <= CAPABILITIES_MAX) return distinct;
  throw new DocumentFault(`capabilities: more than ${CAPABILITIES_MAX} of them`);
}

/** A value as JSON, truncated to fit a message. */
function quoted(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
