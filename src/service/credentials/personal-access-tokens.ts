// Personal access tokens: list, create, change, delete. The secret is shown once, on creation, and
// stored as a hash. A deleted token is refused from the next request on, because each request looks
// it up; credentials created with it are deleted in the same transaction.
// An expired token is as good as deleted: refused, shown nowhere, counted nowhere. Its owner's next
// token or change deletes it, with an event of the trail, or else src/jobs/retention/ does.
// Invariant: another user's token is reported like a missing one.
import { randomBytes } from 'node:crypto';
import { authorize, mayDo } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import { confinementOf, type TokenPolicy } from '../../auth/confinement.ts';
import { hashSecret, newId, newSecret, type RandomBytes } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import { equal, type JsonValue, readPatch } from '../../json/json-patch.ts';
import type { CollectionParameters } from '../../query/collections/collection-page.ts';
import {
  actorOf,
  type ChangeContext,
  changeAttributes,
  LOCAL_OPERATOR,
  operationOf,
  type RecordStates,
  recordAuditEvent,
} from '../audit/audit-event.ts';
import type {
  AuthUser,
  PersonalAccessToken,
  Records,
  Store,
  WritableRecords,
} from '../ports/store.ts';
import { refuseUnknownView } from '../views/view-names.ts';
import { removeApiKey } from './api-keys.ts';
import { expiryMs } from './credential-bounds.ts';
import { readLastUsedFilter } from './credential-members.ts';
import { type CredentialPage, credentialPage } from './credential-page.ts';
import { removeClient } from './oauth-clients.ts';
import {
  illegalToken,
  patchToken,
  readTokenRequest,
  type TokenRequest,
} from './personal-access-token-request.ts';

/** The public form of a token (contract/auth-users.md section 7). */
export interface TokenView {
  readonly id: string;
  readonly name: string;
  readonly scope: readonly string[];
  readonly owner: { readonly type: 'IDENTITY'; readonly id: string; readonly name: string };
  readonly created: string;
  readonly lastUsed: string | null;
  readonly managed: boolean;
  readonly accessTokenValiditySeconds: number;
  readonly expirationDate: string | null;
  readonly userAwareTokenNeverExpires: boolean;
  /** An extension: the view that it is restricted to. */
  readonly view?: string;
}

/** A new token, with the secret that is never shown again. */
export interface NewTokenView extends TokenView {
  readonly secret: string;
}

/** The parameters of a list, as sent. */
export interface TokenListRequest extends CollectionParameters {
  /** `me`, an identity's id, or undefined for all tokens of the tenant. */
  readonly ownerId?: string | undefined;
}

/** Settings; all have defaults. */
export interface PersonalAccessTokenOptions {
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  /** Maximum number of tokens per user. */
  readonly maxPerOwner?: number;
  /** Default `strict`. */
  readonly policy?: TokenPolicy;
}

export const MAX_TOKENS_PER_OWNER = 10;

/** The use cases of personal access tokens. */
export class PersonalAccessTokens {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  readonly #maxPerOwner: number;
  readonly #policy: TokenPolicy;

  constructor(store: Store, options: PersonalAccessTokenOptions = {}) {
    this.#store = store;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? randomBytes;
    this.#maxPerOwner = options.maxPerOwner ?? MAX_TOKENS_PER_OWNER;
    this.#policy = options.policy ?? 'strict';
  }

  /** @throws ServiceError `forbidden`, `request_invalid` for a filter or a page */
  async list(caller: Caller, request: TokenListRequest = {}): Promise<CredentialPage<TokenView>> {
    const ownerId = request.ownerId === 'me' ? caller.identityId : (request.ownerId ?? null);
    const own = ownerId !== null && ownerId === caller.identityId;
    authorize(caller, own || request.ownerId === 'me' ? 'pat:own:read' : 'pat:all:read');
    const matches = readLastUsedFilter(request.filters);
    const { read } = this.#store;
    const names = new Map<string, string>();
    const views: TokenView[] = [];
    const tokens = await validTokensOf(read, caller.tenantId, ownerId, this.#clock.now());
    const { items, total } = credentialPage(tokens.filter(matches), request);
    for (const token of items) {
      let name = names.get(token.ownerId);
      if (name === undefined) {
        const owner = await read.authUser(caller.tenantId, token.ownerId);
        name = owner?.displayName ?? token.ownerId;
        names.set(token.ownerId, name);
      }
      views.push(view(token, name));
    }
    return { items: views, total };
  }

  /**
   * Creates a token for the caller.
   * @throws ServiceError `forbidden` also for more than the caller's token allows,
   * `request_invalid`, `illegal_value`, `limit_violation`
   */
  async create(caller: Caller, body: unknown): Promise<NewTokenView> {
    authorize(caller, 'pat:own:manage');
    const now = this.#clock.now();
    const confinement = confinementOf(caller, this.#policy);
    const request = readTokenRequest(body, now, confinement);
    return this.#store.write(async (records) => {
      const owner = await records.authUser(caller.tenantId, caller.identityId ?? '');
      if (owner === null) {
        throw new ServiceError('forbidden', 'Only a user of this tenant can own a token.');
      }
      const created = await mintToken(records, caller.tenantId, owner, request, {
        ...this.#change(caller, now),
        maxPerOwner: this.#maxPerOwner,
        parentId: confinement.parentId,
      });
      return { ...view(created.token, owner.displayName), secret: created.secret };
    });
  }

