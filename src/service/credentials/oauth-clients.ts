// API clients: list, read, create, change, delete. A client acts for itself, not for a user, so it
// may do what auth/access.ts allows app tokens. Its secret is shown once, on creation, and stored
// as a hash.
// Invariant: a client gets no scope that its creator's token lacks; under the strict policy it ends
// with the personal access token that created it; once deleted or disabled it is refused from the
// next request on.
import { randomBytes } from 'node:crypto';
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import {
  confinementOf,
  grantedScope,
  refuseLaterEnd,
  type TokenPolicy,
} from '../../auth/confinement.ts';
import { hashSecret, newSecret, newUuid, type RandomBytes } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import { equal, readPatch } from '../../json/json-patch.ts';
import type { CollectionParameters } from '../../query/collections/collection-page.ts';
import {
  actorOf,
  type ChangeContext,
  changeAttributes,
  operationOf,
  type RecordStates,
  recordAuditEvent,
} from '../audit/audit-event.ts';
import type { OAuthClient, Store, WritableRecords } from '../ports/store.ts';
import { refuseUnknownView } from '../views/view-names.ts';
import { nextValidFrom } from './credential-bounds.ts';
import { readLastUsedFilter } from './credential-members.ts';
import { type CredentialPage, credentialPage } from './credential-page.ts';
import {
  type ClientRequest,
  changeableJson,
  DEFAULT_CLIENT_SCOPE,
  patchClient,
  readClientRequest,
} from './oauth-client-request.ts';

/** The public form of an API client: `GetOAuthClientResponse` of the published client library. */
export interface ClientView
  extends Omit<OAuthClient, 'secretHash' | 'parentId' | 'view' | 'tokensValidFrom'> {
  /** An extension: the view that it is restricted to. */
  readonly view?: string;
  /** Always null: only the response to the creation has the secret. */
  readonly secret: null;
  readonly type: 'CONFIDENTIAL';
  readonly internal: false;
  readonly metadata: null;
}

/** A new client, with the secret that is never shown again. */
export interface NewClientView extends Omit<ClientView, 'secret'> {
  readonly secret: string;
}

/** Settings; all have defaults. */
export interface OAuthClientOptions {
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  /** Maximum number of clients per tenant. */
  readonly maxPerTenant?: number;
  /** Default `strict`. */
  readonly policy?: TokenPolicy;
}

export const MAX_CLIENTS_PER_TENANT = 500;

/** The use cases of API clients. */
export class OAuthClients {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  readonly #maxPerTenant: number;
  readonly #policy: TokenPolicy;

  constructor(store: Store, options: OAuthClientOptions = {}) {
    this.#store = store;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? randomBytes;
    this.#maxPerTenant = options.maxPerTenant ?? MAX_CLIENTS_PER_TENANT;
    this.#policy = options.policy ?? 'strict';
  }

  /**
   * A page of the clients of the tenant, oldest first.
   * @throws ServiceError `forbidden`, `request_invalid` for a filter or a page
   */
  async list(
    caller: Caller,
    parameters: CollectionParameters = {},
  ): Promise<CredentialPage<ClientView>> {
    authorize(caller, 'oauth-client:manage');
    const matches = readLastUsedFilter(parameters.filters);
    const clients = await this.#store.read.clientsOf(caller.tenantId);
    const { items, total } = credentialPage(clients.filter(matches), parameters);
    return { items: items.map(view), total };
  }

  /** @throws ServiceError `forbidden`, `not_found` also for another tenant's client */
  async get(caller: Caller, id: string): Promise<ClientView> {
    authorize(caller, 'oauth-client:manage');
    return view(await clientOf(this.#store.read, caller.tenantId, id));
  }

  /**
   * Creates a client. Without `scope` it gets the scope of the caller's token.
   * @throws ServiceError `forbidden` also for a scope beyond the caller's token and when the client
   * would outlive it, `request_invalid`, `illegal_value`, `limit_violation`
   */
  async create(caller: Caller, body: unknown): Promise<NewClientView> {
    authorize(caller, 'oauth-client:manage');
    const request = readClientRequest(body);
    const scope = grantedScope(caller.scopes, request.scope);
    const confinement = confinementOf(caller, this.#policy);
    const { parentId } = confinement;
    // A client with a parent ends with it; without one it would never end.
    if (parentId === null)
      refuseLaterEnd('an API client never ends', Number.POSITIVE_INFINITY, confinement);
    return this.#store.write(async (records) => {
      const { client, secret } = await addClient(
        records,
        caller.tenantId,
        { ...request, scope },
        { ...this.#change(caller), maxPerTenant: this.#maxPerTenant, parentId },
      );
      return { ...view(client), secret };
    });
  }

  /**
   * Applies a JSON Patch.
   * @throws ServiceError `forbidden`, `request_invalid`, `not_found`, `illegal_update`,
   * `illegal_value`
   */
  async patch(caller: Caller, id: string, body: unknown): Promise<ClientView> {
    authorize(caller, 'oauth-client:manage');
    const operations = readPatch(body);
    return this.#store.write(async (records) => {
      const client = await clientOf(records, caller.tenantId, id);
      const patched = patchClient(client, operations);
      const change = this.#change(caller);
      return view(await updateClient(records, caller.tenantId, client, patched, change));
    });
  }

