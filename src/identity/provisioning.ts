// What an operator at the machine may do without a token: make a tenant, its first administrator, and credentials.
// The command line and the demo call this; no route does.
// Invariant: each call is one transaction with one audit event of the actor `cardea`.
import { randomBytes, randomUUID } from 'node:crypto';
import { ORG_ADMIN } from '../auth/capabilities.ts';
import { type Clock, systemClock } from '../auth/clock.ts';
import { fingerprint, hashSecret, newId, newSecret, type RandomBytes } from '../auth/secrets.ts';
import { ServiceError } from '../errors.ts';
import { recordAuditEvent } from './audit-event.ts';
import {
  DEFAULT_VALIDITY_SECONDS,
  LONGEST_VALIDITY_SECONDS,
  readTokenRequest,
} from './personal-access-token-request.ts';
import { type Actor, MAX_TOKENS_PER_OWNER, mintToken } from './personal-access-tokens.ts';
import type {
  AuthUser,
  OAuthClient,
  PersonalAccessToken,
  Store,
  Tenant,
  WritableRecords,
} from './store.ts';
import { DAY_MS, REFRESH_TOKEN_DAYS } from './token-grants.ts';

/** Time and chance; the machine's own by default. */
export interface ProvisioningOptions {
  readonly clock?: Clock;
  readonly random?: RandomBytes;
}

/** An administrator to be; what is left out is derived from `uid`. */
export interface AdminRequest {
  readonly uid: string;
  /** 32 hexadecimal digits; random when left out. */
  readonly id?: string;
  readonly displayName?: string;
  readonly email?: string;
  readonly firstname?: string;
  readonly lastname?: string;
}

/** A personal access token to be; the body of the public API. */
export interface PersonalAccessTokenRequest {
  readonly name: string;
  readonly scope?: readonly string[];
  readonly accessTokenValiditySeconds?: number;
  readonly expirationDate?: string | null;
  readonly userAwareTokenNeverExpires?: boolean;
}

/** An API client to be. */
export interface ClientRequest {
  readonly name: string;
  readonly scope: readonly string[];
  /** `CLIENT_CREDENTIALS` when left out; also `REFRESH_TOKEN`. */
  readonly grantTypes?: readonly string[];
  readonly accessTokenValiditySeconds?: number;
}

const ACTOR: Actor = { name: 'cardea', id: 'cardea' };
const TENANT_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Makes a tenant.
 * @throws ServiceError `illegal_value` where the name is taken or not a DNS label
 */
export async function createTenant(
  store: Store,
  request: { readonly name: string; readonly pod?: string },
  options: ProvisioningOptions = {},
): Promise<Tenant> {
  const { name, pod = 'local' } = request;
  for (const [field, value] of Object.entries({ name, pod })) {
    if (!TENANT_NAME.test(value)) {
      throw illegal(`${field}: lower-case letters, digits and hyphens, at most 63`);
    }
  }
  return store.write(async (records) => {
    if ((await records.tenantByName(name)) !== null) throw illegal(`name: ${name} is taken`);
    const created = new Date((options.clock ?? systemClock).now()).toISOString();
    const tenant: Tenant = { id: randomUUID(), name, pod, created };
    await records.addTenant(tenant);
    await record(records, tenant.id, 'TENANT', tenant.name, { tenantId: tenant.id }, options);
    return tenant;
  });
}

/**
 * Makes an auth user who holds ORG_ADMIN.
 * @throws ServiceError `illegal_value` where id or uid is taken
 */
export async function createAdmin(
  store: Store,
  tenant: Tenant,
  request: AdminRequest,
  options: ProvisioningOptions = {},
): Promise<AuthUser> {
  const random = options.random ?? randomBytes;
  const { uid, id = newId(random) } = request;
  if (uid === '') throw illegal('uid: must not be empty');
  const user: AuthUser = {
    tenant: tenant.name,
    id,
    uid,
    profile: newId(random),
    identificationNumber: null,
    email: request.email ?? null,
    phone: null,
    workPhone: null,
    personalEmail: null,
    firstname: request.firstname ?? null,
    lastname: request.lastname ?? null,
    displayName: request.displayName ?? uid,
    alias: uid,
    lastPasswordChangeDate: null,
    lastLoginTimestamp: 0,
    currentLoginTimestamp: 0,
    lastUnlockTimestamp: null,
    capabilities: [ORG_ADMIN],
  };
  return store.write(async (records) => {
    if ((await records.authUser(tenant.id, id)) !== null) throw illegal(`id: ${id} is taken`);
    if ((await records.authUserByUid(tenant.id, uid)) !== null) {
      throw illegal(`uid: ${uid} is taken`);
    }
    await records.putAuthUsers(tenant.id, [user]);
    await record(records, tenant.id, 'AUTH_USER', uid, { targetId: id }, options);
    return user;
  });
}

