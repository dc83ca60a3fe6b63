// The ports of the routes: interfaces of the use cases, which composition implements and tests
// fake. Routes depend on nothing else of the layers below.
// Invariant: every call that touches a tenant's data takes the caller or the tenant id.

import type { Caller, RequestOrigin } from '../auth/caller.ts';
import type { AuditActor } from '../identity/audit/audit-event.ts';
import type { AuthUser } from '../identity/ports/store.ts';
import type { Page, PageRequest } from '../identity/profiles/resources/collection.ts';
import type { ResourceKind } from '../identity/profiles/resources/resources.ts';
import type { IndexName } from '../query/query.ts';
import type { AcceptedForm } from './responses/accept.ts';

/** Bytes of a response, or an object that writes them into the send buffer. */
export type AnswerPiece =
  | Uint8Array
  | { readonly length: number; writeTo(target: Uint8Array, start: number): void };

/** One JSON text of an import. */
export interface ImportLine {
  readonly line: number;
  readonly text: Uint8Array | string;
  readonly fault?: string;
}

/** The result of an import. */
export interface ImportOutcome {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly faults: readonly { readonly line: number; readonly reason: string }[];
  /** Lines imported with a warning; they are also counted above. */
  readonly warned: number;
  readonly warnings: readonly { readonly line: number; readonly reason: string }[];
  /** The last change sequence assigned. */
  readonly sequence: number;
}

export interface ImportChoices {
  /** The index of documents without a type. */
  readonly index?: IndexName;
  /** Stops at the first invalid line. */
  readonly strict?: boolean;
  /** The actor of the audit event. */
  readonly actor: AuditActor;
  /** Called before each batch; a rejection ends the import. */
  readonly confirm?: () => Promise<unknown>;
}

/**
 * An introspection or revocation request: `token` in `parameters`, and the client's credentials.
 */
export interface TokenInspectionRequest {
  readonly parameters: Readonly<Record<string, string>>;
  readonly basic: { readonly id: string; readonly secret: string } | null;
  readonly bearer: string | undefined;
  readonly origin: RequestOrigin;
}

/** Issues and verifies tokens (identity/credentials/tokens.ts). */
export interface Tokens {
  issue(
    parameters: Readonly<Record<string, string>>,
    basic: { readonly id: string; readonly secret: string } | null,
    remoteAddress: string,
    requestId?: string,
  ): Promise<object>;
  verify(authorization: string | undefined): Promise<Caller>;
  introspect(question: TokenInspectionRequest): Promise<object>;
  revoke(question: TokenInspectionRequest): Promise<void>;
  jwks(): Promise<object>;
  info(baseUrl: string, authorization: string | undefined): Promise<object>;
}

/** Verifies and administers API keys of profile management (identity/profiles/api-keys.ts). */
export interface ApiKeys {
  verify(key: string): Promise<Caller>;
  list(caller: Caller): Promise<readonly object[]>;
  create(caller: Caller, body: unknown): Promise<object>;
  remove(caller: Caller, id: string): Promise<void>;
}

/** An auth user with the entity tag for `If-Match`. */
export interface TaggedAuthUser {
  readonly user: AuthUser;
  readonly etag: string;
}

export interface AuthUserCases {
  get(caller: Caller, id: string): Promise<TaggedAuthUser>;
  patch(
    caller: Caller,
    id: string,
    body: unknown,
    ifMatch: string | undefined,
  ): Promise<TaggedAuthUser>;
}

/** Administration of auth users (identity/accounts/auth-user-administration.ts). */
export interface AuthUserAdministrationCases {
  get(caller: Caller, id: string): Promise<object>;
  patch(caller: Caller, id: string, body: unknown): Promise<object>;
  remove(caller: Caller, id: string): Promise<void>;
  signOut(caller: Caller, id: string): Promise<void>;
  signOutSelf(caller: Caller): Promise<void>;
}

export interface PersonalAccessTokenCases {
  list(
    caller: Caller,
    choices: { readonly ownerId?: string; readonly filters?: string },
  ): Promise<readonly object[]>;
  create(caller: Caller, body: unknown): Promise<object>;
  patch(caller: Caller, id: string, body: unknown): Promise<object>;
  remove(caller: Caller, id: string): Promise<unknown>;
}

/** API clients (identity/credentials/oauth-clients.ts). */
export interface OAuthClientCases {
  list(caller: Caller, filters?: string): Promise<readonly object[]>;
  get(caller: Caller, id: string): Promise<object>;
  create(caller: Caller, body: unknown): Promise<object>;
  patch(caller: Caller, id: string, body: unknown): Promise<object>;
  remove(caller: Caller, id: string): Promise<void>;
}

export interface DocumentCases {
  importDocuments(
    tenantId: string,
    lines: AsyncIterable<ImportLine>,
    choices: ImportChoices,
  ): Promise<ImportOutcome>;
  importAuthUsers(
    tenantId: string,
    lines: AsyncIterable<ImportLine>,
    choices: ImportChoices,
  ): Promise<ImportOutcome>;
  /** Removes a document. @returns true if there was one */
  remove(tenantId: string, index: IndexName, id: string, actor: AuditActor): Promise<boolean>;
}