  /**
   * Changes one of the caller's own tokens.
   * @throws ServiceError `forbidden` also for more than the caller's token allows,
   * `request_invalid`, `not_found`, `illegal_update`, `illegal_value`
   */
  async patch(caller: Caller, id: string, body: unknown): Promise<TokenView> {
    authorize(caller, 'pat:own:manage');
    const operations = readPatch(body);
    const now = this.#clock.now();
    return this.#store.write(async (records) => {
      await removeExpiredTokensOf(records, caller.tenantId, caller.identityId ?? '', now);
      const token = await ownToken(records, caller, id);
      const owner = await records.authUser(caller.tenantId, token.ownerId);
      const patched = patchToken(token, operations, now, confinementOf(caller, this.#policy));
      await refuseDuplicate(records, caller.tenantId, patched);
      if (!equal(json(patched), json(token))) {
        await records.updateToken(caller.tenantId, patched);
        const states = { before: token, after: patched };
        const change = this.#change(caller, now);
        await recordTokenEvent(records, caller.tenantId, states, change);
      }
      return view(patched, owner?.displayName ?? token.ownerId);
    });
  }

  /**
   * Deletes one of the caller's tokens, or any token with the right over all. Its access tokens and
   * the credentials created with it end too.
   * @throws ServiceError `forbidden`, `not_found`
   */
  async remove(caller: Caller, id: string): Promise<void> {
    if (!mayDo(caller, 'pat:all:manage')) authorize(caller, 'pat:own:manage');
    const now = this.#clock.now();
    await this.#store.write(async (records) => {
      const token = await visibleToken(records, caller, id);
      if (hasExpired(token, now)) throw noSuchToken();
      const change = this.#change(caller, now);
      await removeToken(records, caller.tenantId, token, change);
    });
  }

  #change(caller: Caller, now: number): ChangeContext {
    return { now, random: this.#random, actor: actorOf(caller) };
  }
}

/** Context of a token's creation. */
export interface Minting extends ChangeContext {
  readonly maxPerOwner: number;
  /** The personal access token that the new one ends with. */
  readonly parentId: string | null;
}

/**
 * Creates a token in the caller's transaction, with its audit event. Does not check rights.
 * @throws ServiceError `limit_violation`, `illegal_value` when the owner has a token of that name, or
 * for a view that does not exist
 */
export async function mintToken(
  records: WritableRecords,
  tenantId: string,
  owner: AuthUser,
  request: TokenRequest,
  minting: Minting,
): Promise<{ token: PersonalAccessToken; secret: string }> {
  await removeExpiredTokensOf(records, tenantId, owner.id, minting.now);
  const existing = await records.tokensOf(tenantId, owner.id);
  if (existing.length >= minting.maxPerOwner) {
    throw new ServiceError('limit_violation', 'The user has too many personal access tokens.', {
      causes: [`at most ${minting.maxPerOwner} per user`],
    });
  }
  const secret = newSecret(minting.random);
  const token: PersonalAccessToken = {
    ...request,
    id: newId(minting.random),
    ownerId: owner.id,
    secretHash: hashSecret(secret, minting.random),
    managed: false,
    created: new Date(minting.now).toISOString(),
    lastUsed: null,
    parentId: minting.parentId,
  };
  await refuseDuplicate(records, tenantId, token);
  await refuseUnknownView(records, tenantId, token.view);
  await records.addToken(tenantId, token);
  await recordTokenEvent(records, tenantId, { before: null, after: token }, minting);
  return { token, secret };
}

/** Whether a token has expired. @param now epoch milliseconds */
function hasExpired({ expirationDate }: PersonalAccessToken, now: number): boolean {
  return expiryMs(expirationDate) <= now;
}

/**
 * The tokens of a tenant, or of one owner, that have not expired, oldest first.
 * @param ownerId null: those of all
 * @param now epoch milliseconds
 */
export async function validTokensOf(
  records: Pick<Records, 'tokensOf'>,
  tenantId: string,
  ownerId: string | null,
  now: number,
): Promise<PersonalAccessToken[]> {
  const tokens = await records.tokensOf(tenantId, ownerId);
  return tokens.filter((token) => !hasExpired(token, now));
}

/**
 * Deletes expired tokens of all tenants as removeToken does, those that expired first, in the
 * caller's transaction.
 * @param now epoch milliseconds
 * @returns the number of those that had expired by themselves, `limit` if there may be more
 */
export async function removeExpiredTokens(
  records: WritableRecords,
  now: number,
  limit: number,
): Promise<number> {
  const expired = await records.expiredTokens(now, limit);
  for (const { tenantId, token } of expired) await removeExpired(records, tenantId, token, now);
  return expired.length;
}