/**
 * Makes a personal access token for a user.
 * @returns the token and its secret, which is not kept
 * @throws ServiceError `not_found`, and what mintToken throws
 */
export async function createPersonalAccessToken(
  store: Store,
  tenantId: string,
  ownerId: string,
  request: PersonalAccessTokenRequest,
  options: ProvisioningOptions = {},
): Promise<{ token: PersonalAccessToken; secret: string }> {
  const now = (options.clock ?? systemClock).now();
  const checked = readTokenRequest(request, now);
  return store.write(async (records) => {
    const owner = await records.authUser(tenantId, ownerId);
    if (owner === null) throw new ServiceError('not_found', `There is no auth user ${ownerId}.`);
    return mintToken(records, tenantId, owner, checked, {
      now,
      random: options.random ?? randomBytes,
      actor: ACTOR,
      maxPerOwner: MAX_TOKENS_PER_OWNER,
    });
  });
}

/**
 * Makes an API client, for tokens without a person behind them.
 * @throws ServiceError `illegal_value` for tokens that would live too long
 */
export async function createClient(
  store: Store,
  tenantId: string,
  request: ClientRequest,
  options: ProvisioningOptions = {},
): Promise<{ client: OAuthClient; secret: string }> {
  const random = options.random ?? randomBytes;
  const { accessTokenValiditySeconds = DEFAULT_VALIDITY_SECONDS } = request;
  if (accessTokenValiditySeconds > LONGEST_VALIDITY_SECONDS) {
    throw illegal(`accessTokenValiditySeconds: at most ${LONGEST_VALIDITY_SECONDS}`);
  }
  const secret = newSecret(random);
  const client: OAuthClient = {
    id: newId(random),
    name: request.name,
    secretHash: hashSecret(secret, random),
    grantTypes: request.grantTypes ?? ['CLIENT_CREDENTIALS'],
    scope: request.scope,
    accessTokenValiditySeconds,
    redirectUris: [],
    enabled: true,
    created: new Date((options.clock ?? systemClock).now()).toISOString(),
  };
  return store.write(async (records) => {
    await records.addClient(tenantId, client);
    await record(records, tenantId, 'API_CLIENT', client.name, { clientId: client.id }, options);
    return { client, secret };
  });
}

/**
 * Makes the first refresh token of a client that may use them; each use gives the next one.
 * @param identityId the user its access tokens act for; null for the client itself
 * @returns the token's value, which is not kept
 */
export async function createRefreshToken(
  store: Store,
  tenantId: string,
  client: OAuthClient,
  identityId: string | null,
  options: ProvisioningOptions = {},
): Promise<string> {
  const value = newSecret(options.random ?? randomBytes);
  const now = (options.clock ?? systemClock).now();
  return store.write(async (records) => {
    await records.addRefreshToken(tenantId, {
      hash: fingerprint(value),
      clientId: client.id,
      identityId,
      scope: client.scope,
      expires: new Date(now + REFRESH_TOKEN_DAYS * DAY_MS).toISOString(),
    });
    await record(records, tenantId, 'REFRESH_TOKEN', client.name, { clientId: client.id }, options);
    return value;
  });
}

function record(
  records: WritableRecords,
  tenantId: string,
  object: string,
  target: string,
  attributes: Readonly<Record<string, string>>,
  options: ProvisioningOptions,
): Promise<void> {
  return recordAuditEvent(records, tenantId, {
    id: newId(options.random ?? randomBytes),
    created: new Date((options.clock ?? systemClock).now()).toISOString(),
    actor: ACTOR.name,
    target,
    action: 'Provision',
    operation: 'CREATE',
    status: 'PASSED',
    technicalName: `${object}_CREATE_PASSED`,
    attributes,
  });
}

function illegal(cause: string): ServiceError {
  return new ServiceError('illegal_value', `This cannot be made: ${cause}.`, { causes: [cause] });
}