export interface SearchCases {
  search(
    caller: Caller,
    body: unknown,
    parameters: { offset?: string; limit?: string; count?: string },
    signal?: AbortSignal,
  ): Promise<{
    readonly total: number | null;
    /** In pieces. */
    readonly body: readonly AnswerPiece[];
    readonly warnings?: readonly { readonly text: string }[];
  }>;
  count(
    caller: Caller,
    body: unknown,
    signal?: AbortSignal,
  ): Promise<{
    readonly total: number;
    readonly warnings?: readonly { readonly text: string }[];
  }>;
  /** Returns a JSON value. */
  explain(
    caller: Caller,
    body: unknown,
    parameters: { offset?: string; limit?: string; count?: string; index?: string; id?: string },
    signal?: AbortSignal,
  ): Promise<object>;
  aggregate(
    caller: Caller,
    body: unknown,
    parameters: { offset?: string; limit?: string; count?: string },
    accepted: AcceptedForm,
    signal?: AbortSignal,
  ): Promise<{
    readonly total: number | null;
    readonly form: 'json' | 'csv';
    /** In pieces. */
    readonly body: readonly AnswerPiece[];
    readonly warnings?: readonly { readonly text: string }[];
  }>;
  get(caller: Caller, index: string, id: string): Promise<Uint8Array>;
}

/** A record in its wire form. */
type WireRecord = Readonly<Record<string, unknown>>;

/**
 * Records of profile management other than profiles
 * (identity/profiles/resources/resource-cases.ts).
 */
export interface ResourceCases {
  list(caller: Caller, kind: ResourceKind, request: PageRequest): Promise<Page<WireRecord>>;
  get(caller: Caller, kind: ResourceKind, idOrUid: string): Promise<WireRecord>;
  create(caller: Caller, kind: ResourceKind, body: unknown): Promise<WireRecord>;
  createMany(caller: Caller, kind: ResourceKind, body: unknown): Promise<readonly WireRecord[]>;
  update(caller: Caller, kind: ResourceKind, idOrUid: string, body: unknown): Promise<WireRecord>;
  updateMany(caller: Caller, kind: ResourceKind, body: unknown): Promise<readonly WireRecord[]>;
  remove(caller: Caller, kind: ResourceKind, idOrUid: string): Promise<WireRecord>;
  removeMany(
    caller: Caller,
    kind: ResourceKind,
    body: unknown,
  ): Promise<{ readonly records: readonly WireRecord[] } | { readonly jobId: string }>;
}

/** A request for a page of profiles. */
type ProfilePageRequest = PageRequest & {
  readonly afterId: string | null;
  readonly updatedAfter: string | null;
  readonly excludeAttributes: boolean;
};

/** Profiles, and the jobs of large requests (identity/profiles/profile-cases.ts). */
export interface ProfileCases {
  list(caller: Caller, request: ProfilePageRequest): Promise<Page<WireRecord>>;
  get(caller: Caller, idOrUid: string): Promise<WireRecord>;
  create(caller: Caller, body: unknown): Promise<WireRecord>;
  createMany(caller: Caller, body: unknown): Promise<readonly WireRecord[]>;
  update(caller: Caller, idOrUid: string, body: unknown): Promise<WireRecord>;
  updateMany(caller: Caller, body: unknown): Promise<readonly WireRecord[]>;
  remove(caller: Caller, idOrUid: string): Promise<void>;
  removeMany(
    caller: Caller,
    body: unknown,
  ): Promise<{ readonly profiles: readonly WireRecord[] } | { readonly jobId: string }>;
  job(
    caller: Caller,
    id: string | undefined,
  ): Promise<{
    readonly id: string;
    readonly status: string;
    readonly jobType: string;
    readonly jobData: readonly object[];
  }>;
}

/** Saved and one-time advanced searches (identity/profiles/rules/advanced-searches.ts). */
export interface AdvancedSearchCases {
  list(caller: Caller, request: PageRequest): Promise<Page<WireRecord>>;
  get(caller: Caller, idOrUid: string): Promise<WireRecord>;
  create(caller: Caller, body: unknown): Promise<WireRecord>;
  edit(caller: Caller, idOrUid: string, body: unknown): Promise<WireRecord>;
  remove(caller: Caller, idOrUid: string): Promise<void>;
  run(
    caller: Caller,
    idOrUid: string,
    request: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<WireRecord>>;
  runOnce(
    caller: Caller,
    body: unknown,
    request: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<WireRecord>>;
}

/** The status of the service. */
export interface StatusSource {
  /** Why the service is not ready, one sentence each; empty if it is. */
  unreadyReasons(): Promise<readonly string[]>;
  /** Problems that do not keep it from serving, one sentence each. */
  warnings(): Promise<readonly string[]>;
  /** The last change sequence assigned. */
  lastSequence(): Promise<number>;
  /** Resolves when the change with that sequence is searchable; throws `unavailable` on timeout. */
  waitUntilSearchable(sequence: number, timeoutMs: number): Promise<void>;
}

/** The status of this node for one tenant. */
export interface NodeSource {
  of(tenantId: string): Promise<object>;
}

/** Counts requests by tenant; `requests` are those that are neither searches nor writes. */
export interface ActivityCounter {
  count(tenantId: string, activity: 'requests' | 'searches' | 'writes'): void;
}

/** Everything behind the routes. */
export interface Services {
  readonly tokens: Tokens;
  readonly apiKeys: ApiKeys;
  readonly authUsers: AuthUserCases;
  readonly authUserAdministration: AuthUserAdministrationCases;
  readonly personalAccessTokens: PersonalAccessTokenCases;
  readonly oauthClients: OAuthClientCases;
  readonly documents: DocumentCases;
  readonly search: SearchCases;
  readonly resources: ResourceCases;
  readonly profiles: ProfileCases;
  readonly advancedSearches: AdvancedSearchCases;
  readonly status: StatusSource;
  readonly node: NodeSource;
  readonly activity: ActivityCounter;
}
