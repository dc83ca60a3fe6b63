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
        (level === 'HELPDESK' && operation === 'auth-user:read'),
    );
    assert.deepEqual(opened([level], ['sp:scopes:all']), expected);
  });
}

const SCOPES: readonly (readonly [scopes: string[], expected: Operation[]])[] = [
  [['sp:scopes:all'], OPERATIONS],
  [['idn:scopes:all'], OPERATIONS],
  [['read', 'write'], OPERATIONS],
  [['read'], []],
  [['write'], []],
  [['sp:scopes:default'], []],
  [[], []],
  [['SP:SCOPES:ALL'], []],
  [['sp:auth-user:read'], ['auth-user:read', 'auth-user:read-own']],
  [['idn:auth-user:read'], ['auth-user:read', 'auth-user:read-own']],
  [['sp:auth-user:manage'], ['auth-user:read', 'auth-user:read-own', 'auth-user:patch']],
  [['sp:auth-user:update'], ['auth-user:read', 'auth-user:read-own', 'auth-user:patch']],
  [['sp:search:read'], SEARCH],
  [['sp:my-personal-access-tokens:read'], ['pat:own:read']],
  [['sp:my-personal-access-tokens:manage'], ['pat:own:read', 'pat:own:manage']],
  [['sp:all-personal-access-tokens:read'], ['pat:own:read', 'pat:all:read']],
  [
    ['sp:all-personal-access-tokens:manage'],
    ['pat:own:read', 'pat:own:manage', 'pat:all:read', 'pat:all:manage'],
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

test('a scope never widens a level, nor a level a scope', () => {
  assert.deepEqual(opened(['HELPDESK'], ['sp:search:read']), []);
  assert.deepEqual(opened(['CERT_ADMIN'], ['sp:auth-user:read']), ['auth-user:read-own']);
});

test('rights are the union over the levels held', () => {
  const both = opened(['HELPDESK', 'CERT_ADMIN'], ['sp:scopes:all']);
  assert.deepEqual(both.sort(), ['auth-user:read', ...FOR_ANYBODY, ...SEARCH].sort());
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
