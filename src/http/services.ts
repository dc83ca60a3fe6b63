// What the routes need of the rest of the service, as shapes: composition passes the real use cases, tests pass
// small fakes. The routes know nothing else of the layers below.
// Invariant: every call that touches a tenant's data takes the caller or the tenant it stands for.

import type { Caller, RequestOrigin } from '../auth/caller.ts';
import type { AuditActor } from '../identity/audit/audit-event.ts';
import type { AuthUser } from '../identity/ports/store.ts';
import type { Page, PageRequest } from '../identity/profiles/resources/collection.ts';
import type { ResourceKind } from '../identity/profiles/resources/resources.ts';
import type { IndexName } from '../query/query.ts';
import type { AcceptedForm } from './responses/accept.ts';

/** Bytes of an answer, or something that writes them into the buffer it is sent from. */
export type AnswerPiece =
  | Uint8Array
  | { readonly length: number; writeTo(target: Uint8Array, start: number): void };

/** One JSON text of an import. */
export interface ImportLine {
  readonly line: number;
  readonly text: Uint8Array | string;
  readonly fault?: string;
}

/** What became of an import. */
export interface ImportOutcome {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly faults: readonly { readonly line: number; readonly reason: string }[];
  /** Lines that were taken with a warning; they are counted above as well. */
  readonly warned: number;
  readonly warnings: readonly { readonly line: number; readonly reason: string }[];
  /** The last change sequence given out. */
  readonly sequence: number;
}

export interface ImportChoices {
  /** The index of documents that do not name their type. */
  readonly index?: IndexName;
  /** Stops at the first faulty line. */
  readonly strict?: boolean;
  /** Who imports, for the audit event. */
  readonly actor: AuditActor;
  /** Asked before each batch; a rejection ends the import. */
  readonly confirm?: () => Promise<unknown>;
}

/** Who asks about a token, and about which: `parameters` has `token`, and the client's id and secret or `bearer` has a token. */
export interface TokenInspectionRequest {
  readonly parameters: Readonly<Record<string, string>>;
  readonly basic: { readonly id: string; readonly secret: string } | null;
  readonly bearer: string | undefined;
  readonly origin: RequestOrigin;
}

/** Issues and judges tokens (identity/credentials/tokens.ts). */
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

/** Judges and administers keys of profile management (identity/profiles/api-keys.ts). */
export interface ApiKeys {
  verify(key: string): Promise<Caller>;
  list(caller: Caller): Promise<readonly object[]>;
  create(caller: Caller, body: unknown): Promise<object>;
  remove(caller: Caller, id: string): Promise<void>;
}

/** An auth user with the tag that `If-Match` is compared with. */
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

/** What administrators do with auth users (identity/accounts/auth-user-administration.ts). */
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
  /** Whether there was one; `actor` for the audit event. */
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
  /** A JSON value. */
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

/** A record as shown, by wire names. */
type Shown = Readonly<Record<string, unknown>>;

/** The records of profile management, but for profiles (identity/profiles/resources/resource-cases.ts). */
export interface ResourceCases {
  list(caller: Caller, kind: ResourceKind, request: PageRequest): Promise<Page<Shown>>;
  get(caller: Caller, kind: ResourceKind, idOrUid: string): Promise<Shown>;
  create(caller: Caller, kind: ResourceKind, body: unknown): Promise<Shown>;
  createMany(caller: Caller, kind: ResourceKind, body: unknown): Promise<readonly Shown[]>;
  update(caller: Caller, kind: ResourceKind, idOrUid: string, body: unknown): Promise<Shown>;
  updateMany(caller: Caller, kind: ResourceKind, body: unknown): Promise<readonly Shown[]>;
  remove(caller: Caller, kind: ResourceKind, idOrUid: string): Promise<Shown>;
  removeMany(
    caller: Caller,
    kind: ResourceKind,
    body: unknown,
  ): Promise<{ readonly records: readonly Shown[] } | { readonly jobId: string }>;
}

/** A page of profiles as asked for. */
type ProfilePageRequest = PageRequest & {
  readonly afterId: string | null;
  readonly updatedAfter: string | null;
  readonly excludeAttributes: boolean;
};

/** Profiles and the jobs of large calls (identity/profiles/profile-cases.ts). */
export interface ProfileCases {
  list(caller: Caller, request: ProfilePageRequest): Promise<Page<Shown>>;
  get(caller: Caller, idOrUid: string): Promise<Shown>;
  create(caller: Caller, body: unknown): Promise<Shown>;
  createMany(caller: Caller, body: unknown): Promise<readonly Shown[]>;
  update(caller: Caller, idOrUid: string, body: unknown): Promise<Shown>;
  updateMany(caller: Caller, body: unknown): Promise<readonly Shown[]>;
  remove(caller: Caller, idOrUid: string): Promise<void>;
  removeMany(
    caller: Caller,
    body: unknown,
  ): Promise<{ readonly profiles: readonly Shown[] } | { readonly jobId: string }>;
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

/** Advanced searches, kept and run (identity/profiles/rules/advanced-searches.ts). */
export interface AdvancedSearchCases {
  list(caller: Caller, request: PageRequest): Promise<Page<Shown>>;
  get(caller: Caller, idOrUid: string): Promise<Shown>;
  create(caller: Caller, body: unknown): Promise<Shown>;
  edit(caller: Caller, idOrUid: string, body: unknown): Promise<Shown>;
  remove(caller: Caller, idOrUid: string): Promise<void>;
  run(
    caller: Caller,
    idOrUid: string,
    request: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<Shown>>;
  runOnce(
    caller: Caller,
    body: unknown,
    request: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<Shown>>;
}

/** How the service is. */
export interface StatusSource {
  /** Why it cannot serve now, one sentence each; empty when it can. */
  unreadyReasons(): Promise<readonly string[]>;
  /** What is amiss though it can serve, one sentence each. */
  warnings(): Promise<readonly string[]>;
  /** The last change sequence given out. */
  lastSequence(): Promise<number>;
  /** Resolves when the change with that sequence is searchable; throws `unavailable` when that takes too long. */
  waitUntilSearchable(sequence: number, timeoutMs: number): Promise<void>;
}

/** How this node is, as far as it concerns one tenant. */
export interface NodeSource {
  of(tenantId: string): Promise<object>;
}

/** Counts what callers of a tenant do; `requests` is what is neither a search nor a write. */
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
