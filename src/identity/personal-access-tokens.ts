// Personal access tokens: list, create, rename, delete. The secret is shown once, when the token is made, and only
// its hash is kept. A deleted token is refused with the next request, since each request looks it up.
// Invariant: somebody else's token and no token at all are the same answer.
import { randomBytes } from 'node:crypto';
import { authorize, mayDo } from '../auth/access.ts';
import type { Caller } from '../auth/caller.ts';
import { type Clock, systemClock } from '../auth/clock.ts';
import { hashSecret, newId, newSecret, type RandomBytes } from '../auth/secrets.ts';
import { ServiceError } from '../errors.ts';
import { recordAuditEvent } from './audit-event.ts';
import { equal, type JsonValue, readPatch } from './json-patch.ts';
import {
  illegalToken,
  patchToken,
  readTokenFilter,
  readTokenRequest,
  type TokenRequest,
} from './personal-access-token-request.ts';
import type { AuthUser, PersonalAccessToken, Store, WritableRecords } from './store.ts';

/** A token as shown (contract/auth-users.md section 7). */
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
}

/** A token just made, with the secret that is never shown again. */
export interface NewTokenView extends TokenView {
  readonly secret: string;
}

/** What a list is narrowed by, as sent. */
export interface TokenListRequest {
  /** `me`, an identity's id, or nothing for all of the tenant. */
  readonly ownerId?: string | undefined;
  readonly filters?: string | undefined;
}

/** Settings; all have defaults. */
export interface PersonalAccessTokenOptions {
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  /** Tokens one user may have. */
  readonly maxPerOwner?: number;
}

/** Who makes a token: shown as the actor of the audit event. */
export interface Actor {
  readonly name: string;
  readonly id: string;
}

export const MAX_TOKENS_PER_OWNER = 10;

/** The personal access token use cases. */
export class PersonalAccessTokens {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  readonly #maxPerOwner: number;

  constructor(store: Store, options: PersonalAccessTokenOptions = {}) {
    this.#store = store;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? randomBytes;
    this.#maxPerOwner = options.maxPerOwner ?? MAX_TOKENS_PER_OWNER;
  }

  /** @throws ServiceError `forbidden`, `request_invalid` for a filter */
  async list(caller: Caller, request: TokenListRequest = {}): Promise<TokenView[]> {
    const wanted = request.ownerId === 'me' ? caller.identityId : (request.ownerId ?? null);
    const own = wanted !== null && wanted === caller.identityId;
    authorize(caller, own || request.ownerId === 'me' ? 'pat:own:read' : 'pat:all:read');
    const matches = readTokenFilter(request.filters);
    const { read } = this.#store;
    const names = new Map<string, string>();
    const views: TokenView[] = [];
    for (const token of await read.tokensOf(caller.tenantId, wanted)) {
      if (!matches(token)) continue;
      let name = names.get(token.ownerId);
      if (name === undefined) {
        const owner = await read.authUser(caller.tenantId, token.ownerId);
        name = owner?.displayName ?? token.ownerId;
        names.set(token.ownerId, name);
      }
      views.push(view(token, name));
    }
    return views;
  }

