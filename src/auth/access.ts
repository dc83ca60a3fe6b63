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
  | 'profiles:read'
  | 'profiles:write'
  | 'admin';

/** One row of the table. */
export interface Rule {
  /** What the operation is, for the docs. */
  readonly summary: string;
  /** Any one of these; `any` opens it to every person. */
  readonly levels: readonly Capability[] | 'any';
  /** Any one of these, spelt with `sp:`; `any`: whichever, but not the bare default. */
  readonly scopes: readonly string[] | 'any';
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
  'profiles:read': {
    summary: 'Read and search profiles, and all that describes them',
    levels: ['ORG_ADMIN', 'HELPDESK', 'REPORT_ADMIN'],
    scopes: 'any',
    appTokens: false,
    apiKeys: true,
  },
  'profiles:write': {
    summary: 'Write profiles, and all that describes them',
    levels: ['ORG_ADMIN'],
    scopes: 'any',
    appTokens: false,
    apiKeys: true,
  },
  admin: {
    summary:
      'Import and delete documents and auth users, make and delete API keys, see the state of the service',
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

function refusalOf(caller: Caller, rule: Rule): string | null {
  if (caller.apiKey === true) {
    return rule.apiKeys === true ? null : 'This operation needs an access token, not an API key.';
  }
  if (caller.identityId === null) {
    if (!rule.appTokens) return 'This operation needs the token of a user, not of an API client.';
  } else if (!hasLevel(caller.capabilities, rule.levels)) {
    return `This operation needs one of the levels ${list(rule.levels)}.`;
  }
  if (!hasScope(caller.scopes, rule.scopes)) {
    return rule.scopes === 'any'
      ? `This operation needs a scope besides ${NOTHING}.`
      : `This operation needs one of the scopes ${list([...rule.scopes, EVERYTHING])}.`;
  }
  return null;
}

function hasLevel(held: readonly string[], wanted: readonly string[] | 'any'): boolean {
  if (wanted === 'any' || held.includes(ORG_ADMIN)) return true;
  return held.some((level) => wanted.includes(level));
}

/** Old tokens carry `read write` for everything; guides spell the prefix `idn:`, the specification `sp:`. */
function hasScope(held: readonly string[], wanted: readonly string[] | 'any'): boolean {
  if (held.includes('read') && held.includes('write')) return true;
  return held.some((scope) => {
    const spelt = scope.startsWith('idn:') ? `sp:${scope.slice('idn:'.length)}` : scope;
    if (wanted === 'any') return spelt !== NOTHING;
    return spelt === EVERYTHING || wanted.includes(spelt);
  });
}

function list(values: readonly string[] | 'any'): string {
  return values === 'any' ? 'of any user' : values.join(', ');
}
