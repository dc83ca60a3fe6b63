// The access table, tested for every level, for scopes in each spelling, and for API clients.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import {
  ACCESS,
  authorize,
  commonScopes,
  mayDo,
  narrowedScopes,
  type Operation,
  uncoveredScopes,
} from './access.ts';
import type { Caller } from './caller.ts';
import { CAPABILITIES, isKnownCapability } from './capabilities.ts';

const OPERATIONS = Object.keys(ACCESS) as Operation[];

function caller(capabilities: readonly string[], scopes: readonly string[], app = false): Caller {
  return {
    tenantId: 't',
    views: null,
    current: async () => caller(capabilities, scopes, app),
    ownerCapabilities: [],
    identityId: app ? null : 'i',
    userName: app ? null : 'ada',
    clientId: 'c',
    scopes,
    capabilities,
    personalTokenId: null,
    credentialEnds: Number.POSITIVE_INFINITY,
    tokenId: 'j',
  };
}

const allowed = (...args: Parameters<typeof caller>) =>
  OPERATIONS.filter((operation) => mayDo(caller(...args), operation));

const PROFILES: Operation[] = ['profiles:read', 'profiles:write'];
const FOR_ANY_USER: Operation[] = [
  ...(['auth-user:read-own', 'pat:own:read', 'pat:own:manage', 'session:end-own'] as const),
  ...(['session:read', 'scheduled-search:get'] as const),
  ...(['public-identity:read', 'entitlement:list'] as const),
];
/** Those of a user that need no scope. */
const FOR_ANY_SCOPE: Operation[] = [
  ...(['session:read', 'scheduled-search:get', 'public-identity:read'] as const),
];
const FOR_ANY_TOKEN: Operation[] = [
  ...FOR_ANY_SCOPE,
  ...(['scheduled-search:all', 'public-identity:attributes'] as const),
];
const SAVED: Operation[] = [
  ...(['saved-search:read', 'saved-search:manage', 'saved-search:results'] as const),
  ...(['scheduled-search:read', 'scheduled-search:manage'] as const),
  ...(['dashboard:read', 'dashboard:manage'] as const),
];
const SEARCH: Operation[] = ['search', 'search:count', 'search:aggregate', 'document:get'];
const ENTITLEMENTS: Operation[] = [
  ...(['entitlement:list', 'entitlement:of-account', 'entitlement:read'] as const),
];
const ROLES: Operation[] = ['role:read', 'role:holders'];
const ACCESS_PROFILES: Operation[] = ['access-profile:read', 'access-profile:entitlements'];
const SOURCES: Operation[] = ['source:list', 'source:read'];
/** The lists that API clients may read, too. */
const LISTS_FOR_CLIENTS: Operation[] = [
  ...(['account:read', 'account-activity:read'] as const),
  ...[...ENTITLEMENTS, ...ROLES, ...SOURCES],
];
const LISTS: Operation[] = [
  ...[...LISTS_FOR_CLIENTS, ...ACCESS_PROFILES],
  ...(['identity:read', 'public-identity:read', 'public-identity:attributes'] as const),
];
/** What every level that may search may list. */
const LISTS_OF_SEARCHERS: Operation[] = [
  ...(['identity:read', 'public-identity:attributes', 'role:holders'] as const),
  ...(['entitlement:of-account', 'account-activity:read'] as const),
];
/** What single levels may list besides. */
const LISTS_OF_LEVELS: Readonly<Record<string, readonly Operation[]>> = {
  HELPDESK: ['account:read', 'entitlement:of-account'],
  ROLE_ADMIN: ['role:read', 'access-profile:read'],
  ROLE_SUBADMIN: ['role:read', 'access-profile:read', 'source:list'],
  SOURCE_ADMIN: ['account:read', ...ACCESS_PROFILES, ...SOURCES],
  SOURCE_SUBADMIN: ['account:read', ...ACCESS_PROFILES, ...SOURCES],
};
/** What `sp:scopes:default` opens. */
const BY_DEFAULT: Operation[] = ['account-activity:read'];
const SEARCHERS = [
  'CERT_ADMIN',
  'REPORT_ADMIN',
  'ROLE_ADMIN',
  'ROLE_SUBADMIN',
  'SOURCE_ADMIN',
  'SOURCE_SUBADMIN',
];

