// Access control: one table, read by every use case and printed in the docs. A person needs a level
// and a scope; an API client needs only the scope, where the table admits clients, and an API key
// likewise. Whatever an auth user created may do no more than its owner may do now. ORG_ADMIN passes
// every level check. Who is restricted to a view may do what shows or changes nothing else.
// Invariant: nothing else in the service decides about rights.
import { ServiceError } from '../errors.ts';
import type { Reader, ViewRules } from './caller.ts';
import { type Capability, ORG_ADMIN } from './capabilities.ts';

/** Every operation that needs a right. */
export type Operation =
  | 'auth-user:read'
  | 'auth-user:read-own'
  | 'auth-user:patch'
  | 'search'
  | 'search:count'
  | 'search:aggregate'
  | 'document:get'
  | 'account:read'
  | 'identity:read'
  | 'public-identity:read'
  | 'public-identity:attributes'
  | 'role:read'
  | 'role:holders'
  | 'access-profile:read'
  | 'access-profile:entitlements'
  | 'entitlement:list'
  | 'entitlement:of-account'
  | 'entitlement:read'
  | 'source:list'
  | 'source:read'
  | 'account-activity:read'
  | 'pat:own:read'
  | 'pat:own:manage'
  | 'pat:all:read'
  | 'pat:all:manage'
  | 'session:end-own'
  | 'session:read'
  | 'oauth-client:manage'
  | 'saved-search:read'
  | 'saved-search:manage'
  | 'saved-search:results'
  | 'saved-search:all'
  | 'scheduled-search:read'
  | 'scheduled-search:get'
  | 'scheduled-search:manage'
  | 'scheduled-search:all'
  | 'dashboard:read'
  | 'dashboard:manage'
  | 'dashboard:manage-shared'
  | 'profiles:read'
  | 'profiles:write'
  | 'admin';

/** One row of the table. */
export interface Rule {
  /** Summary of the operation, for the docs. */
  readonly summary: string;
  /** The caller needs one of these; `any` admits every person. */
  readonly levels: readonly Capability[] | 'any';
  /** The token needs one of these, spelt with `sp:` or `cardea:`; `any` admits every token. */
  readonly scopes: readonly string[] | 'any';
  /** Whether API clients, whose tokens belong to no person, are admitted. */
  readonly appTokens: boolean;
  /** Whether API keys of profile management are admitted. */
  readonly apiKeys?: true;
  readonly throughViews: ThroughViews;
}

/**
 * What a caller who is restricted to a view gets. `filtered`: the documents of its view. `whole`:
 * the answer has nothing of documents. `refused`: it could show or change what the view hides.
 */
export type ThroughViews = 'filtered' | 'whole' | 'refused';

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

const READ_SAVED = ['sp:saved-search:read', 'sp:saved-search:manage'];
const READ_SCHEDULED = ['sp:scheduled-search:read', 'sp:scheduled-search:manage'];

/** Scopes of profile management, which no public page names. Managing includes reading. */
export const PROFILE_SCOPES = {
  read: 'cardea:profiles:read',
  manage: 'cardea:profiles:manage',
} as const;

/** The scope of a personal access token that was created without one. */
export const DEFAULT_SCOPE = 'sp:scopes:default';

const ROLE_READERS: readonly Capability[] = ['ORG_ADMIN', 'ROLE_ADMIN', 'ROLE_SUBADMIN'];
const SOURCE_READERS: readonly Capability[] = ['ORG_ADMIN', 'SOURCE_ADMIN', 'SOURCE_SUBADMIN'];
const ACCOUNT_READERS: readonly Capability[] = [...SOURCE_READERS, 'HELPDESK'];
const READ_ROLES = [
  ...['sp:role-unchecked:read', 'sp:role-unchecked:manage'],
  ...['sp:role-checked:read', 'sp:role-checked:manage'],
];
const READ_ACCESS_PROFILES = ['sp:access-profile:read'];
const READ_ENTITLEMENTS = ['sp:entitlement:read', 'sp:entitlement:manage'];
const READ_SOURCES = ['sp:sources:read', 'sp:sources:manage'];

/** Reading what search finds as a list (contract/prose.md section 2). */
function listRule(
  summary: string,
  levels: Rule['levels'],
  scopes: Rule['scopes'],
  appTokens: boolean,
): Rule {
  return { summary, levels, scopes, appTokens, throughViews: 'filtered' };
}