  /**
   * Deletes a client, which ends its access tokens and refresh tokens.
   * @throws ServiceError `forbidden`, `not_found`
   */
  async remove(caller: Caller, id: string): Promise<void> {
    authorize(caller, 'oauth-client:manage');
    await this.#store.write((records) =>
      removeClient(records, caller.tenantId, id, this.#change(caller)),
    );
  }

  #change(caller: Caller): ChangeContext {
    return { now: this.#clock.now(), random: this.#random, actor: actorOf(caller) };
  }
}

/**
 * Adds a client in the caller's transaction, with its audit event. Does not check rights.
 * @returns the client, and its secret, which is not stored
 * @throws ServiceError `limit_violation`, `illegal_value` for a view that does not exist
 */
export async function addClient(
  records: WritableRecords,
  tenantId: string,
  request: ClientRequest,
  change: ChangeContext & { readonly maxPerTenant: number; readonly parentId: string | null },
): Promise<{ client: OAuthClient; secret: string }> {
  const { maxPerTenant, now, parentId, random } = change;
  if ((await records.clientsOf(tenantId)).length >= maxPerTenant) {
    throw new ServiceError('limit_violation', 'The tenant has too many API clients.', {
      causes: [`at most ${maxPerTenant} per tenant; delete those that are not used`],
    });
  }
  const secret = newSecret(random);
  const created = new Date(now).toISOString();
  const client: OAuthClient = {
    ...request,
    scope: request.scope ?? DEFAULT_CLIENT_SCOPE,
    id: newUuid(random),
    secretHash: hashSecret(secret, random),
    created,
    modified: created,
    lastUsed: null,
    parentId,
    tokensValidFrom: 0,
  };
  await refuseUnknownView(records, tenantId, client.view);
  await records.addClient(tenantId, client);
  await recordClientEvent(records, tenantId, { before: null, after: client }, change);
  return { client, secret };
}

/**
 * Deletes a client of the tenant in the caller's transaction, with its audit event. Does not check
 * rights.
 * @throws ServiceError `not_found`
 */
export async function removeClient(
  records: WritableRecords,
  tenantId: string,
  id: string,
  change: ChangeContext,
): Promise<OAuthClient> {
  const client = await clientOf(records, tenantId, id);
  await records.deleteClient(tenantId, id);
  await recordClientEvent(records, tenantId, { before: client, after: null }, change);
  return client;
}

/**
 * Stores a patched client, with its audit event. A client that loses the grant REFRESH_TOKEN loses
 * its refresh tokens, and one that is disabled all tokens, also once it is enabled again.
 */
async function updateClient(
  records: WritableRecords,
  tenantId: string,
  client: OAuthClient,
  patched: OAuthClient,
  change: ChangeContext,
): Promise<OAuthClient> {
  if (equal(changeableJson(client), changeableJson(patched))) return client;
  const modified = {
    ...patched,
    modified: new Date(change.now).toISOString(),
    ...(client.enabled && !patched.enabled && { tokensValidFrom: nextValidFrom(client, change) }),
  };
  await records.updateClient(tenantId, modified);
  if (!patched.grantTypes.includes('REFRESH_TOKEN')) {
    await records.deleteRefreshTokensOf(tenantId, client.id);
  }
  await recordClientEvent(records, tenantId, { before: client, after: modified }, change);
  return modified;
}

/** Finds a client of the tenant. Another tenant's client counts as missing. */
async function clientOf(
  records: Pick<WritableRecords, 'clientById'>,
  tenantId: string,
  id: string,
): Promise<OAuthClient> {
  const record = await records.clientById(id);
  if (record?.tenantId !== tenantId) {
    throw new ServiceError('not_found', 'There is no such API client.');
  }
  return record.client;
}

function recordClientEvent(
  records: WritableRecords,
  tenantId: string,
  states: RecordStates<OAuthClient>,
  context: ChangeContext,
): Promise<void> {
  const { before, after } = states;
  const { id, name, scope, view } = after ?? before;
  return recordAuditEvent(records, tenantId, context, {
    act: `API_CLIENT_${operationOf(states)}`,
    target: name,
    attributes: {
      clientId: id,
      scope,
      ...(view !== null && { view }),
      ...changeAttributes(
        before === null ? null : changeableJson(before),
        after === null ? null : changeableJson(after),
      ),
    },
  });
}

/** The members that may be shown, without the hash of the secret. */
function view(client: OAuthClient): ClientView {
  const { secretHash: _, parentId: __, tokensValidFrom: ___, view: name, ...shown } = client;
  return {
    ...shown,
    ...(name !== null && { view: name }),
    secret: null,
    type: 'CONFIDENTIAL',
    internal: false,
    metadata: null,
  };
}
