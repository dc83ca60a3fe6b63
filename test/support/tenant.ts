// A tenant in a database of its own with the people and credentials that tests of access need, and a clock that stands still.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller } from '../../src/auth/caller.ts';
import {
  createAdmin,
  createPersonalAccessToken,
  createTenant,
} from '../../src/identity/accounts/provisioning.ts';
import { TokenService } from '../../src/identity/credentials/tokens.ts';
import type { AuthUser, Store, Tenant } from '../../src/identity/ports/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

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
  readonly store: Store;
  readonly clock: StillClock;
  readonly tenant: Tenant;
  readonly admin: AuthUser;
  readonly tokens: TokenService;
}

/** A tenant `acme` with one administrator, in an empty store. */
export async function testTenant(opening: Promise<Store> = temporaryStore()): Promise<TestTenant> {
  const store = await opening;
  const clock = new StillClock();
  const tenant = await createTenant(store, { name: 'acme' }, { clock });
  const admin = await createAdmin(store, tenant, { uid: 'root', displayName: 'Root' }, { clock });
  return { store, clock, tenant, admin, tokens: new TokenService(store, { clock }) };
}

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** An empty store; it and its file go with the process. */
export async function temporaryStore(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'cardea-test-'));
  folders.push(folder);
  return openSqliteStore({ path: join(folder, 'cardea.db') });
}

/** The audit trail: the events of the tenant as JSON, in the order they were written. */
export async function auditTrail({
  store,
  tenant,
}: TestTenant): Promise<Record<string, unknown>[]> {
  const changes = await store.read.changesAfter(0, 10_000);
  return changes
    .filter(({ tenantId, index }) => tenantId === tenant.id && index === 'events')
    .map(({ document }) => JSON.parse(new TextDecoder().decode(document?.root)));
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
    personalTokenId: null,
    credentialEnds: Number.POSITIVE_INFINITY,
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
