// What differs between personal access tokens, API clients and keys of profile management, as one row
// for each kind: who may manage them, what a body and a patch make of them, what is shown of them and
// recorded. What they have in common is in credentials.ts.
// Invariant: a view never has the hash of a secret.
import { ALL_SCOPES, type Operation, PROFILE_SCOPES } from '../../auth/access.ts';
import { newApiKey } from '../../auth/api-key.ts';
import type { Caller } from '../../auth/caller.ts';
import {
  type Confinement,
  grantedScope,
  refuseLaterEnd,
  type TokenPolicy,
} from '../../auth/confinement.ts';
import {
  fingerprint,
  hashSecret,
  newId,
  newSecret,
  newUuid,
  type RandomBytes,
} from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import type { PatchOperation } from '../../json/json-patch.ts';
import type {
  ApiKey,
  Credential,
  CredentialKind,
  CredentialOf,
  OAuthClient,
  PersonalAccessToken,
  Records,
} from '../ports/store.ts';
import { type ApiKeyScope, readApiKeyRequest } from './api-key-request.ts';
import { isEnabled, nextValidFrom } from './credential-bounds.ts';
import { changeableMembers, patchClient, readClientRequest } from './oauth-client-request.ts';
import { patchToken, readTokenRequest } from './personal-access-token-request.ts';

/** The owner of a credential, as it is shown. */
interface Owner {
  readonly id: string;
  readonly name: string;
}

/** The public form of a personal access token (contract/auth-users.md section 7). */
export interface TokenView
  extends Pick<
    PersonalAccessToken,
    | 'id'
    | 'name'
    | 'scope'
    | 'created'
    | 'lastUsed'
    | 'managed'
    | 'accessTokenValiditySeconds'
    | 'userAwareTokenNeverExpires'
  > {
  readonly owner: Owner & { readonly type: 'IDENTITY' };
  readonly expirationDate: string | null;
  /** An extension: the view that it is restricted to. */
  readonly view?: string;
}

/** The public form of an API client: `GetOAuthClientResponse` of the published client library. */
export interface ClientView
  extends Omit<
    OAuthClient,
    'kind' | 'secretHash' | 'ownerId' | 'parentId' | 'view' | 'expires' | 'tokensValidFrom'
  > {
  /** An extension: the view that it is restricted to. */
  readonly view?: string;
  /** Always null: only the response to the creation has the secret. */
  readonly secret: null;
  readonly type: 'CONFIDENTIAL';
  readonly internal: false;
  readonly metadata: null;
}

/** A key of profile management without its secret. */
export interface ApiKeyView
  extends Pick<ApiKey, 'id' | 'name' | 'created' | 'expires' | 'lastUsed'> {
  readonly scope: ApiKeyScope;
  readonly owner: Owner | null;
}

interface Views {
  readonly pat: TokenView;
  readonly client: ClientView;
  readonly key: ApiKeyView;
}

/** The public form of a credential of a kind. */
export type CredentialView<K extends CredentialKind> = Views[K];

/** A new credential, with the secret that is never shown again. */
export type NewCredentialView<K extends CredentialKind> = Omit<Views[K], 'secret'> &
  (K extends 'key' ? { readonly apiKey: string } : { readonly secret: string });

/** The circumstances of a creation or a change. */
export interface Terms {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly confinement: Confinement;
  /** The scopes of the caller. */
  readonly held: readonly string[];
}

/** The members that a request decides. */
export type Requested<C extends Credential> = Omit<
  C,
  'id' | 'kind' | 'secretHash' | 'ownerId' | 'parentId' | 'created' | 'lastUsed'
>;

