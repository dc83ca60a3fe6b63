// Personal access tokens, API clients and keys of profile management: list, read, create, change,
// delete. The secret is shown once, on creation, and stored as a hash. A credential that is deleted is
// refused from the next request on, because each request looks it up; those created with it are deleted
// in the same transaction. Its kind decides the rest: credential-kinds.ts.
// Where an expired one is as good as deleted, its owner's next creation or change deletes it, with an
// event of the trail, or else src/jobs/retention/ does.
// Invariant: what the caller may not see is reported like what does not exist.
import { randomBytes } from 'node:crypto';
import { authorize, mayDo } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import { confinementOf, type TokenPolicy, UNCONFINED } from '../../auth/confinement.ts';
import type { RandomBytes } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import { equal, type JsonValue, readPatch } from '../../json/json-patch.ts';
import type { CollectionParameters } from '../../query/collections/collection-page.ts';
import type { Act } from '../../query/mapping/event-names.ts';
import {
  actorOf,
  type ChangeContext,
  changeAttributes,
  LOCAL_OPERATOR,
  operationOf,
  type RecordStates,
  recordAuditEvent,
} from '../audit/audit-event.ts';
import { byOperator } from '../audit/operator-event.ts';
import type {
  Credential,
  CredentialKind,
  CredentialOf,
  Records,
  Store,
  WritableRecords,
} from '../ports/store.ts';
import { refuseUnknownView } from '../views/view-names.ts';
import { expiryMs } from './credential-bounds.ts';
import {
  CREDENTIAL_RULES,
  type CredentialRules,
  type CredentialView,
  type NewCredentialView,
  operatorTerms,
  type Requested,
  rulesOf,
  type Terms,
} from './credential-kinds.ts';
import { readLastUsedFilter } from './credential-members.ts';
import { type CredentialPage, credentialPage } from './credential-page.ts';
import { illegalToken } from './personal-access-token-request.ts';

/** The parameters of a list, as sent. */
export interface CredentialListRequest extends CollectionParameters {
  /** `me`, an identity's id, or undefined for all of the tenant. */
  readonly ownerId?: string | undefined;
}

/** Settings; all have defaults. */
export interface CredentialOptions {
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  /** How many there may be, where the kind has a limit. */
  readonly most?: number;
  /** Default `strict`. */
  readonly policy?: TokenPolicy;
}

/** The use cases of the credentials of one kind. */
export class Credentials<K extends CredentialKind> {
  readonly #kind: K;
  readonly #rules: CredentialRules<K>;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  readonly #most: number | undefined;
  readonly #policy: TokenPolicy;

  constructor(kind: K, store: Store, options: CredentialOptions = {}) {
    this.#kind = kind;
    this.#rules = CREDENTIAL_RULES[kind];
    this.#store = store;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? randomBytes;
    this.#most = options.most;
    this.#policy = options.policy ?? 'strict';
  }

