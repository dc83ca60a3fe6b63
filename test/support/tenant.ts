// A tenant in memory with the people and credentials that tests of access need, and a clock that stands still.
import type { Caller } from '../../src/auth/caller.ts';
import {
  createAdmin,
  createPersonalAccessToken,
  createTenant,
} from '../../src/identity/provisioning.ts';
import type { AuthUser, Tenant } from '../../src/identity/store.ts';
import { TokenService } from '../../src/identity/tokens.ts';
import { MemoryStore } from './memory-store.ts';

/** Moves only when told to. */
export class StillClock {
  time = Date.parse('2026-03-01T12:00:00.000Z');

  now(): number {
    return this.time;
  }

  /** Moves on by so many seconds. */
  pass(seconds: number): void {
    this.time += seconds * 1000;
  }
}

/** What a test starts from. */
export interface TestTenant {
  readonly store: MemoryStore;
  readonly clock: StillClock;
  readonly tenant: Tenant;
  readonly admin: AuthUser;
  readonly tokens: TokenService;
}

/** A tenant `acme` with one administrator. */
export async function testTenant(): Promise<TestTenant> {
  const store = new MemoryStore();
  const clock = new StillClock();
  const tenant = await createTenant(store, { name: 'acme' }, { clock });
  const admin = await createAdmin(store, tenant, { uid: 'root', displayName: 'Root' }, { clock });
  return { store, clock, tenant, admin, tokens: new TokenService(store, { clock }) };
}

/** Adds a user who holds these capabilities. */
export async function addUser(
  { store, tenant, admin }: TestTenant,
  uid: string,
  capabilities: readonly string[],
): Promise<AuthUser> {
  const user = { ...admin, id: `id-of-${uid}`, uid, alias: uid, displayName: uid, capabilities };
  await store.write((records) => records.putAuthUsers(tenant.id, [user]));
  return user;
}

/** The caller a token of this user with every scope would give. */
export function callerOf(tenant: Tenant, user: AuthUser, scopes = ['sp:scopes:all']): Caller {
  return {
    tenantId: tenant.id,
    identityId: user.id,
    userName: user.uid,
    clientId: 'f'.repeat(32),
    scopes,
    capabilities: user.capabilities,
    tokenId: 'token',
  };
}

/** A personal access token of a user: its id and secret as token parameters, and its id alone. */
export async function credentialsOf(
  { store, tenant, clock }: TestTenant,
  user: AuthUser,
  request: Partial<Parameters<typeof createPersonalAccessToken>[3]> = {},
): Promise<{ id: string; secret: string; parameters: Record<string, string> }> {
  const { token, secret } = await createPersonalAccessToken(
    store,
    tenant.id,
    user.id,
    { name: 'test', ...request },
    { clock },
  );
  const parameters = {
    grant_type: 'client_credentials',
    client_id: token.id,
    client_secret: secret,
  };
  return { id: token.id, secret, parameters };
}
