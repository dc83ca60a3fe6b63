// Importing auth users: lines shaped as the service shows them (contract/auth-users.md section 2), checked and
// filled up. The tenant is the one imported into, whatever a line says; members of other generations are ignored.
// Invariant: an import cannot take the last ORG_ADMIN away, as a patch cannot.
import { strictIsoDate } from '../analysis/values.ts';
import { auditEnding, type Write, type WriteAudit } from './document-import.ts';
import { DocumentFault } from './document-shape.ts';
import type { BatchResult, ImportEnding, ImportSteps, Prepared } from './import-run.ts';
import { type Json, parseRecord } from './record-line.ts';
import type { AuthUser, PutOutcome, Tenant, WritableRecords } from './store.ts';

/** The level that may grant levels. */
const ORG_ADMIN = 'ORG_ADMIN';
/** UTF-16 units of any text of an auth user. */
const TEXT_MAX = 1024;
const ID_MAX = 256;

/** Whether a level exists; `custom` are the tenant's own. */
export type IsKnownCapability = (value: string, custom: readonly string[]) => boolean;

export class AuthUserImport implements ImportSteps<AuthUser> {
  readonly #tenant: Tenant;
  readonly #isKnown: (value: string) => boolean;
  readonly #write: Write;
  readonly #audit: WriteAudit;

  constructor(
    tenant: Tenant,
    isKnown: (value: string) => boolean,
    write: Write,
    audit: WriteAudit,
  ) {
    this.#tenant = tenant;
    this.#isKnown = isKnown;
    this.#write = write;
    this.#audit = audit;
  }

  prepare(text: Uint8Array | string): AuthUser {
    return authUserOf(parseRecord(text), this.#tenant, this.#isKnown);
  }

  bytes(): number {
    return TEXT_MAX;
  }

  write(batch: readonly Prepared<AuthUser>[], ending: ImportEnding | null): Promise<BatchResult> {
    return this.#write(async (records) => {
      const outcomes: (PutOutcome | DocumentFault)[] = [];
      for (const { item } of batch) outcomes.push(await this.#put(records, item));
      if (ending !== null) await auditEnding(records, ending, outcomes, this.#audit);
      return { outcomes, sequence: await records.lastSequence() };
    });
  }

  async #put(records: WritableRecords, user: AuthUser): Promise<PutOutcome | DocumentFault> {
    const tenantId = this.#tenant.id;
    const holder = await records.authUserByUid(tenantId, user.uid);
    if (holder !== null && holder.id !== user.id) {
      return new DocumentFault(`uid "${user.uid}" belongs to the auth user ${holder.id}`);
    }
    if (!user.capabilities.includes(ORG_ADMIN)) {
      const before = await records.authUser(tenantId, user.id);
      const last =
        before?.capabilities.includes(ORG_ADMIN) === true &&
        (await records.countHolders(tenantId, ORG_ADMIN, user.id)) === 0;
      if (last) return new DocumentFault(`would take ${ORG_ADMIN} from the last one who holds it`);
    }
    const [outcome] = await records.putAuthUsers(tenantId, [user]);
    return outcome as PutOutcome;
  }
}

function authUserOf(value: Json, tenant: Tenant, isKnown: (value: string) => boolean): AuthUser {
  const id = required(value, 'id', ID_MAX);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
  if (/[\u0000-\u001f\u007f-\u009f]/.test(id))
    throw new DocumentFault('id has a control character');
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
    capabilities: capabilities(value['capabilities'], isKnown),
  };
}

function required(value: Json, name: string, max: number): string {
  const found = text(value, name);
  if (found === null || found === '') throw new DocumentFault(`${name} is missing`);
  if (found.length > max) throw new DocumentFault(`${name} is longer than ${max} characters`);
  return found;
}

function text(value: Json, name: string): string | null {
  const found = value[name] ?? null;
  if (found === null) return null;
  if (typeof found !== 'string') throw new DocumentFault(`${name} must be a string or null`);
  if (found.length > TEXT_MAX) {
    throw new DocumentFault(`${name} is longer than ${TEXT_MAX} characters`);
  }
  return found;
}

function date(value: Json, name: string): string | null {
  const found = text(value, name);
  if (found === null || strictIsoDate(found) !== undefined) return found;
  throw new DocumentFault(`${name} must be an ISO 8601 date-time or null`);
}

function milliseconds(value: Json, name: string): number {
  const found = value[name] ?? 0;
  if (typeof found === 'number' && Number.isSafeInteger(found) && found >= 0) return found;
  throw new DocumentFault(`${name} must be epoch milliseconds, an integer`);
}

function capabilities(value: unknown, isKnown: (value: string) => boolean): readonly string[] {
  const list = value ?? [];
  if (!Array.isArray(list)) throw new DocumentFault('capabilities must be an array');
  for (const item of list) {
    if (typeof item !== 'string' || !isKnown(item)) {
      throw new DocumentFault(`capabilities: ${JSON.stringify(item).slice(0, 80)} is not known`);
    }
  }
  return [...new Set(list as string[])];
}
