// The port of the system of record: tenants, auth users, tokens, keys and documents, and the change
// sequence that the indexer reads. Each `write` is one serialised transaction that commits as a
// whole or not at all.
// Invariant: every method on a tenant's rows takes the tenant.
import type { Field, FieldType } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import type {
  AdvancedSearchRecords,
  WritableAdvancedSearchRecords,
} from './advanced-search-records.ts';
import type { AuditRecords, WritableAuditRecords } from './audit-records.ts';
import type { AbsentUser, AuthUser, TokenState, UserStatus } from './auth-user.ts';
import type { AuthUserPage, AuthUserQuery } from './auth-user-list.ts';
import type { CredentialRecords, WritableCredentialRecords } from './credential-records.ts';
import type { DashboardRecords, WritableDashboardRecords } from './dashboard-records.ts';
import type { MirrorRecords, WritableMirrorRecords } from './mirror-records.ts';
import type { ProfileRecords, WritableProfileRecords } from './profile-records.ts';
import type { PurgeRecords, WritablePurgeRecords } from './purge-records.ts';
import type { ReadableResources, WritableResources } from './resource-records.ts';
import type { SavedSearchRecords, WritableSavedSearchRecords } from './saved-search-records.ts';
import type { SnapshotRecords, WritableSnapshotRecords } from './snapshot-records.ts';
import type { StoredDocument, StoredDocumentKey } from './stored-document.ts';
import type { ViewRecords, WritableViewRecords } from './view-records.ts';

export type { AbsentUser, AuthUser, TokenState, UserStatus } from './auth-user.ts';
export type {
  ApiKey,
  Credential,
  CredentialKind,
  CredentialOf,
  OAuthClient,
  PersonalAccessToken,
  TenantCredential,
} from './credential-records.ts';

/** A customer of the service; all data belongs to one tenant. */
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

/** An access token that is rejected before it expires. */
export interface RevokedToken {
  /**
   * `jti` of the token, or the id of a refresh token family whose access tokens are all revoked.
   */
  readonly id: string;
  /** Epoch milliseconds after which such a token has expired anyway. */
  readonly expires: number;
}

/**
 * A family of refresh tokens of an API client: each use replaces the secret, and the id stays. A
 * token with another secret than the current one was therefore reused (RFC 9700 section 4.14.2).
 */
export interface RefreshToken {
  readonly id: string;
  readonly clientId: string;
  /** Hash of the current secret. */
  readonly secretHash: string;
  /** The scopes that the first token request asked for; null: all of the client's. */
  readonly scope: readonly string[] | null;
  /** ISO 8601, like the next. */
  readonly created: string;
  readonly expires: string;
}

/** A signing key of the service; the private half never leaves the process of the store. */
export interface SigningKey {
  readonly kid: string;
  /** JWK; without `d` when the private half cannot be decrypted. */
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly created: string;
  /** Signs new tokens; others only verify old ones. */
  readonly active: boolean;
}

/** One entry of the change sequence: the current document, or its deletion. */
export interface DocumentChange {
  readonly sequence: number;
  readonly tenantId: string;
  readonly index: IndexName;
  readonly id: string;
  /** null for a deletion, and for a damaged document. */
  readonly document: StoredDocument | null;
  /** True for a document whose stored bytes are damaged: it leaves the index. */
  readonly damaged?: boolean;
}

/** A field that documents of a tenant have besides those of the mapping. */
export interface DynamicField {
  readonly index: IndexName;
  readonly field: Field;
  /** When it was first seen, epoch milliseconds; null: before that was recorded. */
  readonly since: number | null;
}

/** The current change of a stored document. */
export interface DocumentVersion {
  readonly id: string;
  /** Number of the change in the sequence. */
  readonly sequence: number;
}

/** How damage is looked for. */
export interface DamageOptions {
  /** Awaited between two slices; a turn of the event loop by default. */
  readonly pause?: (() => Promise<void>) | undefined;
  /** `records`: not the documents. */
  readonly of?: 'all' | 'records';
  /** How many are named at most; 100 by default. */
  readonly namesMax?: number;
}

/** Is called with the id of a damaged document, which is left out. */
export type SetAside = (id: string) => void;

/** Documents, and other records, whose stored bytes are not what was written. */
export interface DocumentDamage {
  readonly count: number;
  /** The first of them, at most 100. */
  readonly documents: readonly StoredDocumentKey[];
}

/** The stored bytes of a damaged document. */
export interface DamagedBytes {
  readonly hash: Uint8Array | null;
  readonly root: Uint8Array | null;
  readonly nested: Uint8Array | null;
}

/** The outcome of a `put` for each document, in order. */
export type PutOutcome = 'created' | 'updated' | 'unchanged';

/** Rows that contradict other tables. */
export interface StoreInconsistency {
  /**
   * `stray`: their tenant or owner does not exist. `miscounted`: a number, such as that of documents or
   * the recorded end of an audit trail, is not that of the rows. `missing`: rows that are derived from
   * records were lost. `wrong`: they are missing or too many.
   */
  readonly kind: 'stray' | 'miscounted' | 'missing' | 'wrong';
  readonly table: string;
  readonly rows: number;
}