  /**
   * A page of the credentials of the tenant or of an owner, oldest first.
   * @throws ServiceError `forbidden`, `request_invalid` for a filter or a page
   */
  async list(
    caller: Caller,
    request: CredentialListRequest = {},
  ): Promise<CredentialPage<CredentialView<K>>> {
    const { tenantId, identityId } = caller;
    const isMe = request.ownerId === 'me';
    const ownerId = isMe ? identityId : (request.ownerId ?? null);
    const isOwn = isMe || (ownerId !== null && ownerId === identityId);
    const { readOwn, readAll } = this.#rules.rights;
    authorize(caller, isOwn ? readOwn : readAll);
    const matches = readLastUsedFilter(request.filters);
    const { read } = this.#store;
    const all = await currentCredentials(read, tenantId, this.#kind, ownerId, this.#clock.now());
    const { items, total } = credentialPage(all.filter(matches), request);
    const names = new Map<string | null, string>();
    const views: CredentialView<K>[] = [];
    for (const item of items) views.push(await this.#view(tenantId, item, names));
    return { items: views, total };
  }

  /** @throws ServiceError `forbidden`, `not_found` */
  async get(caller: Caller, id: string): Promise<CredentialView<K>> {
    authorize(caller, this.#rules.rights.readAll);
    const { tenantId } = caller;
    return this.#view(tenantId, await credentialOf(this.#store.read, tenantId, this.#kind, id));
  }

  /**
   * Creates a credential with what the caller's token may pass on.
   * @throws ServiceError `forbidden` also for more than the caller's token allows,
   * `request_invalid`, `illegal_value`, `limit_violation`
   */
  async create(caller: Caller, body: unknown): Promise<NewCredentialView<K>> {
    authorize(caller, this.#rules.rights.manageOwn);
    const terms = this.#terms(caller);
    const request = this.#rules.read(body, terms);
    const { tenantId } = caller;
    const { credential, secret } = await this.#store.write(async (records) =>
      addCredential(records, tenantId, this.#kind, request, {
        ...this.#change(caller, terms),
        ownerId: await this.#rules.ownerOf(records, caller, this.#policy),
        parentId: terms.confinement.parentId,
        most: this.#most,
      }),
    );
    const view = await this.#view(tenantId, credential);
    return { ...view, [this.#rules.secretMember]: secret } as unknown as NewCredentialView<K>;
  }

  /**
   * Applies a JSON Patch. A client that loses the grant REFRESH_TOKEN loses its refresh tokens.
   * @throws ServiceError `forbidden` also for more than the caller's token allows,
   * `request_invalid`, `not_found`, `illegal_update`, `illegal_value`
   */
  async patch(caller: Caller, id: string, body: unknown): Promise<CredentialView<K>> {
    const { rights, patch, isPersonal, settable } = this.#rules;
    authorize(caller, rights.manageOwn);
    if (patch === null) throw new TypeError(`A credential of kind ${this.#kind} has no patch`);
    const operations = readPatch(body);
    const { tenantId, identityId } = caller;
    const patched = await this.#store.write(async (records) => {
      // The time may end tokens, so it is that of the write, which may have waited.
      const terms = this.#terms(caller);
      if (isPersonal) await removeExpiredOf(records, tenantId, this.#kind, identityId, terms.now);
      const owner = isPersonal ? identityId : undefined;
      const before = await credentialOf(records, tenantId, this.#kind, id, owner);
      const after = patch(before, operations, terms);
      if (isPersonal) await refuseDuplicate(records, tenantId, after);
      if (equal(settable(before) as JsonValue, settable(after) as JsonValue)) return before;
      await records.updateCredential(tenantId, after);
      if (!mayRefresh(after)) await records.deleteRefreshTokensOf(tenantId, id);
      const change = this.#change(caller, terms);
      await recordCredentialEvent(records, tenantId, { before, after }, change);
      return after;
    });
    return this.#view(tenantId, patched);
  }

  /**
   * Deletes a credential: the caller's own, or any with the right over all. Its access tokens and the
   * credentials created with it end too.
   * @throws ServiceError `forbidden`, `not_found`
   */
  async remove(caller: Caller, id: string): Promise<void> {
    const { rights, missing } = this.#rules;
    const mayAll = mayDo(caller, rights.manageAll);
    if (!mayAll) authorize(caller, rights.manageOwn);
    const { tenantId, identityId } = caller;
    const owner = mayAll ? undefined : identityId;
    await this.#store.write(async (records) => {
      const change = this.#change(caller);
      const credential = await credentialOf(records, tenantId, this.#kind, id, owner);
      if (hasVanished(credential, change.now)) throw new ServiceError('not_found', missing(id));
      await removeCredential(records, tenantId, credential, change);
    });
  }

  #terms(caller: Caller): Terms {
    const confinement = confinementOf(caller, this.#policy);
    return { now: this.#clock.now(), confinement, held: caller.scopes };
  }

  #change(caller: Caller, { now } = { now: this.#clock.now() }): ChangeContext {
    return { now, random: this.#random, actor: actorOf(caller) };
  }

  /** @param names of owners that were read before, by id */
  async #view(
    tenantId: string,
    credential: CredentialOf<K>,
    names = new Map<string | null, string>(),
  ): Promise<CredentialView<K>> {
    const { ownerId } = credential;
    if (ownerId === null) return this.#rules.view(credential, null);
    const known = names.get(ownerId);
    const user = known === undefined ? await this.#store.read.authUser(tenantId, ownerId) : null;
    const name = known ?? user?.displayName ?? ownerId;
    names.set(ownerId, name);
    return this.#rules.view(credential, { id: ownerId, name });
  }
}

/** Context of a creation. */
interface Creation extends ChangeContext, Pick<Credential, 'ownerId' | 'parentId'> {
  /** Instead of the limit of the kind. */
  readonly most?: number | undefined;
}

/** A new credential, and its secret, which is not stored. */
interface Created<K extends CredentialKind> {
  readonly credential: CredentialOf<K>;
  readonly secret: string;
}

/** Options of what an operator creates. */
interface OperatorOptions {
  /** Whom it belongs to; needed for a personal access token. */
  readonly ownerId?: string | null;
  readonly change?: ChangeContext;
}

/**
 * Creates a credential as the local operator, without the limits of a token.
 * @param body that of the public API
 * @throws ServiceError `not_found` for the owner, `request_invalid`, `illegal_value`, `limit_violation`
 */
export async function createCredential<K extends CredentialKind>(
  store: Store,
  tenantId: string,
  kind: K,
  body: unknown,
  { ownerId = null, change = byOperator() }: OperatorOptions = {},
): Promise<Created<K>> {
  const rules: CredentialRules<K> = CREDENTIAL_RULES[kind];
  const request = rules.read(body, operatorTerms(change.now, UNCONFINED));
  return store.write(async (records) => {
    if (rules.isPersonal && (await records.authUser(tenantId, ownerId ?? '')) === null) {
      throw new ServiceError('not_found', `There is no auth user ${ownerId}.`);
    }
    return addCredential(records, tenantId, kind, request, { ...change, ownerId, parentId: null });
  });
}

/**
 * Deletes a credential as the local operator, with those that were created with it.
 * @throws ServiceError `not_found`
 */
export async function deleteCredential<K extends CredentialKind>(
  store: Store,
  tenantId: string,
  kind: K,
  id: string,
  change: ChangeContext = byOperator(),
): Promise<CredentialOf<K>> {
  return store.write(async (records) => {
    const credential = await credentialOf(records, tenantId, kind, id);
    await removeCredential(records, tenantId, credential, change);
    return credential;
  });
}

async function addCredential<K extends CredentialKind>(
  records: WritableRecords,
  tenantId: string,
  kind: K,
  request: Requested<CredentialOf<K>>,
  creation: Creation,
): Promise<Created<K>> {
  const { now, random, ownerId, parentId } = creation;
  const { limit, isPersonal, ...rules }: CredentialRules<K> = CREDENTIAL_RULES[kind];
  const owner = isPersonal ? ownerId : null;
  if (isPersonal) await removeExpiredOf(records, tenantId, kind, owner, now);
  if (limit !== null) {
    const most = creation.most ?? limit.most;
    if ((await records.credentialsOf(tenantId, kind, owner)).length >= most) {
      throw new ServiceError('limit_violation', limit.message, { causes: [limit.cause(most)] });
    }
  }
  const secret = rules.newSecret(random);
  const credential = {
    ...{ ...request, kind, id: rules.newId(random), secretHash: rules.hash(secret, random) },
    ...{ ownerId, parentId, created: new Date(now).toISOString(), lastUsed: null },
  } as unknown as CredentialOf<K>;
  if (isPersonal) await refuseDuplicate(records, tenantId, credential);
  await refuseUnknownView(records, tenantId, credential.view);
  await records.addCredential(tenantId, credential);
  await recordCredentialEvent(records, tenantId, { before: null, after: credential }, creation);
  return { credential, secret };
}

/** True for one that is as good as deleted. @param now epoch milliseconds */
function hasVanished(credential: Credential, now: number): boolean {
  return rulesOf(credential).vanishes && expiryMs(credential.expires) <= now;
}

/**
 * The credentials of a kind that are not as good as deleted, oldest first.
 * @param ownerId null: those of the tenant
 * @param now epoch milliseconds
 */
export async function currentCredentials<K extends CredentialKind>(
  records: Pick<Records, 'credentialsOf'>,
  tenantId: string,
  kind: K,
  ownerId: string | null = null,
  now: number = Date.now(),
): Promise<CredentialOf<K>[]> {
  const all = await records.credentialsOf(tenantId, kind, ownerId);
  return all.filter((credential) => !hasVanished(credential, now));
}

/**
 * Deletes expired personal access tokens of all tenants as removeCredential does, those that expired
 * first, in the caller's transaction.
 * @param now epoch milliseconds
 * @returns the number of those that had expired by themselves, `limit` if there may be more
 */
export async function removeExpiredTokens(
  records: WritableRecords,
  now: number,
  limit: number,
): Promise<number> {
  const expired = await records.expiredTokens(now, limit);
  for (const token of expired) await removeExpired(records, token.tenantId, token, now);
  return expired.length;
}

/** Deletes those of a user that are as good as deleted. */
async function removeExpiredOf(
  records: WritableRecords,
  tenantId: string,
  kind: CredentialKind,
  ownerId: string | null,
  now: number,
): Promise<void> {
  for (const credential of await records.credentialsOf(tenantId, kind, ownerId ?? '')) {
    if (hasVanished(credential, now)) await removeExpired(records, tenantId, credential, now);
  }
}

/** Deletes an expired credential, unless it went with the one that created it. */
async function removeExpired(
  records: WritableRecords,
  tenantId: string,
  credential: Credential,
  now: number,
): Promise<void> {
  if ((await records.credentialById(credential.id)) === null) return;
  const change = { now, random: randomBytes, actor: LOCAL_OPERATOR };
  await removeCredential(records, tenantId, credential, change, 'EXPIRE');
}

/**
 * Deletes a credential and all that were created with it, each with its audit event, in the caller's
 * transaction. Does not check rights.
 * @param operation why they end; the events of personal access tokens say so
 */
async function removeCredential(
  records: WritableRecords,
  tenantId: string,
  credential: Credential,
  change: ChangeContext,
  operation: 'DELETE' | 'EXPIRE' = 'DELETE',
): Promise<void> {
  for (const child of await records.credentialsCreatedBy(tenantId, credential.id)) {
    await removeCredential(records, tenantId, child, change, operation);
  }
  await records.deleteCredential(tenantId, credential.id);
  const told = credential.kind === 'pat' ? operation : 'DELETE';
  await recordCredentialEvent(records, tenantId, { before: credential, after: null }, change, told);
}

/** Deletes the credentials of a user as removeCredential does. */
export async function removeCredentialsOf(
  records: WritableRecords,
  tenantId: string,
  ownerId: string,
  kinds: readonly CredentialKind[],
  change: ChangeContext,
): Promise<void> {
  for (const kind of kinds) {
    for (const { id } of await records.credentialsOf(tenantId, kind, ownerId)) {
      // One may have gone with another.
      const credential = await records.credentialById(id);
      if (credential !== null) await removeCredential(records, tenantId, credential, change);
    }
  }
}

/**
 * @param ownerId whose it must be; undefined: anybody's
 * @throws ServiceError `not_found` for another tenant's as well
 */
async function credentialOf<K extends CredentialKind>(
  records: Pick<Records, 'credentialById'>,
  tenantId: string,
  kind: K,
  id: string,
  ownerId?: string | null,
): Promise<CredentialOf<K>> {
  const found = await records.credentialById(id);
  const isOwned = ownerId === undefined || found?.ownerId === ownerId;
  if (found?.tenantId === tenantId && found.kind === kind && isOwned) {
    return found as unknown as CredentialOf<K>;
  }
  throw new ServiceError('not_found', CREDENTIAL_RULES[kind].missing(id));
}

async function refuseDuplicate(
  records: WritableRecords,
  tenantId: string,
  { id, kind, name, ownerId }: Credential,
): Promise<void> {
  for (const other of await records.credentialsOf(tenantId, kind, ownerId)) {
    if (other.name === name && other.id !== id) {
      throw illegalToken(`name: the user has another token called ${JSON.stringify(name)}`);
    }
  }
}

/** False for a credential that can have no refresh tokens. */
function mayRefresh(credential: Credential): boolean {
  return credential.kind === 'client' && credential.grantTypes.includes('REFRESH_TOKEN');
}

function recordCredentialEvent(
  records: WritableRecords,
  tenantId: string,
  states: RecordStates<Credential>,
  context: ChangeContext,
  operation: 'EXPIRE' | ReturnType<typeof operationOf> = operationOf(states),
): Promise<void> {
  const { before, after } = states;
  const credential = after ?? before;
  const { object, eventMembers, settable } = rulesOf(credential);
  return recordAuditEvent(records, tenantId, context, {
    act: `${object}_${operation}` as Act,
    target: credential.name,
    attributes: {
      ...eventMembers(credential),
      ...changeAttributes(before && settable(before), after && settable(after)),
    },
  });
}