for (const level of CAPABILITIES) {
  test(`${level} allows exactly its operations`, () => {
    const expected = OPERATIONS.filter(
      (operation) =>
        level === 'ORG_ADMIN' ||
        FOR_ANY_USER.includes(operation) ||
        (SEARCHERS.includes(level) &&
          [...SEARCH, ...LISTS_OF_SEARCHERS, ...SAVED].includes(operation)) ||
        LISTS_OF_LEVELS[level]?.includes(operation) === true ||
        (level === 'HELPDESK' && operation === 'auth-user:read') ||
        (['HELPDESK', 'REPORT_ADMIN'].includes(level) && operation === 'profiles:read'),
    );
    assert.deepEqual(allowed([level], ['sp:scopes:all']), expected);
  });
}

const SCOPES: readonly (readonly [scopes: string[], expected: Operation[]])[] = [
  [['sp:scopes:all'], OPERATIONS],
  [['idn:scopes:all'], OPERATIONS],
  [['read', 'write'], OPERATIONS],
  [['read'], []],
  [['write'], []],
  [['sp:scopes:default'], BY_DEFAULT],
  [[], []],
  [['idn:scopes:default'], BY_DEFAULT],
  [['SP:SCOPES:ALL'], []],
  [['sp:scopes:default', 'x'], BY_DEFAULT],
  [['sp:auth-user:read'], ['auth-user:read', 'auth-user:read-own']],
  [['idn:auth-user:read'], ['auth-user:read', 'auth-user:read-own']],
  [['sp:auth-user:manage'], ['auth-user:read', 'auth-user:read-own', 'auth-user:patch']],
  [['sp:auth-user:update'], ['auth-user:read', 'auth-user:read-own', 'auth-user:patch']],
  [['sp:search:read'], SEARCH],
  [['idn:accounts:read'], ['account:read']],
  [['idn:accounts:manage'], ['account:read']],
  [['idn:identity:read'], ['identity:read']],
  [['idn:identity:manage'], ['identity:read']],
  [['idn:role-unchecked:read'], ROLES],
  [['idn:role-unchecked:manage'], ROLES],
  [['idn:role-checked:read'], ROLES],
  [['idn:role-checked:manage'], ROLES],
  [['idn:access-profile:read'], ACCESS_PROFILES],
  [['idn:entitlement:read'], ENTITLEMENTS],
  [['idn:entitlement:manage'], ENTITLEMENTS],
  [['idn:sources:read'], SOURCES],
  [['idn:sources:manage'], SOURCES],
  [['sp:my-personal-access-tokens:read'], ['pat:own:read']],
  [['sp:my-personal-access-tokens:manage'], ['pat:own:read', 'pat:own:manage', 'session:end-own']],
  [['sp:all-personal-access-tokens:read'], ['pat:own:read', 'pat:all:read']],
  [
    ['sp:all-personal-access-tokens:manage'],
    ['pat:own:read', 'pat:own:manage', 'pat:all:read', 'pat:all:manage', 'session:end-own'],
  ],
  [['sp:oauth-client:manage'], ['oauth-client:manage']],
  [
    ['sp:saved-search:read'],
    ['saved-search:read', 'saved-search:results', 'saved-search:all', 'dashboard:read'],
  ],
  [
    ['idn:saved-search:manage'],
    [
      ...(['saved-search:read', 'saved-search:manage', 'saved-search:results'] as const),
      'saved-search:all',
      ...(['dashboard:read', 'dashboard:manage', 'dashboard:manage-shared'] as const),
    ],
  ],
  [['sp:scheduled-search:read'], ['scheduled-search:read']],
  [['sp:scheduled-search:manage'], ['scheduled-search:read', 'scheduled-search:manage']],
  [['cardea:admin:manage'], ['admin']],
  [['cardea:profiles:read'], ['profiles:read']],
  [['cardea:profiles:manage'], PROFILES],
];

