// Which operations the console offers, by levels, scopes and views.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayUser } from './rights.ts';

const scopes = ['sp:scopes:all'];
const USER = { identityId: 'i1', levels: [] as string[], scopes, views: [] as string[] };
const THROUGH_A_VIEW = { ...USER, levels: ['ORG_ADMIN'], views: ['sales'] };
const CLIENT = { ...USER, identityId: null };

for (const [name, person, operation, may] of [
  ['nobody', null, 'search', false],
  ['a user without levels', USER, 'search', false],
  ['a user without levels', USER, 'pat:own:read', true],
  ['a reporter', { ...USER, levels: ['REPORT_ADMIN'] }, 'search', true],
  ['a reporter', { ...USER, levels: ['REPORT_ADMIN'] }, 'admin', false],
  ['an administrator', { ...USER, levels: ['ORG_ADMIN'] }, 'oauth-client:manage', true],
  [
    'an administrator with a token for saved searches alone',
    { ...USER, levels: ['ORG_ADMIN'], scopes: ['sp:saved-search:read'] },
    'oauth-client:manage',
    false,
  ],
  ['an administrator through a view', THROUGH_A_VIEW, 'search', true],
  ['an administrator through a view', THROUGH_A_VIEW, 'pat:own:read', true],
  ['an administrator through a view', THROUGH_A_VIEW, 'admin', false],
  // The pages wait until it is known.
  ['an administrator with unknown views', { ...THROUGH_A_VIEW, views: null }, 'admin', true],
  ['an API client', CLIENT, 'search', true],
  ['an API client', CLIENT, 'pat:own:read', false],
] as const) {
  test(`${name} ${may ? 'is' : 'is not'} offered ${operation}`, () =>
    assert.equal(mayUser(person, operation), may));
}