/** Deletes the expired tokens of a user as removeToken does. */
async function removeExpiredTokensOf(
  records: WritableRecords,
  tenantId: string,
  ownerId: string,
  now: number,
): Promise<void> {
  for (const token of await records.tokensOf(tenantId, ownerId)) {
    if (hasExpired(token, now)) await removeExpired(records, tenantId, token, now);
  }
}

/** Deletes an expired token, unless it went with the one that created it. */
async function removeExpired(
  records: WritableRecords,
  tenantId: string,
  token: PersonalAccessToken,
  now: number,
): Promise<void> {
  if ((await records.tokenById(token.id)) === null) return;
  const change = { now, random: randomBytes, actor: LOCAL_OPERATOR };
  await removeToken(records, tenantId, token, change, 'EXPIRE');
}

/**
 * Deletes a token and all credentials created with it, each with its audit event, in the caller's
 * transaction. Does not check rights.
 * @param operation why the tokens end; the event says so
 */
export async function removeToken(
  records: WritableRecords,
  tenantId: string,
  token: PersonalAccessToken,
  change: ChangeContext,
  operation: 'DELETE' | 'EXPIRE' = 'DELETE',
): Promise<void> {
  for (const child of await records.tokensCreatedBy(tenantId, token.id)) {
    await removeToken(records, tenantId, child, change, operation);
  }
  for (const { id } of await records.clientsCreatedBy(tenantId, token.id)) {
    await removeClient(records, tenantId, id, change);
  }
  for (const key of await records.apiKeysCreatedBy(tenantId, token.id)) {
    await removeApiKey(records, tenantId, key, change);
  }
  await records.deleteToken(tenantId, token.id);
  await recordTokenEvent(records, tenantId, { before: token, after: null }, change, operation);
}

/** Deletes all tokens of a user as removeToken does. */
export async function removeTokensOf(
  records: WritableRecords,
  tenantId: string,
  ownerId: string,
  change: ChangeContext,
): Promise<void> {
  // Deleting one may delete others, so read the list again after each.
  for (;;) {
    const [token] = await records.tokensOf(tenantId, ownerId);
    if (token === undefined) return;
    await removeToken(records, tenantId, token, change);
  }
}

async function ownToken(
  records: WritableRecords,
  caller: Caller,
  id: string,
): Promise<PersonalAccessToken> {
  const record = await records.tokenById(id);
  if (record?.tenantId !== caller.tenantId || record.token.ownerId !== caller.identityId) {
    throw noSuchToken();
  }
  return record.token;
}

async function visibleToken(
  records: WritableRecords,
  caller: Caller,
  id: string,
): Promise<PersonalAccessToken> {
  if (!mayDo(caller, 'pat:all:manage')) return ownToken(records, caller, id);
  const record = await records.tokenById(id);
  if (record?.tenantId !== caller.tenantId) throw noSuchToken();
  return record.token;
}

async function refuseDuplicate(
  records: WritableRecords,
  tenantId: string,
  token: PersonalAccessToken,
): Promise<void> {
  for (const other of await records.tokensOf(tenantId, token.ownerId)) {
    if (other.name === token.name && other.id !== token.id) {
      throw illegalToken(`name: the user has another token called ${JSON.stringify(token.name)}`);
    }
  }
}

function recordTokenEvent(
  records: WritableRecords,
  tenantId: string,
  states: RecordStates<PersonalAccessToken>,
  context: ChangeContext,
  operation: 'EXPIRE' | ReturnType<typeof operationOf> = operationOf(states),
): Promise<void> {
  const { before, after } = states;
  const { id, name, ownerId, scope } = after ?? before;
  return recordAuditEvent(records, tenantId, context, {
    act: `PERSONAL_ACCESS_TOKEN_${operation}`,
    target: name,
    attributes: {
      tokenId: id,
      ownerId,
      scope,
      ...changeAttributes(
        before === null ? null : settableMembers(before),
        after === null ? null : settableMembers(after),
      ),
    },
  });
}

/** The members that the owner can set. */
function settableMembers(token: PersonalAccessToken): Readonly<Record<string, unknown>> {
  const { name, scope, accessTokenValiditySeconds, expirationDate } = token;
  const { userAwareTokenNeverExpires, view } = token;
  return {
    ...{ name, scope, accessTokenValiditySeconds, expirationDate, userAwareTokenNeverExpires },
    ...(view !== null && { view }),
  };
}

/** The members that may be shown, without the hash of the secret. */
function view(token: PersonalAccessToken, ownerName: string): TokenView {
  return {
    id: token.id,
    name: token.name,
    scope: token.scope,
    owner: { type: 'IDENTITY', id: token.ownerId, name: ownerName },
    created: token.created,
    lastUsed: token.lastUsed,
    managed: token.managed,
    accessTokenValiditySeconds: token.accessTokenValiditySeconds,
    expirationDate: token.expirationDate,
    userAwareTokenNeverExpires: token.userAwareTokenNeverExpires,
    ...(token.view !== null && { view: token.view }),
  };
}

function json(token: PersonalAccessToken): JsonValue {
  return { ...token, scope: [...token.scope] };
}

function noSuchToken(): ServiceError {
  return new ServiceError('not_found', 'There is no such personal access token.');
}
