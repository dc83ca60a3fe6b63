// Who may do what: one table, read by every use case and printed in the docs. A person needs a level and a scope,
// an API client only the scope, and only where the table lets it in. ORG_ADMIN passes every level check.
// Invariant: nothing else in the service decides about rights.
import { ServiceError } from '../errors.ts';
import type { Caller } from './caller.ts';
import { type Capability, ORG_ADMIN } from './capabilities.ts';

/** Everything that needs a right. */
export type Operation =
  | 'auth-user:read'
  | 'auth-user:read-own'
  | 'auth-user:patch'
  | 'search'
  | 'search:count'
  | 'search:aggregate'
  | 'document:get'
  | 'pat:own:read'
  | 'pat:own:manage'
  | 'pat:all:read'
  | 'pat:all:manage'
  | 'session:end-own'
  | 'oauth-client:manage'
  | 'profiles:read'
  | 'profiles:write'
  | 'admin';

/** One row of the table. */
export interface Rule {
  /** What the operation is, for the docs. */
  readonly summary: string;
  /** Any one of these; `any` opens it to every person. */
  readonly levels: readonly Capability[] | 'any';
  /** Any one of these, spelt with `sp:` or `cardea:`. */
  readonly scopes: readonly string[];
  /** Whether a token without a person behind it is let in. */
  readonly appTokens: boolean;
  /** Whether an API key of profile management is let in. */
  readonly apiKeys?: true;
}

const SEARCHERS: readonly Capability[] = [
  'ORG_ADMIN',
  'CERT_ADMIN',
  'REPORT_ADMIN',
  'SOURCE_ADMIN',
  'SOURCE_SUBADMIN',
  'ROLE_ADMIN',
  'ROLE_SUBADMIN',
];
const READ_USERS = ['sp:auth-user:read', 'sp:auth-user:manage', 'sp:auth-user:update'];
const MANAGE_USERS = ['sp:auth-user:manage', 'sp:auth-user:update'];
const SEARCH = ['sp:search:read'];
const MANAGE_ALL = 'sp:all-personal-access-tokens:manage';
const READ_ALL = 'sp:all-personal-access-tokens:read';
const MANAGE_OWN = 'sp:my-personal-access-tokens:manage';
const READ_OWN = 'sp:my-personal-access-tokens:read';

/** Scopes of profile management: no public page names any. Reading is apart from writing, and writing includes it. */
export const PROFILE_SCOPES = {
  read: 'cardea:profiles:read',
  manage: 'cardea:profiles:manage',
} as const;

/** The table (contract/auth-users.md section 3). */
export const ACCESS: Readonly<Record<Operation, Rule>> = {
  'auth-user:read': {
    summary: 'Read any auth user',
    levels: ['ORG_ADMIN', 'HELPDESK'],
    scopes: READ_USERS,
    appTokens: false,
  },
  'auth-user:read-own': {
    summary: 'Read your own auth user',
    levels: 'any',
    scopes: READ_USERS,
    appTokens: false,
  },
  'auth-user:patch': {
    summary: 'Change the levels of an auth user',
    levels: ['ORG_ADMIN'],
    scopes: MANAGE_USERS,
    appTokens: false,
  },
  search: { summary: 'Search', levels: SEARCHERS, scopes: SEARCH, appTokens: true },
  'search:count': {
    summary: 'Count what a search finds',
    levels: SEARCHERS,
    scopes: SEARCH,
    appTokens: true,
  },
  'search:aggregate': {
    summary: 'Aggregate over a search',
    levels: SEARCHERS,
    scopes: SEARCH,
    appTokens: true,
  },
  'document:get': {
    summary: 'Read one document by id',
    levels: SEARCHERS,
    scopes: SEARCH,
    appTokens: true,
  },
  'pat:own:read': {
    summary: 'List your own personal access tokens',
    levels: 'any',
    scopes: [READ_OWN, MANAGE_OWN, READ_ALL, MANAGE_ALL],
    appTokens: false,
  },
  'pat:own:manage': {
    summary: 'Create, change and delete your own personal access tokens',
    levels: 'any',
    scopes: [MANAGE_OWN, MANAGE_ALL],
    appTokens: false,
  },
  'pat:all:read': {
    summary: 'List the personal access tokens of the tenant',
    levels: ['ORG_ADMIN'],
    scopes: [READ_ALL, MANAGE_ALL],
    appTokens: false,
  },
  'pat:all:manage': {
    summary: 'Delete any personal access token of the tenant',
    levels: ['ORG_ADMIN'],
    scopes: [MANAGE_ALL],
    appTokens: false,
  },
  'session:end-own': {
    summary: 'End all your own access tokens',
    levels: 'any',
    scopes: [MANAGE_OWN, MANAGE_ALL],
    appTokens: false,
  },
  'oauth-client:manage': {
    summary: 'List, read, create, change and delete API clients',
    levels: ['ORG_ADMIN'],
    scopes: ['sp:oauth-client:manage'],
    appTokens: false,
  },
  'profiles:read': {
    summary: 'Read and search profiles, and all that describes them',
    levels: ['ORG_ADMIN', 'HELPDESK', 'REPORT_ADMIN'],
    scopes: [PROFILE_SCOPES.read, PROFILE_SCOPES.manage],
    appTokens: false,
    apiKeys: true,
  },
  'profiles:write': {
    summary: 'Write profiles, and all that describes them',
    levels: ['ORG_ADMIN'],
    scopes: [PROFILE_SCOPES.manage],
    appTokens: false,
    apiKeys: true,
  },
  admin: {
    summary:
      'Import and delete documents and auth users, disable and sign out auth users, make and delete API keys, see the state of the service',
    levels: ['ORG_ADMIN'],
    scopes: ['cardea:admin:manage'],
    appTokens: false,
  },
};

