// The state of the page Audit: its address, and the search behind it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditBody, isFiltered, offeredActions, printAudit, readAudit } from './audit-search.ts';

const read = (query: string) => readAudit(new URLSearchParams(query));

for (const address of [
  '/audit',
  '/audit?show=all&actor=ada&action=PatchAuthUser&target=42&failed=&in=now-7d%2Fd%7Cnow',
  '/audit?show=sign-ins',
]) {
  test(`reads what it prints: ${address}`, () => {
    assert.equal(printAudit(read(address.split('?')[1] ?? '')), address);
  });
}

test('shows changes of any time unless the address says otherwise', () => {
  const state = read('show=nothing&in=now-7d');
  assert.deepEqual([state.kind, state.span, isFiltered(state)], ['changes', null, false]);
  assert.ok(isFiltered(read('failed=')));
});

test('searches recorded events only, and sign-ins apart from changes', () => {
  const queryOf = (query: string) => (auditBody(read(query))['query'] as { query: string }).query;
  assert.equal(queryOf(''), 'stack:cardea AND NOT objects:AUTHENTICATION');
  assert.equal(queryOf('show=sign-ins'), 'stack:cardea AND objects:AUTHENTICATION');
  assert.equal(queryOf('show=all'), 'stack:cardea');
  assert.equal(
    queryOf('show=all&actor=ada+l%22'),
    'stack:cardea AND actor.name:*ada* AND actor.name:*l\\"*',
  );
  assert.match(queryOf('target=ab'), /\(target\.name:\*ab\* OR attributes\.targetId:ab OR /);
});

test('filters by action, failure and time with exact values', () => {
  assert.deepEqual(
    auditBody(read('action=CreateUser&failed=&in=2026-01-01|2026-02-01'))['filters'],
    {
      action: { type: 'TERMS', terms: ['CreateUser'] },
      status: { type: 'TERMS', terms: ['FAILED'] },
      created: {
        type: 'RANGE',
        range: {
          lower: { value: '2026-01-01', inclusive: true },
          upper: { value: '2026-02-01', inclusive: false },
        },
      },
    },
  );
  assert.equal(auditBody(read(''))['filters'], undefined);
});

test('offers each action once, under its name of today', () => {
  const actions = ['PatchAuthUser', 'CAPABILITY_UPDATE_EVENT', 'RequestToken', 'ImportDocuments'];
  assert.deepEqual(offeredActions(actions), [
    ...['CAPABILITY_UPDATE_EVENT', 'RequestToken', 'ImportDocuments'],
  ]);
});
