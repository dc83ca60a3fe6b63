// A tenant in its own database, with users and credentials for tests of access, and a manual clock.

import { join } from 'node:path';
import type { Caller } from '../../src/auth/caller.ts';
import { createAdmin, createTenant } from '../../src/service/accounts/provisioning.ts';
import { byOperator } from '../../src/service/audit/operator-event.ts';
import { createCredential } from '../../src/service/credentials/credentials.ts';
import { TokenService } from '../../src/service/credentials/tokens.ts';
import type { AuthUser, Store, Tenant } from '../../src/service/ports/store.ts';
import { openThrowAwayStore, temporaryFolder } from './empty-store.ts';

/** A clock that moves only through `pass`. */
export class ManualClock {
  time = Date.parse('2026-03-01T12:00:00.000Z');

  now(): number {
    return this.time;
  }

  /** Advances the clock. */
  pass(seconds: number): void {
    this.time += seconds * 1000;
  }
}

/** The tenant and services of a test. */
export interface TestTenant {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly tenant: Tenant;
  readonly admin: AuthUser;
  readonly tokens: TokenService;
}

/** A tenant `acme` with one administrator, in an empty store. */
export async function testTenant(opening: Promise<Store> = temporaryStore()): Promise<TestTenant> {
  const store = await opening;
  const clock = new ManualClock();
  const tenant = await createTenant(store, { name: 'acme' }, byOperator(clock));
  const admin = await createAdmin(
    store,
    tenant,
    { uid: 'root', displayName: 'Root' },
    byOperator(clock),
  );
  return { store, clock, tenant, admin, tokens: new TokenService(store, { clock }) };
}

/** An empty store; its file is deleted when the process exits. */
export function temporaryStore(): Promise<Store> {
  return openThrowAwayStore(temporaryDatabase());
}

/** The path of a new database file, which is deleted when the process exits. */
export function temporaryDatabase(): string {
  return join(temporaryFolder(), 'cardea.db');
}

/** The audit trail: the events of the tenant, in the order of writing. */
export async function auditTrail({
  store,
  tenant,
}: TestTenant): Promise<Record<string, unknown>[]> {
  const changes = await store.read.changesAfter(0, 10_000);
  return changes
    .filter(({ tenantId, index }) => tenantId === tenant.id && index === 'events')
    .map(({ document }) => JSON.parse(new TextDecoder().decode(document?.root)));
}

/** Adds a user with these capabilities. */
export async function addUser(
  { store, tenant, admin }: TestTenant,
  uid: string,
  capabilities: readonly string[],
): Promise<AuthUser> {
  const user = { ...admin, id: `id-of-${uid}`, uid, alias: uid, displayName: uid, capabilities };
  await store.write((records) => records.putAuthUsers(tenant.id, [user]));
  return user;
}

/** The caller for a token of this user, by default with all scopes. */
export function callerOf(tenant: Tenant, user: AuthUser, scopes = ['sp:scopes:all']): Caller {
  return {
    tenantId: tenant.id,
    views: null,
    current: async () => callerOf(tenant, user, scopes),
    ownerCapabilities: [],
    identityId: user.id,
    userName: user.uid,
    clientId: 'f'.repeat(32),
    scopes,
    capabilities: user.capabilities,
    personalTokenId: null,
    credentialEnds: Number.POSITIVE_INFINITY,
    tokenId: 'token',
  };
}

/** Creates a personal access token, and the parameters of a token request with it. */
export async function credentialsOf(
  { store, tenant, clock }: TestTenant,
  user: AuthUser,
  request: Readonly<Record<string, unknown>> = {},
): Promise<{ id: string; secret: string; parameters: Record<string, string> }> {
  const { credential: token, secret } = await createCredential(
    store,
    tenant.id,
    'pat',
    { name: 'test', ...request },
    { ownerId: user.id, change: byOperator(clock) },
  );
  const parameters = {
    grant_type: 'client_credentials',
    client_id: token.id,
    client_secret: secret,
  };
  return { id: token.id, secret, parameters };
}