/** Opens everything the levels open. */
const EVERYTHING = 'sp:scopes:all';
/** What a token has that asked for nothing. */
const NOTHING = 'sp:scopes:default';

/**
 * Lets the caller pass or says why not.
 * @throws ServiceError `forbidden`
 */
export function authorize(caller: Caller, operation: Operation): void {
  const refusal = refusalOf(caller, ACCESS[operation]);
  if (refusal !== null) {
    throw new ServiceError('forbidden', 'The token does not grant this operation.', {
      causes: [refusal],
    });
  }
}

/** Whether `authorize` would let the caller pass. */
export function mayDo(caller: Caller, operation: Operation): boolean {
  return refusalOf(caller, ACCESS[operation]) === null;
}

/**
 * The scopes that a token with the scopes `held` may not hand on to another credential. A scope is covered by itself in
 * either spelling and `…:read` by `…:manage`; a token that opens everything covers all, and `sp:scopes:default` opens nothing.
 */
export function scopesBeyond(held: readonly string[], requested: readonly string[]): string[] {
  if (hasScope(held, [])) return [];
  const covered = new Set([...held.map(canonical), NOTHING]);
  return requested.filter((scope) => {
    const spelt = canonical(scope);
    return !covered.has(spelt) && !covered.has(spelt.replace(/:read$/, ':manage'));
  });
}

/**
 * The scopes that two lists have in common, covering as in `scopesBeyond`: of a `…:manage` and the `…:read` of the same it is
 * the latter. What `scopes` has in common keeps its order and spelling, so an equal list comes back as it is.
 */
export function commonScopes(scopes: readonly string[], others: readonly string[]): string[] {
  if (hasScope(others, [])) return [...scopes];
  if (hasScope(scopes, [])) return [...others];
  const kept = scopes.filter((scope) => scopesBeyond(others, [scope]).length === 0);
  const spelt = new Set(kept.map(canonical));
  const narrower = others.filter(
    (scope) => !spelt.has(canonical(scope)) && scopesBeyond(scopes, [scope]).length === 0,
  );
  return [...kept, ...narrower];
}

function refusalOf(caller: Caller, rule: Rule): string | null {
  if (caller.apiKey === true) {
    if (rule.apiKeys !== true) return 'This operation needs an access token, not an API key.';
  } else if (caller.identityId === null) {
    if (!rule.appTokens) return 'This operation needs the token of a user, not of an API client.';
  } else if (!hasLevel(caller.capabilities, rule.levels)) {
    return `This operation needs one of the levels ${list(rule.levels)}.`;
  }
  if (!hasScope(caller.scopes, rule.scopes)) {
    const enough = caller.apiKey === true ? rule.scopes : [...rule.scopes, EVERYTHING];
    return `This operation needs one of the scopes ${list(enough)}.`;
  }
  return null;
}

function hasLevel(held: readonly string[], wanted: readonly string[] | 'any'): boolean {
  if (wanted === 'any' || held.includes(ORG_ADMIN)) return true;
  return held.some((level) => wanted.includes(level));
}

/** Guides spell the prefix of scopes `idn:`, the specification spells it `sp:`. */
function canonical(scope: string): string {
  return scope.startsWith('idn:') ? `sp:${scope.slice('idn:'.length)}` : scope;
}

/** Old tokens carry `read write` for everything. */
function hasScope(held: readonly string[], wanted: readonly string[]): boolean {
  if (held.includes('read') && held.includes('write')) return true;
  return held.some((scope) => {
    const spelt = canonical(scope);
    return spelt === EVERYTHING || wanted.includes(spelt);
  });
}

function list(values: readonly string[] | 'any'): string {
  return values === 'any' ? 'of any user' : values.join(', ');
}