export interface CredentialRules<K extends CredentialKind, C = CredentialOf<K>> {
  /** The object of its events of the audit trail. */
  readonly object: 'PERSONAL_ACCESS_TOKEN' | 'API_CLIENT' | 'API_KEY';
  /** Rights over all, and over the caller's own where these are less. */
  readonly rights: Readonly<Record<'readAll' | 'readOwn' | 'manageAll' | 'manageOwn', Operation>>;
  /** Whether it acts for its owner, who alone may change it, and gives each a name of its own. */
  readonly isPersonal: boolean;
  /** Whether one that has expired is as good as deleted: shown nowhere, counted nowhere. */
  readonly vanishes: boolean;
  /** How many there may be, of an owner or of a tenant; null: any number. */
  readonly limit: {
    readonly most: number;
    readonly message: string;
    readonly cause: (most: number) => string;
  } | null;
  newId(random: RandomBytes): string;
  newSecret(random: RandomBytes): string;
  hash(secret: string, random: RandomBytes): string;
  /** What shows the secret of a new one. */
  readonly secretMember: 'secret' | 'apiKey';
  /** The message about an id that is unknown to the caller. */
  missing(id: string): string;
  /**
   * Reads the body that creates one.
   * @throws ServiceError `request_invalid`, `illegal_value`, `forbidden` beyond what the caller has
   */
  read(body: unknown, terms: Terms): Requested<CredentialOf<K>>;
  /** The owner of one that a caller creates. @throws ServiceError `forbidden` */
  ownerOf(records: Records, caller: Caller, policy: TokenPolicy): Promise<string | null>;
  /**
   * Applies a patch; null: it cannot be changed.
   * @throws ServiceError `illegal_update`, `illegal_value`, `forbidden`
   */
  readonly patch: ((before: C, operations: readonly PatchOperation[], terms: Terms) => C) | null;
  /** What an event tells of it besides the change. */
  eventMembers(credential: C): Readonly<Record<string, string | readonly string[]>>;
  /** The members that can be set, as events tell them. */
  settable(credential: C): Readonly<Record<string, unknown>>;
  view(credential: C, owner: Owner | null): CredentialView<K>;
}

const PERSONAL_ACCESS_TOKEN: CredentialRules<'pat'> = {
  object: 'PERSONAL_ACCESS_TOKEN',
  rights: {
    ...{ readAll: 'pat:all:read', readOwn: 'pat:own:read' },
    ...{ manageAll: 'pat:all:manage', manageOwn: 'pat:own:manage' },
  },
  isPersonal: true,
  vanishes: true,
  limit: {
    most: 10,
    message: 'The user has too many personal access tokens.',
    cause: (most) => `at most ${most} per user`,
  },
  ...{ newId, newSecret, hash: hashSecret, secretMember: 'secret' },
  missing: () => 'There is no such personal access token.',
  read: (body, { now, confinement }) => ({
    ...readTokenRequest(body, now, confinement),
    managed: false,
  }),
  async ownerOf(records, { tenantId, identityId }) {
    const owner = await records.authUser(tenantId, identityId ?? '');
    if (owner !== null) return owner.id;
    throw new ServiceError('forbidden', 'Only a user of this tenant can own a token.');
  },
  patch: (before, operations, { now, confinement }) =>
    patchToken(before, operations, now, confinement),
  eventMembers: ({ id, ownerId, scope }) => ({ tokenId: id, ownerId, scope }),
  settable({ name, scope, accessTokenValiditySeconds, expires, view, ...token }) {
    const { userAwareTokenNeverExpires } = token;
    return {
      ...{ name, scope, accessTokenValiditySeconds },
      ...{ expirationDate: expires, userAwareTokenNeverExpires, ...restriction(view) },
    };
  },
  view: ({ id, name, scope, ownerId, created, lastUsed, managed, view, ...token }, owner) => ({
    ...{ id, name, scope, owner: { type: 'IDENTITY', id: ownerId, name: owner?.name ?? ownerId } },
    ...{ created, lastUsed, managed, expirationDate: token.expires },
    accessTokenValiditySeconds: token.accessTokenValiditySeconds,
    userAwareTokenNeverExpires: token.userAwareTokenNeverExpires,
    ...restriction(view),
  }),
};

