// The port to the truth: tenants, auth users, tokens, keys and documents, and the change sequence the indexer
// tails. One `write` is one serialised transaction; everything in it is kept or nothing is.
// Invariant: every method that touches a tenant's rows takes the tenant.
import type { Field } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import type {
  AdvancedSearchRecords,
  WritableAdvancedSearchRecords,
} from './advanced-search-records.ts';
import type { ReadableApiKeys, WritableApiKeys } from './api-key-records.ts';
import type { AuditRecords, WritableAuditRecords } from './audit-records.ts';
import type { ProfileRecords, WritableProfileRecords } from './profile-records.ts';
import type { ReadableResources, WritableResources } from './resource-records.ts';
import type { StoredDocument } from './stored-document.ts';

/** A customer of the service; all data hangs on one. */
export interface Tenant {
  /** UUID. */
  readonly id: string;
  /** Short unique name, shown as `tenant` and `org`. */
  readonly name: string;
  /** Shown as `pod`. */
  readonly pod: string;
  /** ISO 8601. */
  readonly created: string;
}

/** The stored auth user; the wire shape is contract/auth-users.md section 2. */
export interface AuthUser {
  readonly tenant: string;
  readonly id: string;
  readonly uid: string;
  readonly profile: string;
  readonly identificationNumber: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly workPhone: string | null;
  readonly personalEmail: string | null;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly displayName: string;
  readonly alias: string;
  readonly lastPasswordChangeDate: string | null;
  readonly lastLoginTimestamp: number;
  readonly currentLoginTimestamp: number;
  readonly lastUnlockTimestamp: string | null;
  readonly capabilities: readonly string[];
}

/** What decides about the tokens of an auth user; importing the user anew leaves the last two as they are. */
export interface UserStanding {
  readonly capabilities: readonly string[];
  /** A disabled user gets no tokens, and those already issued are refused. */
  readonly enabled: boolean;
  /** Epoch seconds: access tokens issued earlier are refused; 0 where the user was never signed out. */
  readonly tokensValidFrom: number;
}

/** An access token that is refused before it expires. */
export interface RevokedToken {
  /** `jti` of the token, or the id of the chain of refresh tokens whose access tokens are all revoked. */
  readonly id: string;
  /** Epoch milliseconds after which no such token is valid anyway. */
  readonly expires: number;
}

/** A personal access token as stored: the secret only as a hash. */
export interface PersonalAccessToken {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly secretHash: string;
  readonly scope: readonly string[];
  readonly accessTokenValiditySeconds: number;
  /** ISO 8601; null never expires. */
  readonly expirationDate: string | null;
  readonly userAwareTokenNeverExpires: boolean;
  readonly managed: boolean;
  readonly created: string;
  readonly lastUsed: string | null;
  /** The personal access token that created it; it ends with that one. null: nothing but itself ends it. */
  readonly parentId: string | null;
}

/** An API client as stored: the secret only as a hash. It acts for itself, without a user. */
export interface OAuthClient {
  readonly id: string;
  readonly name: string;
  /** Empty where there is none, like the next two. */
  readonly description: string;
  readonly businessName: string;
  readonly homepageUrl: string;
  readonly secretHash: string;
  /** In the spelling of the public API: `CLIENT_CREDENTIALS`, `REFRESH_TOKEN`, `AUTHORIZATION_CODE`. */
  readonly grantTypes: readonly string[];
  readonly scope: readonly string[];
  readonly accessType: 'ONLINE' | 'OFFLINE';
  readonly accessTokenValiditySeconds: number;
  /** How long a refresh token may stay unused. */
  readonly refreshTokenValiditySeconds: number;
  readonly redirectUris: readonly string[];
  readonly enabled: boolean;
  readonly strongAuthSupported: boolean;
  readonly claimsSupported: boolean;
  /** ISO 8601, like the next two. */
  readonly created: string;
  readonly modified: string;
  readonly lastUsed: string | null;
  /** As of a personal access token. */
  readonly parentId: string | null;
}

