// The table of who may what, tried for every level, for scopes in each spelling, and for API clients.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { ACCESS, authorize, mayDo, type Operation } from './access.ts';
import type { Caller } from './caller.ts';
import { CAPABILITIES, isKnownCapability } from './capabilities.ts';

const OPERATIONS = Object.keys(ACCESS) as Operation[];

function caller(capabilities: readonly string[], scopes: readonly string[], app = false): Caller {
  return {
    tenantId: 't',
    identityId: app ? null : 'i',
    userName: app ? null : 'ada',
    clientId: 'c',
    scopes,
    capabilities,
    tokenId: 'j',
  };
}

const opened = (...args: Parameters<typeof caller>) =>
  OPERATIONS.filter((operation) => mayDo(caller(...args), operation));

const PROFILES: Operation[] = ['profiles:read', 'profiles:write'];
const FOR_ANYBODY: Operation[] = ['auth-user:read-own', 'pat:own:read', 'pat:own:manage'];
const SEARCH: Operation[] = ['search', 'search:count', 'search:aggregate', 'document:get'];
const SEARCHERS = [
  'CERT_ADMIN',
  'REPORT_ADMIN',
  'ROLE_ADMIN',
  'ROLE_SUBADMIN',
  'SOURCE_ADMIN',
  'SOURCE_SUBADMIN',
];

for (const level of CAPABILITIES) {
  test(`what ${level} opens`, () => {
    const expected = OPERATIONS.filter(
      (operation) =>
        level === 'ORG_ADMIN' ||
        FOR_ANYBODY.includes(operation) ||
        (SEARCHERS.includes(level) && SEARCH.includes(operation)) ||
        (level === 'HELPDESK' && operation === 'auth-user:read') ||
        (['HELPDESK', 'REPORT_ADMIN'].includes(level) && operation === 'profiles:read'),
    );
    assert.deepEqual(opened([level], ['sp:scopes:all']), expected);
  });
}

const SCOPES: readonly (readonly [scopes: string[], expected: Operation[]])[] = [
  [['sp:scopes:all'], OPERATIONS],
  [['idn:scopes:all'], OPERATIONS],
  [['read', 'write'], OPERATIONS],
  [['read'], PROFILES],
  [['write'], PROFILES],
  [['sp:scopes:default'], []],
  [[], []],
  [['idn:scopes:default'], []],
  [['SP:SCOPES:ALL'], PROFILES],
  [['sp:scopes:default', 'x'], PROFILES],
  [['sp:auth-user:read'], ['auth-user:read', 'auth-user:read-own', ...PROFILES]],
  [['idn:auth-user:read'], ['auth-user:read', 'auth-user:read-own', ...PROFILES]],
  [
    ['sp:auth-user:manage'],
    ['auth-user:read', 'auth-user:read-own', 'auth-user:patch', ...PROFILES],
  ],
  [
    ['sp:auth-user:update'],
    ['auth-user:read', 'auth-user:read-own', 'auth-user:patch', ...PROFILES],
  ],
  [['sp:search:read'], [...SEARCH, ...PROFILES]],
  [['sp:my-personal-access-tokens:read'], ['pat:own:read', ...PROFILES]],
  [['sp:my-personal-access-tokens:manage'], ['pat:own:read', 'pat:own:manage', ...PROFILES]],
  [['sp:all-personal-access-tokens:read'], ['pat:own:read', 'pat:all:read', ...PROFILES]],
  [
    ['sp:all-personal-access-tokens:manage'],
    ['pat:own:read', 'pat:own:manage', 'pat:all:read', 'pat:all:manage', ...PROFILES],
  ],
];

for (const [scopes, expected] of SCOPES) {
  test(`an administrator with the scopes "${scopes.join(' ')}"`, () => {
    assert.deepEqual(opened(['ORG_ADMIN'], scopes), expected);
  });
}

test('an API client may search, and nothing that belongs to a person', () => {
  assert.deepEqual(opened([], ['sp:scopes:all'], true), SEARCH);
  assert.deepEqual(opened(['ORG_ADMIN'], ['sp:scopes:all'], true), SEARCH);
  assert.deepEqual(opened([], ['sp:auth-user:read'], true), []);
});

test('an API key opens profile management, whatever it is said to hold', () => {
  const key = { ...caller(['ORG_ADMIN'], ['sp:scopes:all'], true), apiKey: true } as const;
  assert.deepEqual(
    OPERATIONS.filter((operation) => mayDo(key, operation)),
    PROFILES,
  );
  assert.throws(() => authorize(key, 'search'), /./);
});

test('a scope never widens a level, nor a level a scope', () => {
  assert.deepEqual(opened(['HELPDESK'], ['sp:search:read']), ['profiles:read']);
  assert.deepEqual(opened(['CERT_ADMIN'], ['sp:auth-user:read']), ['auth-user:read-own']);
});

test('rights are the union over the levels held', () => {
  const both = opened(['HELPDESK', 'CERT_ADMIN'], ['sp:scopes:all']);
  const expected: Operation[] = ['auth-user:read', 'profiles:read', ...FOR_ANYBODY, ...SEARCH];
  assert.deepEqual(both.sort(), expected.sort());
});

test('a refusal says which test failed', () => {
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

test('a level is known by its exact spelling, or as one of the tenant', () => {
  assert.ok(isKnownCapability('das:ui-auditor'));
  assert.ok(!isKnownCapability('org_admin'));
  assert.ok(!isKnownCapability('constructor'));
  assert.ok(!isKnownCapability('own-level'));
  assert.ok(isKnownCapability('own-level', ['own-level']));
});
