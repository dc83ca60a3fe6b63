// API keys of profile management: created, listed and deleted on the command line or by an
// administrator, checked with each request.
// Invariant: only the hash of a key is stored, and the key is shown once; a key that was deleted,
// has expired, whose parent has ended or (under the policy `strict`) whose owner is disabled or
// deleted is rejected from the next request on, and may do no more than its owner may do then.
import { randomBytes, randomUUID } from 'node:crypto';
import { PROFILE_SCOPES, uncoveredScopes } from '../../auth/access.ts';
import { newApiKey } from '../../auth/api-key.ts';
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import {
  type Confinement,
  confinementOf,
  grantedScope,
  refuseLaterEnd,
  type TokenPolicy,
  UNCONFINED,
} from '../../auth/confinement.ts';
import { fingerprint } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import {
  actorOf,
  type ChangeContext,
  changeAttributes,
  recordAuditEvent,
} from '../audit/audit-event.ts';
import { byOperator } from '../audit/operator-event.ts';
import type { ApiKey, ApiKeyScope } from '../ports/api-key-records.ts';
import type { Store, WritableRecords } from '../ports/store.ts';
import { viewsInForce } from '../views/views-in-force.ts';
import { type ApiKeyRequest, readApiKeyRequest } from './api-key-request.ts';
import { boundsOf, expiryMs, isEnabled } from './credential-bounds.ts';

const DAY_MS = 86_400_000;

/** A key without its secret, as callers see it. */
export interface ShownApiKey
  extends Pick<ApiKey, 'id' | 'name' | 'created' | 'scope' | 'expires' | 'lastUsed'> {
  readonly owner: { readonly id: string; readonly name: string } | null;
}

/** Settings; all have defaults. */
export interface ApiKeyOptions {
  readonly clock?: Clock;
  /** Default `strict`. */
  readonly policy?: TokenPolicy;
}

/**
 * Checks keys, and manages those of a tenant. Routes authorize administrators first
 * (auth/access.ts, `admin`).
 */
export class ApiKeys {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #policy: TokenPolicy;
  /** Ids of keys whose last use is being written. */
  readonly #noting = new Set<string>();

  constructor(store: Store, { clock = systemClock, policy = 'strict' }: ApiKeyOptions = {}) {
    this.#store = store;
    this.#clock = clock;
    this.#policy = policy;
  }