/** The access table (contract/auth-users.md section 3, contract/prose.md section 2). */
export const ACCESS: Readonly<Record<Operation, Rule>> = {
  'auth-user:read': {
    summary: 'Read any auth user',
    levels: ['ORG_ADMIN', 'HELPDESK'],
    scopes: READ_USERS,
    appTokens: false,
    throughViews: 'refused',
  },
  'auth-user:read-own': {
    summary: 'Read your own auth user',
    levels: 'any',
    scopes: READ_USERS,
    appTokens: false,
    throughViews: 'whole',
  },
  'auth-user:patch': {
    summary: 'Change the levels of an auth user',
    levels: ['ORG_ADMIN'],
    scopes: MANAGE_USERS,
    appTokens: false,
    throughViews: 'refused',
  },
  search: {
    summary: 'Search',
    levels: SEARCHERS,
    scopes: SEARCH,
    appTokens: true,
    throughViews: 'filtered',
  },
  'search:count': {
    summary: 'Count what a search finds',
    levels: SEARCHERS,
    scopes: SEARCH,
    appTokens: true,
    throughViews: 'filtered',
  },
  'search:aggregate': {
    summary: 'Aggregate over a search',
    levels: SEARCHERS,
    scopes: SEARCH,
    appTokens: true,
    throughViews: 'filtered',
  },
  'document:get': {
    summary: 'Read one document by id',
    levels: SEARCHERS,
    scopes: SEARCH,
    appTokens: true,
    throughViews: 'filtered',
  },
  'account:read': listRule(
    'List and read accounts, and their entitlements',
    ACCOUNT_READERS,
    ['sp:accounts:read', 'sp:accounts:manage'],
    true,
  ),
  'identity:read': listRule(
    'List and read identities',
    SEARCHERS,
    ['sp:identity:read', 'sp:identity:manage'],
    false,
  ),
  'public-identity:read': listRule('List public identities', 'any', 'any', false),
  'public-identity:attributes': listRule(
    'See the attributes of public identities',
    SEARCHERS,
    'any',
    false,
  ),
  'role:read': listRule(
    'List and read roles, and their entitlements',
    ROLE_READERS,
    READ_ROLES,
    true,
  ),
  'role:holders': listRule('List who has a role', SEARCHERS, READ_ROLES, true),
  'access-profile:read': listRule(
    'List and read access profiles',
    [...ROLE_READERS, 'SOURCE_ADMIN', 'SOURCE_SUBADMIN'],
    READ_ACCESS_PROFILES,
    false,
  ),
  'access-profile:entitlements': listRule(
    'List the entitlements of an access profile',
    SOURCE_READERS,
    READ_ACCESS_PROFILES,
    false,
  ),
  'entitlement:list': listRule('List entitlements', 'any', READ_ENTITLEMENTS, true),
  'entitlement:of-account': listRule(
    'List the entitlements of one account',
    [...SEARCHERS, 'HELPDESK'],
    READ_ENTITLEMENTS,
    true,
  ),
  'entitlement:read': listRule('Read one entitlement', ['ORG_ADMIN'], READ_ENTITLEMENTS, true),
  'source:list': listRule('List sources', [...SOURCE_READERS, 'ROLE_SUBADMIN'], READ_SOURCES, true),
  'source:read': listRule('Read one source', SOURCE_READERS, READ_SOURCES, true),
  'account-activity:read': listRule(
    'List and read account activities',
    SEARCHERS,
    [DEFAULT_SCOPE],
    true,
  ),
  'pat:own:read': {
    summary: 'List your own personal access tokens',
    levels: 'any',
    scopes: [READ_OWN, MANAGE_OWN, READ_ALL, MANAGE_ALL],
    appTokens: false,
    throughViews: 'whole',
  },
  'pat:own:manage': {
    summary: 'Create, change and delete your own personal access tokens',
    levels: 'any',
    scopes: [MANAGE_OWN, MANAGE_ALL],
    appTokens: false,
    throughViews: 'refused',
  },
  'pat:all:read': {
    summary: 'List the personal access tokens of the tenant',
    levels: ['ORG_ADMIN'],
    scopes: [READ_ALL, MANAGE_ALL],
    appTokens: false,
    throughViews: 'refused',
  },
  'pat:all:manage': {
    summary: 'Delete any personal access token of the tenant',
    levels: ['ORG_ADMIN'],
    scopes: [MANAGE_ALL],
    appTokens: false,
    throughViews: 'refused',
  },
  'session:end-own': {
    summary: 'End all your own access tokens',
    levels: 'any',
    scopes: [MANAGE_OWN, MANAGE_ALL],
    appTokens: false,
    throughViews: 'whole',
  },
  'session:read': {
    summary: 'See whom your token belongs to, and its rights',
    levels: 'any',
    scopes: 'any',
    appTokens: true,
    throughViews: 'whole',
  },
  'oauth-client:manage': {
    summary: 'List, read, create, change and delete API clients',
    levels: ['ORG_ADMIN'],
    scopes: ['sp:oauth-client:manage'],
    appTokens: false,
    throughViews: 'refused',
  },
  'saved-search:read': {
    summary: 'List and read your own saved searches, and those that others share',
    levels: SEARCHERS,
    scopes: READ_SAVED,
    appTokens: false,
    throughViews: 'whole',
  },
  'saved-search:manage': {
    summary: 'Create your own saved searches, change, share, execute and delete them',
    levels: SEARCHERS,
    scopes: ['sp:saved-search:manage'],
    appTokens: false,
    throughViews: 'refused',
  },
  'saved-search:results': {
    summary: 'Read what the runs of these saved searches found',
    levels: SEARCHERS,
    scopes: READ_SAVED,
    appTokens: false,
    throughViews: 'refused',
  },
  'saved-search:all': {
    summary: 'The same with those of all owners',
    levels: ['ORG_ADMIN'],
    scopes: READ_SAVED,
    appTokens: false,
    throughViews: 'refused',
  },
  'scheduled-search:read': {
    summary: 'List your own scheduled searches',
    levels: SEARCHERS,
    scopes: READ_SCHEDULED,
    appTokens: false,
    throughViews: 'whole',
  },
  'scheduled-search:get': {
    summary: 'Read your own scheduled search by id, and end your subscription to any',
    levels: 'any',
    scopes: 'any',
    appTokens: false,
    throughViews: 'whole',
  },
  'scheduled-search:manage': {
    summary: 'Create your own scheduled searches, change and delete them',
    levels: SEARCHERS,
    scopes: ['sp:scheduled-search:manage'],
    appTokens: false,
    throughViews: 'refused',
  },
  'scheduled-search:all': {
    summary: 'Read, change and delete the scheduled searches of all owners',
    levels: ['ORG_ADMIN'],
    scopes: 'any',
    appTokens: false,
    throughViews: 'refused',
  },
  'dashboard:read': {
    summary: 'List and read your own dashboards, and those that others share',
    levels: SEARCHERS,
    scopes: READ_SAVED,
    appTokens: false,
    throughViews: 'whole',
  },
  'dashboard:manage': {
    summary: 'Create your own dashboards, change, share and delete them',
    levels: SEARCHERS,
    scopes: ['sp:saved-search:manage'],
    appTokens: false,
    throughViews: 'refused',
  },
  'dashboard:manage-shared': {
    summary: 'Change and delete the dashboards that others share',
    levels: ['ORG_ADMIN'],
    scopes: ['sp:saved-search:manage'],
    appTokens: false,
    throughViews: 'refused',
  },
  'profiles:read': {
    summary: 'Read and search profiles, and all that describes them',
    levels: ['ORG_ADMIN', 'HELPDESK', 'REPORT_ADMIN'],
    scopes: [PROFILE_SCOPES.read, PROFILE_SCOPES.manage],
    appTokens: false,
    apiKeys: true,
    throughViews: 'refused',
  },
  'profiles:write': {
    summary: 'Write profiles, and all that describes them',
    levels: ['ORG_ADMIN'],
    scopes: [PROFILE_SCOPES.manage],
    appTokens: false,
    apiKeys: true,
    throughViews: 'refused',
  },
  admin: {
    summary:
      'Import and delete documents and auth users, list auth users and their changes, disable and sign them out, make and delete API keys, see the state of the service',
    levels: ['ORG_ADMIN'],
    scopes: ['cardea:admin:manage'],
    appTokens: false,
    throughViews: 'refused',
  },
};

