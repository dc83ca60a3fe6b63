// Which pages are offered to whom.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayProbably } from './rights.ts';

const USER = { identityId: 'i1' };
for (const [name, person, operation, may] of [
  ['a user without levels', { ...USER, levels: [] }, 'search', false],
  ['a user without levels', { ...USER, levels: [] }, 'pat:own:read', true],
  ['a reporter', { ...USER, levels: ['REPORT_ADMIN'] }, 'search', true],
  ['a reporter', { ...USER, levels: ['REPORT_ADMIN'] }, 'admin', false],
  ['an administrator', { ...USER, levels: ['ORG_ADMIN'] }, 'oauth-client:manage', true],
  ['an API client', { identityId: null, levels: [] }, 'search', true],
  ['an API client', { identityId: null, levels: [] }, 'pat:own:read', false],
] as const) {
  test(`${name} ${may ? 'is' : 'is not'} offered ${operation}`, () =>
    assert.equal(mayProbably(person, operation), may));
}