const BEYOND: readonly (readonly [held: string[], requested: string[], beyond: string[]])[] = [
  [['sp:scopes:all'], ['sp:search:read', 'sp:scopes:all', 'x'], []],
  [['idn:scopes:all'], ['sp:scopes:all'], []],
  [['read', 'write'], ['sp:scopes:all', 'read'], []],
  [['read'], ['read', 'write'], ['write']],
  [['sp:search:read'], ['sp:search:read', 'idn:search:read'], []],
  [['sp:search:read'], ['sp:scopes:default'], ['sp:scopes:default']],
  [['idn:search:read'], ['sp:search:read'], []],
  [['sp:search:read'], ['sp:scopes:all'], ['sp:scopes:all']],
  [
    ['sp:search:read'],
    ['SP:SEARCH:READ', 'sp:search:read '],
    ['SP:SEARCH:READ', 'sp:search:read '],
  ],
  [['sp:oauth-client:manage'], ['sp:search:read', 'x'], ['sp:search:read', 'x']],
  [['sp:scopes:default'], ['sp:search:read'], ['sp:search:read']],
  [['sp:auth-user:manage'], ['sp:auth-user:read', 'idn:auth-user:read'], []],
  [['sp:auth-user:read'], ['sp:auth-user:manage'], ['sp:auth-user:manage']],
  [['x:manage'], ['x:readable'], ['x:readable']],
  [['idn:scopes:default'], ['sp:scopes:default'], []],
  [[], ['sp:scopes:default'], ['sp:scopes:default']],
  [[], ['x'], ['x']],
];
for (const [held, requested, beyond] of BEYOND) {
  test(`a token with the scopes "${held.join(' ')}" cannot pass on "${beyond.join(' ')}" of "${requested.join(' ')}"`, () => {
    assert.deepEqual(uncoveredScopes(held, requested), beyond);
  });
}

const COMMON: readonly (readonly [scopes: string[], others: string[], common: string[]])[] = [
  [['sp:search:read', 'x'], ['sp:scopes:all'], ['sp:search:read', 'x']],
  [['sp:scopes:all'], ['sp:search:read', 'x'], ['sp:search:read', 'x']],
  [['sp:scopes:all'], ['read', 'write'], ['sp:scopes:all']],
  [['read', 'write'], ['read'], ['read']],
  [['read', 'x'], ['write', 'x'], ['x']],
  [['x:manage', 'y'], ['x:read'], ['x:read']],
  [['x:read'], ['x:manage', 'y'], ['x:read']],
  [['x:manage', 'x:read'], ['x:read'], ['x:read']],
  [['idn:search:read'], ['sp:search:read'], ['idn:search:read']],
  [
    ['sp:search:read', 'x'],
    ['x', 'sp:search:read'],
    ['sp:search:read', 'x'],
  ],
  [['sp:search:read'], ['sp:oauth-client:manage'], []],
  [['sp:search:read'], [], []],
  [[], ['sp:scopes:all'], []],
];
for (const [scopes, others, common] of COMMON) {
  test(`"${scopes.join(' ')}" and "${others.join(' ')}" have "${common.join(' ')}" in common`, () => {
    assert.deepEqual(commonScopes(scopes, others), common);
  });
}