  /**
   * Makes a token for the caller.
   * @throws ServiceError `forbidden`, `request_invalid`, `illegal_value`, `limit_violation`
   */
  async create(caller: Caller, body: unknown): Promise<NewTokenView> {
    authorize(caller, 'pat:own:manage');
    const now = this.#clock.now();
    const request = readTokenRequest(body, now);
    return this.#store.write(async (records) => {
      const owner = await records.authUser(caller.tenantId, caller.identityId ?? '');
      if (owner === null) {
        throw new ServiceError('forbidden', 'Only a user of this tenant can own a token.');
      }
      const created = await mintToken(records, caller.tenantId, owner, request, {
        now,
        random: this.#random,
        actor: actorOf(caller),
        maxPerOwner: this.#maxPerOwner,
      });
      return { ...view(created.token, owner.displayName), secret: created.secret };
    });
  }

  /**
   * Changes one of the caller's own tokens.
   * @throws ServiceError `forbidden`, `request_invalid`, `not_found`, `illegal_update`, `illegal_value`
   */
  async patch(caller: Caller, id: string, body: unknown): Promise<TokenView> {
    authorize(caller, 'pat:own:manage');
    const operations = readPatch(body);
    const now = this.#clock.now();
    return this.#store.write(async (records) => {
      const token = await ownToken(records, caller, id);
      const owner = await records.authUser(caller.tenantId, token.ownerId);
      const patched = patchToken(token, operations, now);
      await refuseDuplicate(records, caller.tenantId, patched);
      if (!equal(json(patched), json(token))) {
        await records.updateToken(caller.tenantId, patched);
        await recordTokenEvent(records, caller.tenantId, patched, 'MODIFY', {
          now,
          random: this.#random,
          actor: actorOf(caller),
        });
      }
      return view(patched, owner?.displayName ?? token.ownerId);
    });
  }

  /**
   * Deletes a token: one's own, or any with the right over all. Its access tokens end with it.
   * @throws ServiceError `forbidden`, `not_found`
   */
  async remove(caller: Caller, id: string): Promise<void> {
    if (!mayDo(caller, 'pat:all:manage')) authorize(caller, 'pat:own:manage');
    await this.#store.write(async (records) => {
      const token = await visibleToken(records, caller, id);
      await records.deleteToken(caller.tenantId, id);
      await recordTokenEvent(records, caller.tenantId, token, 'DELETE', {
        now: this.#clock.now(),
        random: this.#random,
        actor: actorOf(caller),
      });
    });
  }
}

/** What making a token takes beside the request. */
export interface Minting {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly random: RandomBytes;
  readonly actor: Actor;
  readonly maxPerOwner: number;
}

/**
 * Makes a token in the caller's transaction, with its audit event; nobody's rights are asked.
 * @throws ServiceError `limit_violation`, `illegal_value` where the owner has one of that name
 */
export async function mintToken(
  records: WritableRecords,
  tenantId: string,
  owner: AuthUser,
  request: TokenRequest,
  minting: Minting,
): Promise<{ token: PersonalAccessToken; secret: string }> {
  const held = await records.tokensOf(tenantId, owner.id);
  if (held.length >= minting.maxPerOwner) {
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
  };
  await refuseDuplicate(records, tenantId, token);
  await records.addToken(tenantId, token);
  await recordTokenEvent(records, tenantId, token, 'CREATE', minting);
  return { token, secret };
}

async function ownToken(
  records: WritableRecords,
  caller: Caller,
  id: string,
): Promise<PersonalAccessToken> {
  const found = await records.tokenById(id);
  if (found?.tenantId !== caller.tenantId || found.token.ownerId !== caller.identityId) {
    throw noSuchToken();
  }
  return found.token;
}

async function visibleToken(
  records: WritableRecords,
  caller: Caller,
  id: string,
): Promise<PersonalAccessToken> {
  if (!mayDo(caller, 'pat:all:manage')) return ownToken(records, caller, id);
  const found = await records.tokenById(id);
  if (found?.tenantId !== caller.tenantId) throw noSuchToken();
  return found.token;
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
  token: PersonalAccessToken,
  operation: 'CREATE' | 'MODIFY' | 'DELETE',
  minting: Pick<Minting, 'now' | 'random' | 'actor'>,
): Promise<void> {
  return recordAuditEvent(records, tenantId, {
    id: newId(minting.random),
    created: new Date(minting.now).toISOString(),
    actor: minting.actor.name,
    target: token.name,
    type: 'AUTH',
    action: `${operation[0]}${operation.slice(1).toLowerCase()}PersonalAccessToken`,
    operation,
    status: 'PASSED',
    technicalName: `PERSONAL_ACCESS_TOKEN_${operation}_PASSED`,
    attributes: {
      actorId: minting.actor.id,
      tokenId: token.id,
      ownerId: token.ownerId,
      scope: token.scope,
    },
  });
}

/** All that may be shown; the secret's hash is not among it. */
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
  };
}

function actorOf(caller: Caller): Actor {
  return {
    name: caller.userName ?? caller.clientId,
    id: caller.identityId ?? caller.clientId,
  };
}

function json(token: PersonalAccessToken): JsonValue {
  return { ...token, scope: [...token.scope] };
}

function noSuchToken(): ServiceError {
  return new ServiceError('not_found', 'There is no such personal access token.');
}
