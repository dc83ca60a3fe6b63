// Records for the contract of stores, and a database for one group of its tests.
import { after, before } from 'node:test';
import type {
  ApiKey,
  AuthUser,
  DocumentChange,
  OAuthClient,
  PersonalAccessToken,
  RefreshToken,
  Store,
  Tenant,
} from '../../src/service/ports/store.ts';
import type { StoredDocument } from '../../src/service/ports/stored-document.ts';

/** Opens a handle on the database `name`; a new name is a database without rows. */
export type OpenStore = (name: string) => Promise<Store>;

export const ACME: Tenant = {
  id: 'tenant-acme',
  name: 'acme',
  pod: 'pod1',
  created: '2026-01-01T00:00:00.000Z',
};
export const OTHER: Tenant = {
  id: 'tenant-other',
  name: 'other',
  pod: 'pod2',
  created: '2026-01-02T00:00:00.000Z',
};
export const encoder = new TextEncoder();
export const decoder = new TextDecoder();

/** A new database with both tenants, for one group of tests. */
export function withStore(open: OpenStore, name: string): { store: Store } {
  const holder = {} as { store: Store };
  before(async () => {
    holder.store = await open(name);
    await holder.store.write(async (records) => {
      await records.addTenant(ACME);
      await records.addTenant(OTHER);
    });
  });
  after(() => holder.store.close());
  return holder;
}

export function authUser(id: string, changed: Partial<AuthUser>): AuthUser {
  return {
    ...{ tenant: 'acme', id, uid: `uid-${id}`, profile: 'p', identificationNumber: null },
    ...{ email: null, phone: null, workPhone: null, personalEmail: null },
    ...{ firstname: null, lastname: 'Solano', displayName: 'Mira Solano', alias: 'mira' },
    ...{ lastPasswordChangeDate: null, lastLoginTimestamp: 1_764_000_000_000 },
    ...{ currentLoginTimestamp: 0, lastUnlockTimestamp: null, capabilities: [] },
    ...changed,
  };
}

export function accessToken(
  id: string,
  ownerId: string,
  created = ACME.created,
): PersonalAccessToken {
  return {
    ...{ id, kind: 'pat', ownerId, name: `token ${id}`, secretHash: 'h', scope: ['sp:scopes:all'] },
    ...{ accessTokenValiditySeconds: 43_200, expires: null },
    ...{ userAwareTokenNeverExpires: true, managed: false, created, lastUsed: null },
    parentId: null,
    view: null,
  };
}

export function apiClient(id: string, created = ACME.created): OAuthClient {
  return {
    ...{
      id,
      kind: 'client',
      ownerId: null,
      expires: null,
      name: 'nightly export',
      description: 'for the warehouse',
      businessName: 'Acme',
    },
    ...{ homepageUrl: 'https://acme.test', secretHash: 'h', accessType: 'OFFLINE' },
    ...{ grantTypes: ['CLIENT_CREDENTIALS', 'REFRESH_TOKEN'], scope: ['sp:search:read'] },
    ...{ redirectUris: ['https://acme.test/back'], enabled: false, claimsSupported: false },
    ...{ accessTokenValiditySeconds: 750, refreshTokenValiditySeconds: 86_400 },
    ...{ strongAuthSupported: true, created, modified: created, lastUsed: null },
    parentId: null,
    view: null,
    tokensValidFrom: 1_800_000_000,
  };
}

/** An API key; its hash is like its id. */
export function apiKey(id: string, created = ACME.created): ApiKey {
  return {
    ...{ id, kind: 'key', name: 'script', secretHash: `hash of ${id}`, created, lastUsed: null },
    ...{ scope: ['cardea:profiles:read'], ownerId: null, parentId: null, view: null },
    expires: null,
  };
}

export function refreshToken(id: string, clientId: string, created = ACME.created): RefreshToken {
  return {
    ...{ id, clientId, secretHash: 'h', scope: null, created },
    expires: '2027-01-01T00:00:00.000Z',
  };
}

export function document(id: string, value: string, nested = ''): StoredDocument {
  return {
    index: 'identities',
    id,
    root: encoder.encode(JSON.stringify({ id, value })),
    nested: encoder.encode(nested),
  };
}

export function text(document: StoredDocument | null): unknown {
  if (document === null) return null;
  const { index, id, root, nested } = document;
  return { index, id, root: decoder.decode(root), nested: decoder.decode(nested) };
}

export function summary({ sequence, tenantId, id, document: content }: DocumentChange): string {
  const value = content === null ? 'gone' : JSON.parse(decoder.decode(content.root)).value;
  return `${sequence} ${tenantId.replace('tenant-', '')} ${id} ${value}`;
}

/** Converts to plain objects, since rows of a driver may have no prototype. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}
