// The port to the truth: tenants, auth users, tokens, keys and documents, and the change sequence the indexer
// tails. One `write` is one serialised transaction; everything in it is kept or nothing is.
// Invariant: every method that touches a tenant's rows takes the tenant.
import type { Field } from '../query/mapping.ts';
import type { IndexName } from '../query/plan.ts';
import type {
  AdvancedSearchRecords,
  WritableAdvancedSearchRecords,
} from './profiles/advanced-search-records.ts';
import type { ProfileRecords, WritableProfileRecords } from './profiles/profile-records.ts';
import type { ReadableResources, WritableResources } from './profiles/resource-records.ts';

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
}

/** An API client (client credentials without a person behind it). */
export interface OAuthClient {
  readonly id: string;
  readonly name: string;
  readonly secretHash: string;
  readonly grantTypes: readonly string[];
  readonly scope: readonly string[];
  readonly accessTokenValiditySeconds: number;
  readonly redirectUris: readonly string[];
  readonly enabled: boolean;
  readonly created: string;
}

/** A refresh token, spent when used once; stored by the hash of its value. */
export interface RefreshToken {
  readonly hash: string;
  readonly clientId: string;
  readonly identityId: string | null;
  readonly scope: readonly string[];
  /** ISO 8601. */
  readonly expires: string;
}

/** A key the service signs with; the private half never leaves the store's process. */
export interface SigningKey {
  readonly kid: string;
  /** JWK, private. */
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly created: string;
  /** Signs new tokens; others only verify old ones. */
  readonly active: boolean;
}

/** A document of an index, in the two parts a response is spliced from. */
export interface StoredDocument {
  readonly index: IndexName;
  readonly id: string;
  /** UTF-8 JSON object without the nested members and without the envelope (`_type`, `_version`, `pod`, `org`, repeated `type`). */
  readonly root: Uint8Array;
  /** UTF-8 `"name":[…],…` of the nested members, or empty. */
  readonly nested: Uint8Array;
  /** documentHash of the content that counts as a change; the store takes it over root and nested when missing. Never read back. */
  readonly hash?: Uint8Array;
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
export interface Records extends ReadableResources, ProfileRecords, AdvancedSearchRecords {
  tenantByName(name: string): Promise<Tenant | null>;
  tenantById(id: string): Promise<Tenant | null>;
  tenants(): Promise<readonly Tenant[]>;

  authUser(tenantId: string, id: string): Promise<AuthUser | null>;
  authUserByUid(tenantId: string, uid: string): Promise<AuthUser | null>;
  /** How many auth users hold a capability, `exceptId` left out. */
  countHolders(tenantId: string, capability: string, exceptId: string): Promise<number>;
  /** Capabilities this tenant accepts beside the built-in ones. */
  customCapabilities(tenantId: string): Promise<readonly string[]>;

  /** Looked up before the tenant is known: the id is unique over all tenants. */
  tokenById(id: string): Promise<{ tenantId: string; token: PersonalAccessToken } | null>;
  tokensOf(tenantId: string, ownerId: string | null): Promise<readonly PersonalAccessToken[]>;
  clientById(id: string): Promise<{ tenantId: string; client: OAuthClient } | null>;
  refreshToken(hash: string): Promise<{ tenantId: string; token: RefreshToken } | null>;
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
    WritableProfileRecords,
    WritableAdvancedSearchRecords {
  addTenant(tenant: Tenant): Promise<void>;
  putAuthUsers(tenantId: string, users: readonly AuthUser[]): Promise<readonly PutOutcome[]>;
  setCapabilities(tenantId: string, id: string, capabilities: readonly string[]): Promise<void>;
  addCustomCapability(tenantId: string, capability: string): Promise<void>;

  addToken(tenantId: string, token: PersonalAccessToken): Promise<void>;
  updateToken(tenantId: string, token: PersonalAccessToken): Promise<void>;
  /** Whether there was one. */
  deleteToken(tenantId: string, id: string): Promise<boolean>;
  addClient(tenantId: string, client: OAuthClient): Promise<void>;
  addRefreshToken(tenantId: string, token: RefreshToken): Promise<void>;
  /** Whether it was there: of two who spend it at once, one wins. */
  spendRefreshToken(hash: string): Promise<boolean>;
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