/**
 * A chain of refresh tokens of an API client: each use replaces the secret, and the id stays. So a token whose secret is not
 * the current one has been used before (RFC 9700 section 4.14.2).
 */
export interface RefreshToken {
  readonly id: string;
  readonly clientId: string;
  /** Hash of the current secret. */
  readonly secretHash: string;
  /** ISO 8601, like the next. */
  readonly created: string;
  readonly expires: string;
}

/** A key the service signs with; the private half never leaves the store's process. */
export interface SigningKey {
  readonly kid: string;
  /** JWK; without `d` where the private half cannot be opened. */
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly created: string;
  /** Signs new tokens; others only verify old ones. */
  readonly active: boolean;
}

/** One entry of the change sequence: the document as it is now, or that it is gone. */
export interface DocumentChange {
  readonly sequence: number;
  readonly tenantId: string;
  readonly index: IndexName;
  readonly id: string;
  /** null: deleted. */
  readonly document: StoredDocument | null;
}

/** What became of each document of a `put`, in its order. */
export type PutOutcome = 'created' | 'updated' | 'unchanged';

/** Rows that are not as the others promise. */
export interface StoreInconsistency {
  /** `stray`: they belong to a tenant or an owner that is not there. `miscounted`: the number of documents is wrong. */
  readonly kind: 'stray' | 'miscounted';
  readonly table: string;
  readonly rows: number;
}

/** Reading; sees committed state. */
export interface Records
  extends ReadableResources,
    ReadableApiKeys,
    ProfileRecords,
    AdvancedSearchRecords,
    AuditRecords {
  tenantByName(name: string): Promise<Tenant | null>;
  tenantById(id: string): Promise<Tenant | null>;
  tenants(): Promise<readonly Tenant[]>;

  authUser(tenantId: string, id: string): Promise<AuthUser | null>;
  authUserByUid(tenantId: string, uid: string): Promise<AuthUser | null>;
  /** How many enabled auth users hold a capability, `exceptId` left out. */
  countHolders(tenantId: string, capability: string, exceptId: string): Promise<number>;
  /** What decides about the tokens of an auth user. */
  userStanding(tenantId: string, id: string): Promise<UserStanding | null>;
  /** True for a token whose id, or whose family of refresh tokens, was revoked. */
  isRevoked(tenantId: string, tokenId: string, family: string | null): Promise<boolean>;
  /** Capabilities this tenant accepts beside the built-in ones. */
  customCapabilities(tenantId: string): Promise<readonly string[]>;

  /** Looked up before the tenant is known: the id is unique over all tenants. */
  tokenById(id: string): Promise<{ tenantId: string; token: PersonalAccessToken } | null>;
  tokensOf(tenantId: string, ownerId: string | null): Promise<readonly PersonalAccessToken[]>;
  /** The tokens whose parent is that token, oldest first. */
  tokensCreatedBy(tenantId: string, parentId: string): Promise<readonly PersonalAccessToken[]>;
  /** The clients whose parent is that token, oldest first. */
  clientsCreatedBy(tenantId: string, parentId: string): Promise<readonly OAuthClient[]>;
  clientById(id: string): Promise<{ tenantId: string; client: OAuthClient } | null>;
  /** Oldest first. */
  clientsOf(tenantId: string): Promise<readonly OAuthClient[]>;
  refreshToken(tenantId: string, id: string): Promise<RefreshToken | null>;
  /** Oldest first. */
  refreshTokensOf(tenantId: string, clientId: string): Promise<readonly RefreshToken[]>;
  signingKeys(): Promise<readonly SigningKey[]>;

  document(tenantId: string, index: IndexName, id: string): Promise<StoredDocument | null>;
  documentCounts(tenantId: string): Promise<Readonly<Record<IndexName, number>>>;
  /** Dynamic fields seen so far, by index. */
  dynamicFields(
    tenantId: string,
  ): Promise<readonly { readonly index: IndexName; readonly field: Field }[]>;
  /** Grows whenever a dynamic field of the tenant is added: tells a cached mapping that it is old. Cheap. */
  fieldsVersion(tenantId: string): Promise<number>;

  /** Changes after `sequence`, ascending, at most `limit`, over all tenants. */
  changesAfter(sequence: number, limit: number): Promise<readonly DocumentChange[]>;
  /** The last sequence given out. */
  lastSequence(): Promise<number>;

  /** What the tables promise one another and do not keep; looks at all rows. */
  inconsistencies(): Promise<readonly StoreInconsistency[]>;
}