const API_CLIENT: CredentialRules<'client'> = {
  object: 'API_CLIENT',
  rights: forAll('oauth-client:manage'),
  isPersonal: false,
  vanishes: false,
  limit: {
    most: 500,
    message: 'The tenant has too many API clients.',
    cause: (most) => `at most ${most} per tenant; delete those that are not used`,
  },
  ...{ newId: newUuid, newSecret, hash: hashSecret, secretMember: 'secret' },
  missing: () => 'There is no such API client.',
  read(body, { now, confinement, held }) {
    const request = readClientRequest(body);
    const scope = grantedScope(held, request.scope);
    // A client with a parent ends with it; without one it would never end.
    if (confinement.parentId === null) {
      refuseLaterEnd('an API client never ends', Number.POSITIVE_INFINITY, confinement);
    }
    const modified = new Date(now).toISOString();
    return { ...request, scope, expires: null, modified, tokensValidFrom: 0 };
  },
  ownerOf: async () => null,
  patch(before, operations, terms) {
    const patched = patchClient(before, operations);
    return {
      ...patched,
      modified: new Date(terms.now).toISOString(),
      // One that is disabled loses all tokens, also once it is enabled again.
      ...(before.enabled && !patched.enabled && { tokensValidFrom: nextValidFrom(before, terms) }),
    };
  },
  eventMembers: ({ id, scope, view }) => ({ clientId: id, scope, ...restriction(view) }),
  settable: changeableMembers,
  view: (client) => ({
    ...{ id: client.id, ...changeableMembers(client), scope: client.scope },
    ...{ created: client.created, modified: client.modified, lastUsed: client.lastUsed },
    ...{ ...restriction(client.view), secret: null, type: 'CONFIDENTIAL' },
    ...{ internal: false, metadata: null },
  }),
};

const API_KEY: CredentialRules<'key'> = {
  object: 'API_KEY',
  rights: forAll('admin'),
  isPersonal: false,
  vanishes: false,
  limit: null,
  ...{ newId: newUuid, newSecret: newApiKey, hash: fingerprint, secretMember: 'apiKey' },
  missing: (id) => `There is no API key ${id}.`,
  read: (body, { now, confinement }) => readApiKeyRequest(body, now, confinement),
  async ownerOf(records, { tenantId, identityId }, policy) {
    // A key ends with its owner, so the owner must be a local user: another issuer's users are unknown
    // here.
    if (policy === 'vendor') return identityId;
    if (identityId !== null && (await isEnabled(records, tenantId, identityId))) return identityId;
    throw new ServiceError(
      'forbidden',
      'Only an enabled auth user of this tenant can own an API key.',
      {
        causes: [
          'import the user with /admin/v1/auth-users, or create the key on the command line: cardea api-key create',
        ],
      },
    );
  },
  patch: null,
  eventMembers: (key) => ({ keyId: key.id, scope: apiKeyScope(key) }),
  settable({ name, expires, ownerId, ...key }) {
    return { name, scope: apiKeyScope(key), expires, ownerId };
  },
  view: ({ id, name, created, scope, expires, lastUsed }, owner) => ({
    ...{ id, name, created, scope: apiKeyScope({ scope }), expires, lastUsed, owner },
  }),
};

/** The row of each kind. */
export const CREDENTIAL_RULES: { readonly [K in CredentialKind]: CredentialRules<K> } = {
  ...{ pat: PERSONAL_ACCESS_TOKEN, client: API_CLIENT, key: API_KEY },
};

/** The row of a credential. */
export function rulesOf({ kind }: Pick<Credential, 'kind'>): CredentialRules<CredentialKind> {
  return CREDENTIAL_RULES[kind] as CredentialRules<CredentialKind>;
}

/** The terms of an operator at the command line. */
export function operatorTerms(now: number, confinement: Confinement): Terms {
  return { now, confinement, held: [ALL_SCOPES] };
}

/** The scope of a key as its requests spell it. */
export function apiKeyScope({ scope }: Pick<ApiKey, 'scope'>): ApiKeyScope {
  return scope.includes(PROFILE_SCOPES.manage) ? 'manage' : 'read';
}

function forAll(operation: Operation): CredentialRules<'key'>['rights'] {
  return { readAll: operation, readOwn: operation, manageAll: operation, manageOwn: operation };
}

/** The view that a credential is restricted to, if any, as a member. */
function restriction(view: string | null): { readonly view?: string } {
  return view === null ? {} : { view };
}