  /**
   * Returns the caller that a key authenticates.
   * @throws ServiceError `token_invalid`
   */
  async verify(text: string): Promise<Caller> {
    // Keys have 128 random bits, so a plain hash is safe to look up.
    const match = await this.#store.read.apiKeyByHash(fingerprint(text));
    if (match === null) throw new ServiceError('token_invalid', 'The API key is unknown.');
    const { key, tenantId } = match;
    const own = {
      ...{ ends: expiryMs(key.expires), validFrom: 0 },
      ...{ scopes: [PROFILE_SCOPES[key.scope]], views: [] },
    };
    // Under `vendor` keys belong to the tenant.
    const ownerId = this.#policy === 'vendor' ? null : key.ownerId;
    const { read } = this.#store;
    const [tenant, { ends, scopes, views, owners }] = await Promise.all([
      read.tenantById(tenantId),
      boundsOf(read, tenantId, own, { parentId: key.parentId, ownerId }),
    ]);
    if (tenant === null || ends <= this.#clock.now()) {
      throw new ServiceError(
        'token_invalid',
        'The API key has expired or was revoked, or its owner is disabled or deleted.',
      );
    }
    await this.#noteUse(tenantId, key);
    return {
      tenantId,
      views: await viewsInForce(this.#store.read, tenantId, views),
      current: () => this.verify(text),
      identityId: null,
      userName: null,
      clientId: key.id,
      scopes,
      capabilities: [],
      ownerCapabilities: owners,
      personalTokenId: null,
      credentialEnds: ends,
      tokenId: key.id,
      apiKey: true,
    };
  }

  /** The keys of the caller's tenant, oldest first. */
  async list({ tenantId }: Caller): Promise<readonly ShownApiKey[]> {
    const keys = await this.#store.read.apiKeys(tenantId);
    return Promise.all(keys.map((key) => shown(this.#store, tenantId, key)));
  }

  /**
   * Creates a key.
   * @param body `{"name": …, "scope": "read" | "manage", "expires": …}`; unknown members are
   * ignored
   * @returns the key with its record; the key is not shown again
   * @throws ServiceError `request_invalid`, `illegal_value`, `forbidden` if it exceeds the caller's
   * token
   */
  async create(caller: Caller, body: unknown): Promise<ShownApiKey & { readonly apiKey: string }> {
    const now = this.#clock.now();
    const confinement = confinementOf(caller, this.#policy);
    const request = readApiKeyRequest(body, now);
    const { tenantId, identityId: ownerId } = caller;
    const { key, stored } = await this.#store.write(async (records) => {
      if (this.#policy === 'strict') await refuseUnknownOwner(records, tenantId, ownerId);
      return addApiKey(records, tenantId, confined(request, confinement), {
        now,
        random: randomBytes,
        actor: actorOf(caller),
        ownerId,
        parentId: confinement.parentId,
      });
    });
    return { ...(await shown(this.#store, caller.tenantId, stored)), apiKey: key };
  }

  /** @throws ServiceError `not_found` for another tenant's key as well */
  async remove(caller: Caller, id: string): Promise<void> {
    await deleteApiKey(this.#store, caller.tenantId, id, {
      now: this.#clock.now(),
      random: randomBytes,
      actor: actorOf(caller),
    });
  }

  /** Records the use at most once a day; a store that cannot write does not reject the key. */
  async #noteUse(tenantId: string, { id, lastUsed }: ApiKey): Promise<void> {
    const now = this.#clock.now();
    if (lastUsed !== null && now - Date.parse(lastUsed) < DAY_MS) return;
    if (this.#noting.has(id)) return;
    this.#noting.add(id);
    try {
      await this.#store.write((records) =>
        records.noteApiKeyUse(tenantId, id, new Date(now).toISOString()),
      );
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error;
    } finally {
      this.#noting.delete(id);
    }
  }
}

/**
 * A key ends with its owner, so the owner must be a local user: another issuer's users are unknown
 * here.
 */
async function refuseUnknownOwner(
  records: WritableRecords,
  tenantId: string,
  ownerId: string | null,
): Promise<void> {
  if (ownerId !== null && (await isEnabled(records, tenantId, ownerId))) return;
  throw new ServiceError(
    'forbidden',
    'Only an enabled auth user of this tenant can own an API key.',
    {
      causes: [
        'import the user with /admin/v1/auth-users, or create the key on the command line: cardea api-key create',
      ],
    },
  );
}

/** A request with the granted scope and expiry. */
type SettledRequest = ApiKeyRequest & { readonly scope: ApiKeyScope };

/** @throws ServiceError `forbidden` for a scope or an expiry beyond that of the caller's token */
function confined(request: ApiKeyRequest, confinement: Confinement): SettledRequest {
  const scope = request.scope ?? strongestScope(confinement);
  grantedScope(confinement.scopes, [PROFILE_SCOPES[scope]]);
  const { ends } = confinement;
  if (request.expires !== null) {
    refuseLaterEnd('expires', Date.parse(request.expires), confinement);
    return { ...request, scope };
  }
  return {
    ...request,
    scope,
    expires: Number.isFinite(ends) ? new Date(ends).toISOString() : null,
  };
}

/** The strongest scope of the caller; `read` also without any scope, so that the error names it. */
function strongestScope({ scopes }: Confinement): ApiKeyScope {
  return uncoveredScopes(scopes, [PROFILE_SCOPES.manage]).length === 0 ? 'manage' : 'read';
}

async function shown(store: Store, tenantId: string, key: ApiKey): Promise<ShownApiKey> {
  const { id, name, created, scope, expires, lastUsed, ownerId } = key;
  const owner = ownerId === null ? null : await store.read.authUser(tenantId, ownerId);
  return {
    id,
    name,
    created,
    scope,
    expires,
    lastUsed,
    owner: ownerId === null ? null : { id: ownerId, name: owner?.displayName ?? ownerId },
  };
}

/**
 * Creates a key as the local operator.
 * @param body see ApiKeys.create; without `scope` the key grants read and write access
 * @returns the key, which is not stored, and its record
 * @throws ServiceError `request_invalid`, `illegal_value`
 */
export async function createApiKey(
  store: Store,
  tenantId: string,
  body: { readonly name: string; readonly scope?: string; readonly expires?: string | null },
  ownerId: string | null = null,
): Promise<{ key: string; stored: ApiKey }> {
  const change = byOperator();
  const request = confined(readApiKeyRequest(body, change.now), UNCONFINED);
  return store.write((records) =>
    addApiKey(records, tenantId, request, { ...change, ownerId, parentId: null }),
  );
}

/** Deletes a key. @throws ServiceError `not_found` */
export async function deleteApiKey(
  store: Store,
  tenantId: string,
  id: string,
  change: ChangeContext = byOperator(),
): Promise<ApiKey> {
  return store.write(async (records) => {
    const key = (await records.apiKeys(tenantId)).find((candidate) => candidate.id === id);
    if (key === undefined) throw new ServiceError('not_found', `There is no API key ${id}.`);
    await removeApiKey(records, tenantId, key, change);
    return key;
  });
}

/** Deletes all keys of a user in the caller's transaction, each with its audit event. */
export async function removeApiKeysOf(
  records: WritableRecords,
  tenantId: string,
  ownerId: string,
  change: ChangeContext,
): Promise<void> {
  for (const key of await records.apiKeys(tenantId)) {
    if (key.ownerId === ownerId) await removeApiKey(records, tenantId, key, change);
  }
}

/** Deletes a key in the caller's transaction, with its audit event. */
export async function removeApiKey(
  records: WritableRecords,
  tenantId: string,
  key: ApiKey,
  change: ChangeContext,
): Promise<void> {
  await records.deleteApiKey(tenantId, key.id);
  await recordKeyEvent(records, tenantId, key, 'DELETE', change);
}

async function addApiKey(
  records: WritableRecords,
  tenantId: string,
  { name, scope, expires }: SettledRequest,
  change: ChangeContext & Pick<ApiKey, 'ownerId' | 'parentId'>,
): Promise<{ key: string; stored: ApiKey }> {
  const { now, ownerId, parentId, random } = change;
  const key = newApiKey(random);
  const stored: ApiKey = {
    id: randomUUID(),
    name,
    scope,
    expires,
    ownerId,
    parentId,
    hash: fingerprint(key),
    created: new Date(now).toISOString(),
    lastUsed: null,
  };
  await records.addApiKey(tenantId, stored);
  await recordKeyEvent(records, tenantId, stored, 'CREATE', change);
  return { key, stored };
}

function recordKeyEvent(
  records: WritableRecords,
  tenantId: string,
  key: ApiKey,
  operation: 'CREATE' | 'DELETE',
  context: ChangeContext,
): Promise<void> {
  return recordAuditEvent(records, tenantId, context, {
    ...{ act: `API_KEY_${operation}`, target: key.name },
    attributes: {
      keyId: key.id,
      scope: key.scope,
      ...(operation === 'CREATE'
        ? changeAttributes(null, settable(key))
        : changeAttributes(settable(key), null)),
    },
  });
}

/** The settings of a key, for the audit event. */
function settable({ name, scope, expires, ownerId }: ApiKey): Readonly<Record<string, unknown>> {
  return { name, scope, expires, ownerId };
}
