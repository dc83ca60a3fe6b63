import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scopeRows } from './scope-choice.ts';

const ADMIN = { identityId: 'ada', levels: ['ORG_ADMIN'], scopes: ['sp:scopes:all'] };
const named = (person: Parameters<typeof scopeRows>[0]) =>
  scopeRows(person).map(({ name }) => name);

test('an administrator is offered the scopes of every area, each with what it allows', () => {
  const rows = scopeRows(ADMIN);
  for (const name of ['sp:search:read', 'sp:oauth-client:manage', 'cardea:admin:manage']) {
    assert.ok(
      rows.some((row) => row.name === name && row.grants.length > 0),
      name,
    );
  }
  assert.ok(rows.find(({ name }) => name === 'sp:search:read')?.grants.includes('Search'));
});

test('of scopes that allow the same one is offered', () => {
  const grants = scopeRows(ADMIN).map((row) => row.grants.join());
  assert.equal(new Set(grants).size, grants.length);
  assert.ok(!named(ADMIN).includes('sp:identity:manage'));
});

test('levels and the scopes of the session bound what is offered', () => {
  const helper = { ...ADMIN, levels: ['HELPDESK'] };
  assert.ok(!named(helper).includes('cardea:admin:manage'));
  assert.ok(!named(helper).includes('sp:search:read'));
  assert.ok(named(helper).includes('sp:accounts:read'));
  assert.deepEqual(named({ ...ADMIN, scopes: ['sp:search:read'] }), ['sp:search:read']);
  assert.deepEqual(named({ ...ADMIN, scopes: [] }), []);
  assert.deepEqual(named(null), []);
});