const ALL = ['sp:scopes:all'];
const NARROWED: readonly (readonly [held: string[], requested: string[], granted: string[]])[] = [
  [ALL, ['sp:search:read'], ['sp:search:read']],
  [ALL, ['idn:search:read'], ['idn:search:read']],
  [ALL, ALL, ALL],
  [ALL, ['read', 'write'], ALL],
  [ALL, ['sp:search:read', 'sp:weather:read', 'openid'], ['sp:search:read']],
  [ALL, ['sp:weather:read'], []],
  [ALL, ['SP:SEARCH:READ'], []],
  [ALL, ['sp:scopes:default'], ['sp:scopes:default']],
  [['read', 'write'], ['sp:search:read', 'sp:search:read'], ['sp:search:read']],
  [['sp:search:read'], ALL, ['sp:search:read']],
  [['sp:search:read', 'sp:auth-user:read'], ['sp:search:read'], ['sp:search:read']],
  [['idn:search:read'], ['sp:search:read'], ['sp:search:read']],
  [['sp:search:read'], ['sp:auth-user:manage'], []],
  [['sp:search:read'], ['sp:scopes:default'], []],
  [['sp:search:read', 'sp:scopes:default'], ['sp:search:read'], ['sp:search:read']],
  [['sp:saved-search:manage'], ['sp:saved-search:read'], ['sp:saved-search:read']],
  [['sp:saved-search:read'], ['idn:saved-search:manage'], ['idn:saved-search:read']],
  [
    ['sp:saved-search:read'],
    ['sp:saved-search:read', 'sp:saved-search:manage'],
    ['sp:saved-search:read'],
  ],
  [['idn:weather:read'], ['idn:weather:read'], ['idn:weather:read']],
  [[], ['sp:search:read'], []],
];
for (const [held, requested, granted] of NARROWED) {
  test(`of "${held.join(' ')}" a request for "${requested.join(' ')}" gets "${granted.join(' ')}"`, () => {
    assert.deepEqual(narrowedScopes(held, requested), granted);
  });
}

for (const [scopes, expected] of SCOPES) {
  test(`an administrator with the scopes "${scopes.join(' ')}" may use exactly their operations`, () => {
    const all = OPERATIONS.filter((each) => [...expected, ...FOR_ANY_TOKEN].includes(each));
    assert.deepEqual(allowed(['ORG_ADMIN'], scopes), all);
  });
}

test('an API client may search and read most lists, but not use operations of a person', () => {
  const forClients: Operation[] = [...SEARCH, ...LISTS_FOR_CLIENTS, 'session:read'];
  for (const levels of [[], ['ORG_ADMIN']]) {
    assert.deepEqual(allowed(levels, ['sp:scopes:all'], true).sort(), forClients.sort());
  }
  assert.deepEqual(allowed([], ['sp:auth-user:read'], true), ['session:read']);
});

test('an API key allows profile management within its scope, and nothing else', () => {
  const allowedForKey = (scope: string) => {
    const key = { ...caller(['ORG_ADMIN'], [scope], true), apiKey: true } as const;
    return OPERATIONS.filter((operation) => mayDo(key, operation));
  };
  assert.deepEqual(allowedForKey('cardea:profiles:manage'), PROFILES);
  assert.deepEqual(allowedForKey('cardea:profiles:read'), ['profiles:read']);
  assert.deepEqual(allowedForKey('sp:scopes:all'), PROFILES);
  assert.deepEqual(allowedForKey('sp:search:read'), []);
});

test('a manage scope allows all that the matching read scope allows', () => {
  const allScopes = new Set(Object.values(ACCESS).flatMap(({ scopes }) => scopes));
  for (const { scopes } of Object.values(ACCESS)) {
    if (scopes === 'any') continue;
    for (const scope of scopes.filter((one) => one.endsWith(':read'))) {
      const manage = scope.replace(/:read$/, ':manage');
      assert.equal(scopes.includes(manage), allScopes.has(manage), scope);
    }
  }
});

test('a refusal names the levels that the operation needs', () => {
  const refused = OPERATIONS.filter((operation) => !FOR_ANY_USER.includes(operation));
  for (const operation of refused) {
    assert.throws(
      () => authorize(caller([], ['sp:scopes:all']), operation),
      (fault) =>
        fault instanceof ServiceError &&
        fault.code === 'forbidden' &&
        /needs one of the levels .*ORG_ADMIN/.test(String(fault.details.causes)),
      operation,
    );
  }
});