/** A row that was removed, as JSON. */
export interface StrayRow {
  readonly table: string;
  readonly row: string;
}

/** Read access to committed state. */
export interface Records
  extends ReadableResources,
    ProfileRecords,
    AdvancedSearchRecords,
    AuditRecords,
    CredentialRecords,
    DashboardRecords,
    MirrorRecords,
    PurgeRecords,
    SavedSearchRecords,
    SnapshotRecords,
    ViewRecords {
  tenantByName(name: string): Promise<Tenant | null>;
  tenantById(id: string): Promise<Tenant | null>;
  tenants(): Promise<readonly Tenant[]>;

  authUser(tenantId: string, id: string): Promise<AuthUser | null>;
  authUserByUid(tenantId: string, uid: string): Promise<AuthUser | null>;
  /** At most `limit` auth users with ids after `afterId`, by id. */
  authUserPage(tenantId: string, afterId: string, limit: number): Promise<readonly AuthUser[]>;
  /** The auth users that match, in the requested order. */
  listAuthUsers(tenantId: string, query: AuthUserQuery): Promise<AuthUserPage>;
  /** The number of enabled auth users with a capability whom no view restricts, without `exceptId`. */
  countHolders(tenantId: string, capability: string, exceptId: string): Promise<number>;
  /** The state of an auth user that its tokens depend on. */
  userStatus(tenantId: string, id: string): Promise<UserStatus | null>;
  /** The same of any identity, also of one that is no auth user but was ended as one. */
  personStatus(tenantId: string, id: string): Promise<UserStatus | AbsentUser | null>;
  /** True for a token whose id, or whose refresh token family, was revoked. */
  isRevoked(tenantId: string, tokenId: string, family: string | null): Promise<boolean>;

  refreshToken(tenantId: string, id: string): Promise<RefreshToken | null>;
  /** Oldest first. */
  refreshTokensOf(tenantId: string, clientId: string): Promise<readonly RefreshToken[]>;
  signingKeys(): Promise<readonly SigningKey[]>;

  /** @throws ServiceError `unavailable` naming a damaged document */
  document(tenantId: string, index: IndexName, id: string): Promise<StoredDocument | null>;
  /**
   * The documents with these ids, in their order; missing ones are left out.
   * @throws ServiceError `unavailable` naming a damaged document, without `setAside`
   */
  documentsById(
    tenantId: string,
    index: IndexName,
    ids: readonly string[],
    setAside?: SetAside,
  ): Promise<readonly StoredDocument[]>;
  /**
   * At most `limit` documents with ids after `afterId`, by id. Damaged ones are left out, and less
   * than `limit` are the last.
   */
  documentPage(
    tenantId: string,
    index: IndexName,
    afterId: string,
    limit: number,
    setAside?: SetAside,
  ): Promise<readonly StoredDocument[]>;
  /**
   * The changes that stored documents are from, without content, damaged ones included: at most `limit`
   * with ids after `afterId`, by id.
   */
  documentVersions(
    tenantId: string,
    index: IndexName,
    afterId: string,
    limit: number,
  ): Promise<readonly DocumentVersion[]>;
  /** The same of the documents with these ids; missing ones are left out. */
  documentVersionsById(
    tenantId: string,
    index: IndexName,
    ids: readonly string[],
  ): Promise<readonly DocumentVersion[]>;
  /**
   * Reads all documents and other records, in slices, and returns those that are damaged. The `index` of
   * a record that is no document is its table.
   */
  documentDamage(options?: DamageOptions): Promise<DocumentDamage>;
  /** True if what `documentDamage` returned is still damaged. */
  isDamagedRecord(key: StoredDocumentKey): Promise<boolean>;
  documentCounts(tenantId: string): Promise<Readonly<Record<IndexName, number>>>;
  /** Dynamic fields seen so far, by index. */
  dynamicFields(tenantId: string): Promise<readonly DynamicField[]>;
  /** Fields of all tenants that got another kind, and documents from before. */
  changedFields(): Promise<readonly ChangedField[]>;
  /**
   * Grows with each dynamic field that the tenant gains or that gets another kind, so that cached
   * mappings can be validated cheaply.
   */
  fieldsVersion(tenantId: string): Promise<number>;

  /** Changes after `sequence`, ascending, at most `limit`, over all tenants. */
  changesAfter(sequence: number, limit: number): Promise<readonly DocumentChange[]>;
  /** The last sequence number assigned. */
  lastSequence(): Promise<number>;

  /** Contradictions between tables; scans all rows. */
  inconsistencies(): Promise<readonly StoreInconsistency[]>;
  /**
   * Of these, rows that are derived from records and differ from what is computed from them. Others may
   * write meanwhile.
   * @param pause as of `documentDamage`
   */
  wrongRows(pause?: () => Promise<void>): Promise<readonly StoreInconsistency[]>;
}