/** The scope that grants every operation that the levels allow. */
export const ALL_SCOPES = 'sp:scopes:all';

/**
 * Checks that the caller may perform an operation.
 * @throws ServiceError `forbidden`, with the reason
 */
export function authorize(caller: Rights, operation: Operation): void {
  const refusal = refusalOf(caller, ACCESS[operation]);
  if (refusal !== null) {
    throw new ServiceError('forbidden', 'The token does not grant this operation.', {
      causes: [refusal],
    });
  }
}

/** The members of a caller that decide. */
export type Rights = Pick<Reader, 'identityId' | 'capabilities' | 'scopes' | 'apiKey'> & {
  /** Absent: no owner bounds the caller. */
  readonly ownerCapabilities?: Reader['ownerCapabilities'];
  /** The views in force; null or absent: none. */
  readonly views?: readonly Pick<ViewRules, 'name'>[] | null;
};

/** Whether `authorize` would admit the caller. */
export function mayDo(caller: Rights, operation: Operation): boolean {
  return refusalOf(caller, ACCESS[operation]) === null;
}

/**
 * Returns the requested scopes that a token with the scopes `held` may not pass on to another
 * credential. A scope covers itself in either spelling, and `…:manage` covers `…:read`.
 * `sp:scopes:all` covers every scope.
 */