test('an operation needs both its level and its scope', () => {
  const allowedBeyond = (level: string, scope: string) =>
    allowed([level], [scope]).filter((operation) => !FOR_ANY_TOKEN.includes(operation));
  assert.deepEqual(allowedBeyond('HELPDESK', 'sp:search:read'), []);
  assert.deepEqual(allowedBeyond('HELPDESK', 'cardea:profiles:manage'), ['profiles:read']);
  assert.deepEqual(allowedBeyond('CERT_ADMIN', 'sp:auth-user:read'), ['auth-user:read-own']);
  assert.deepEqual(allowed(['HELPDESK'], []).sort(), [...FOR_ANY_SCOPE].sort());
});

test('rights are the union of all levels of the user', () => {
  const both = allowed(['HELPDESK', 'CERT_ADMIN'], ['sp:scopes:all']);
  const expected: Operation[] = ['auth-user:read', 'profiles:read', ...FOR_ANY_USER, ...SAVED];
  expected.push(...SEARCH, ...LISTS_OF_SEARCHERS, 'account:read');
  assert.deepEqual(both.sort(), expected.sort());
});

test('a refusal names the missing level, scope or token type', () => {
  const refusals: [Caller, RegExp][] = [
    [caller([], ['sp:scopes:all']), /levels ORG_ADMIN/],
    [caller(['ORG_ADMIN'], []), /scopes sp:auth-user:manage/],
    [caller([], ['sp:scopes:all'], true), /API client/],
  ];
  for (const [who, reason] of refusals) {
    assert.throws(
      () => authorize(who, 'auth-user:patch'),
      (error: unknown) =>
        error instanceof ServiceError &&
        error.code === 'forbidden' &&
        reason.test(error.details.causes?.[0] ?? ''),
    );
  }
});

test('matches levels by exact spelling', () => {
  assert.ok(isKnownCapability('das:ui-auditor'));
  assert.ok(!isKnownCapability('org_admin'));
  assert.ok(!isKnownCapability('constructor'));
  assert.ok(!isKnownCapability('own-level'));
});

const THROUGH_VIEWS: Operation[] = [
  ...(['auth-user:read-own', 'pat:own:read', 'session:end-own', 'session:read'] as const),
  ...(['saved-search:read', 'scheduled-search:read', 'scheduled-search:get'] as const),
  ...(['dashboard:read', ...SEARCH, ...LISTS] as const),
];

test('who is restricted to a view may read documents, and what tells nothing of them', () => {
  const views = [{ name: 'sales', indices: {}, hide: [] }];
  const restricted = { ...caller(['ORG_ADMIN'], ['sp:scopes:all']), views };
  const may = OPERATIONS.filter((operation) => mayDo(restricted, operation));
  assert.deepEqual(may.sort(), [...THROUGH_VIEWS].sort());
  for (const operation of OPERATIONS.filter((one) => !THROUGH_VIEWS.includes(one))) {
    assert.throws(
      () => authorize(restricted, operation),
      (fault) =>
        fault instanceof ServiceError &&
        fault.code === 'forbidden' &&
        /not available through a view, and you are restricted to "sales"/.test(
          String(fault.details.causes),
        ),
      operation,
    );
  }
});

const OWNERS: readonly (readonly [
  what: string,
  operation: Operation,
  owners: readonly (readonly string[])[],
  allowed: boolean,
])[] = [
  ['no owner', 'search', [], true],
  ['an administrator', 'search', [['ORG_ADMIN']], true],
  ['somebody who may search', 'search', [['REPORT_ADMIN']], true],
  ['somebody who may not', 'search', [['HELPDESK']], false],
  ['somebody without levels', 'search', [[]], false],
  ['two people, of whom one may not', 'search', [['ORG_ADMIN'], []], false],
  ['somebody without levels', 'session:read', [[]], true],
];
for (const [what, operation, ownerCapabilities, isAllowed] of OWNERS) {
  test(`${isAllowed ? 'allows' : 'refuses'} "${operation}" to a client that depends on ${what}`, () => {
    const client = { ...caller([], ['sp:scopes:all'], true), ownerCapabilities };
    assert.equal(mayDo(client, operation), isAllowed);
  });
}