/** Read and write access within one transaction. */
export interface WritableRecords
  extends Records,
    WritableResources,
    WritableProfileRecords,
    WritableAdvancedSearchRecords,
    WritableAuditRecords,
    WritableCredentialRecords,
    WritableDashboardRecords,
    WritableMirrorRecords,
    WritablePurgeRecords,
    WritableSavedSearchRecords,
    WritableSnapshotRecords,
    WritableViewRecords {
  addTenant(tenant: Tenant): Promise<void>;
  /** A user who is created keeps what was recorded of it while it was absent. */
  putAuthUsers(tenantId: string, users: readonly AuthUser[]): Promise<readonly PutOutcome[]>;
  /** @param before the current list, as read in this transaction: only what changes is written */
  setCapabilities(
    tenantId: string,
    id: string,
    capabilities: readonly string[],
    before: readonly string[],
  ): Promise<void>;
  setTokenState(tenantId: string, id: string, state: TokenState): Promise<void>;
  putAbsentUser(tenantId: string, id: string, state: AbsentUser): Promise<void>;
  /**
   * Also deletes the user's personal access tokens.
   * @param state what remains of the user, for tokens of other issuers
   * @returns whether the user existed; nothing remains of one who did not
   */
  deleteAuthUser(tenantId: string, id: string, state: TokenState): Promise<boolean>;
  revokeToken(tenantId: string, token: RevokedToken): Promise<void>;

  addRefreshToken(tenantId: string, token: RefreshToken): Promise<void>;
  updateRefreshToken(tenantId: string, token: RefreshToken): Promise<void>;
  deleteRefreshToken(tenantId: string, id: string): Promise<void>;
  deleteRefreshTokensOf(tenantId: string, clientId: string): Promise<void>;
  addSigningKey(key: SigningKey): Promise<void>;
  /** Marks all keys as no longer signing. */
  retireSigningKeys(): Promise<void>;
  deleteSigningKey(kid: string): Promise<void>;

  /**
   * Each changed document gets a new sequence number; an equal one keeps its own. One that is
   * damaged is changed.
   */
  putDocuments(
    tenantId: string,
    documents: readonly StoredDocument[],
  ): Promise<readonly PutOutcome[]>;
  /** @returns whether it existed */
  deleteDocument(tenantId: string, index: IndexName, id: string): Promise<boolean>;
  /**
   * Gives documents new sequence numbers, so that they are fed again as they are; one that is not stored
   * is fed as a deletion.
   */
  feedAgain(tenantId: string, index: IndexName, ids: readonly string[]): Promise<void>;
  /**
   * Deletes a document or record if it is damaged.
   * @returns its bytes, to be kept before the transaction commits; null: it is not damaged, or must not be
   * deleted, as somebody might have rights again
   */
  takeDamagedDocument(key: StoredDocumentKey): Promise<DamagedBytes | null>;
  /**
   * Writes a damaged document again under its number of change; an index that has it as a deletion has
   * to be filled anew. Returns the damaged bytes, or null if it is not damaged.
   */
  rewriteDamagedDocument(
    document: StoredDocument & { readonly tenantId: string },
  ): Promise<DamagedBytes | null>;
  /** Adds fields, and widens those that are known with a narrower kind. */
  addDynamicFields(tenantId: string, index: IndexName, fields: readonly Field[]): Promise<void>;
  /** All documents are indexed by the kind that the field has here, unless it has changed again. */
  endChange(changed: ChangedField): Promise<void>;
  /** Sets the kind of a dynamic field. @returns whether it exists */
  setFieldKind(tenantId: string, index: IndexName, path: string, type: FieldType): Promise<boolean>;

  /** Deletes stray rows. @returns their bytes, to be kept before the transaction commits */
  takeStrayRows(): Promise<readonly StrayRow[]>;
  /** Computes anew what `wrongRows` reports. Documents with a field that was lost are fed again. */
  mendDerivedRows(): Promise<void>;
}

/** A dynamic field whose kind has changed. */
export interface ChangedField {
  readonly tenantId: string;
  readonly index: IndexName;
  /** With the kind of now. */
  readonly field: Field;
  /** The kind that documents may still be indexed by. */
  readonly indexedAs: FieldType;
}

/** The connections of a pool. */
export interface PoolFigures {
  readonly pool: 'read' | 'write' | 'check';
  readonly open: number;
  readonly idle: number;
  /** Requests waiting for a connection. */
  readonly waiting: number;
}

/** The whole port; test/contract/store.ts tests each implementation. */
export interface Store {
  readonly read: Records;
  /**
   * Runs `work` in one transaction, after all earlier ones; rolls back when it throws. Resolves
   * once durable.
   */
  write<T>(work: (records: WritableRecords) => Promise<T>): Promise<T>;
  /**
   * The number of writes of this process that have ended, including failed ones. Caches of stored
   * data compare it. It has grown before the promise of a write settles.
   */
  readonly writes: number;
  /** Calls `listener` whenever `writes` has grown, until the returned function is called. */
  onWrite(listener: () => void): () => void;
  /** Throws `unavailable` when the store is not reachable. */
  ping(): Promise<void>;
  /** Epoch milliseconds of the store's own clock; null when it uses the system clock. */
  now(): Promise<number | null>;
  /** Empty for a store without connection pools. */
  pools(): readonly PoolFigures[];
  close(): Promise<void>;
}