/** Reading and writing inside one transaction. */
export interface WritableRecords
  extends Records,
    WritableResources,
    WritableApiKeys,
    WritableProfileRecords,
    WritableAdvancedSearchRecords,
    WritableAuditRecords {
  addTenant(tenant: Tenant): Promise<void>;
  putAuthUsers(tenantId: string, users: readonly AuthUser[]): Promise<readonly PutOutcome[]>;
  setCapabilities(tenantId: string, id: string, capabilities: readonly string[]): Promise<void>;
  addCustomCapability(tenantId: string, capability: string): Promise<void>;
  setUserEnabled(tenantId: string, id: string, enabled: boolean): Promise<void>;
  /** @param seconds epoch seconds; access tokens issued earlier are refused from now on */
  setTokensValidFrom(tenantId: string, id: string, seconds: number): Promise<void>;
  /** Deletes the personal access tokens of the user as well. @returns whether there was such a user */
  deleteAuthUser(tenantId: string, id: string): Promise<boolean>;
  /** Deletes the records of tokens that have expired by `now`, epoch milliseconds, as well. */
  revokeToken(tenantId: string, token: RevokedToken, now: number): Promise<void>;

  addToken(tenantId: string, token: PersonalAccessToken): Promise<void>;
  updateToken(tenantId: string, token: PersonalAccessToken): Promise<void>;
  /** Whether there was one. */
  deleteToken(tenantId: string, id: string): Promise<boolean>;
  addClient(tenantId: string, client: OAuthClient): Promise<void>;
  updateClient(tenantId: string, client: OAuthClient): Promise<void>;
  /** Its refresh tokens go with it. @returns whether there was one */
  deleteClient(tenantId: string, id: string): Promise<boolean>;
  addRefreshToken(tenantId: string, token: RefreshToken): Promise<void>;
  updateRefreshToken(tenantId: string, token: RefreshToken): Promise<void>;
  deleteRefreshToken(tenantId: string, id: string): Promise<void>;
  deleteRefreshTokensOf(tenantId: string, clientId: string): Promise<void>;
  addSigningKey(key: SigningKey): Promise<void>;
  /** None of the keys signs any more. */
  retireSigningKeys(): Promise<void>;
  deleteSigningKey(kid: string): Promise<void>;

  /** Each changed document takes a new sequence number; an equal one keeps its own. */
  putDocuments(
    tenantId: string,
    documents: readonly StoredDocument[],
  ): Promise<readonly PutOutcome[]>;
  /** Whether there was one. */
  deleteDocument(tenantId: string, index: IndexName, id: string): Promise<boolean>;
  addDynamicFields(tenantId: string, index: IndexName, fields: readonly Field[]): Promise<void>;

  /** Removes what is stray and counts anew. */
  mendInconsistencies(): Promise<void>;
}

/** The connections of a pool. */
export interface PoolFigures {
  readonly pool: 'read' | 'write';
  readonly open: number;
  readonly idle: number;
  /** Who waits for one. */
  readonly waiting: number;
}

/** The whole port; test/contract/store.ts holds each implementation to it. */
export interface Store {
  readonly read: Records;
  /** Runs `work` in one transaction, after all earlier ones; rolls back when it throws. Resolves once durable. */
  write<T>(work: (records: WritableRecords) => Promise<T>): Promise<T>;
  /** Throws `unavailable` where the store cannot answer. */
  ping(): Promise<void>;
  /** Epoch milliseconds by the store's own clock; null, or not there, where it has none but the machine's. */
  now?(): Promise<number | null>;
  /** There where the store is reached through pools. */
  pools?(): readonly PoolFigures[];
  close(): Promise<void>;
}