export function uncoveredScopes(held: readonly string[], requested: readonly string[]): string[] {
  if (hasScope(held, [])) return [];
  const covered = new Set(held.map(canonical));
  return requested.filter((scope) => {
    const name = canonical(scope);
    return !covered.has(name) && !covered.has(name.replace(/:read$/, ':manage'));
  });
}

/**
 * The intersection of two lists of scopes, with the coverage rules of `uncoveredScopes`: of
 * `…:manage` and the matching `…:read` it has the latter. Scopes taken from `scopes` keep their
 * order and spelling, so an equal list is returned unchanged.
 */
export function commonScopes(scopes: readonly string[], others: readonly string[]): string[] {
  if (hasScope(others, [])) return [...scopes];
  if (hasScope(scopes, [])) return [...others];
  const covered = scopes.filter((scope) => uncoveredScopes(others, [scope]).length === 0);
  const coveredNames = new Set(covered.map(canonical));
  const narrower = others.filter(
    (scope) => !coveredNames.has(canonical(scope)) && uncoveredScopes(scopes, [scope]).length === 0,
  );
  return [...covered, ...narrower];
}

/** Every scope that means something here, spelt with `sp:` or `cardea:`. */
const KNOWN_SCOPES: ReadonlySet<string> = new Set([
  ...Object.values(ACCESS).flatMap(({ scopes }) => (scopes === 'any' ? [] : scopes)),
  ...[ALL_SCOPES, DEFAULT_SCOPE],
]);

/**
 * The scopes of a token whose request names some (RFC 6749 section 3.3): of the requested ones
 * those that the credential has, in the spelling of the request, and of a requested `…:manage` the
 * `…:read` that it has instead. Names that are neither known here nor the credential's are left out.
 * @param held scopes of the credential
 * @returns never a scope that was not requested; empty if nothing remains
 */
export function narrowedScopes(held: readonly string[], requested: readonly string[]): string[] {
  if (hasScope(requested, [])) return [...new Set(held)];
  const own = new Set(held.map(canonical));
  const names = [...new Set(requested)].filter((scope) => {
    const name = canonical(scope);
    return own.has(name) || KNOWN_SCOPES.has(name);
  });
  if (hasScope(held, [])) return names;
  const granted = names.flatMap((scope) => {
    const name = canonical(scope);
    if (own.has(name) || own.has(name.replace(/:read$/, ':manage'))) return [scope];
    return own.has(name.replace(/:manage$/, ':read')) ? [scope.replace(/:manage$/, ':read')] : [];
  });
  return [...new Set(granted)];
}

function refusalOf(caller: Rights, rule: Rule): string | null {
  if (caller.apiKey === true) {
    if (rule.apiKeys !== true) return 'This operation needs an access token, not an API key.';
  } else if (caller.identityId === null) {
    if (!rule.appTokens) return 'This operation needs the token of a user, not of an API client.';
  } else if (!hasLevel(caller.capabilities, rule.levels)) {
    return `This operation needs one of the levels ${list(rule.levels)}.`;
  }
  if (caller.ownerCapabilities?.every((levels) => hasLevel(levels, rule.levels)) === false) {
    return `This operation needs one of the levels ${list(rule.levels)}, which the owner of the credential does not have.`;
  }
  if (rule.scopes !== 'any' && !hasScope(caller.scopes, rule.scopes)) {
    const accepted = caller.apiKey === true ? rule.scopes : [...rule.scopes, ALL_SCOPES];
    return `This operation needs one of the scopes ${list(accepted)}.`;
  }
  const { views = null } = caller;
  if (views !== null && rule.throughViews === 'refused') {
    const names = views.map(({ name }) => JSON.stringify(name)).join(', ');
    return `This operation is not available through a view, and you are restricted to ${names}.`;
  }
  return null;
}

function hasLevel(held: readonly string[], required: readonly string[] | 'any'): boolean {
  if (required === 'any' || held.includes(ORG_ADMIN)) return true;
  return held.some((level) => required.includes(level));
}

/** Vendor guides prefix scopes with `idn:`, the specification with `sp:`. */
function canonical(scope: string): string {
  return scope.startsWith('idn:') ? `sp:${scope.slice('idn:'.length)}` : scope;
}

/** Old tokens use `read write` as the scope for everything. */
function hasScope(held: readonly string[], required: readonly string[]): boolean {
  if (held.includes('read') && held.includes('write')) return true;
  return held.some((scope) => {
    const name = canonical(scope);
    return name === ALL_SCOPES || required.includes(name);
  });
}

function list(values: readonly string[] | 'any'): string {
  return values === 'any' ? 'of any user' : values.join(', ');
}
