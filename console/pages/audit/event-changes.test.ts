// The changes that a recorded event shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionText, changedNames, changesOf, otherAttributes } from './event-changes.ts';

const CASES = [
  [
    'a change of members',
    { changed: ['name', 'scope'], before: '{"name":"a","scope":["x","y"]}', after: '{"name":"b"}' },
    [
      { name: 'name', before: 'a', after: 'b' },
      { name: 'scope', before: 'x, y', after: null },
    ],
  ],
  [
    'a creation',
    { changed: ['enabled'], after: '{"enabled":false}' },
    [{ name: 'enabled', before: null, after: 'false' }],
  ],
  [
    'a member whose values are not recorded',
    { changed: ['attributes.email'], before: '{}', after: '{}' },
    [{ name: 'attributes.email', before: null, after: null }],
  ],
  [
    'capabilities, none of them before',
    { capabilitiesBefore: [], capabilitiesAfter: ['HELPDESK', 'ORG_ADMIN'] },
    [{ name: 'capabilities', before: '', after: 'HELPDESK, ORG_ADMIN' }],
  ],
  ['a sign-in', { reason: 'secret' }, []],
] as const;
for (const [name, attributes, changes] of CASES) {
  test(`shows ${name}`, () => assert.deepEqual(changesOf({ attributes }), changes));
}

test('shows text that is no JSON as it is', () => {
  const attributes = { changed: ['before'], before: 'plain' };
  assert.deepEqual(changesOf({ attributes }), [{ name: 'before', before: 'plain', after: null }]);
});

test('lists the attributes that are no changes', () => {
  const attributes = { actorId: 'x', changed: ['a'], reason: 'secret', count: 3 };
  assert.deepEqual(otherAttributes({ attributes }), [
    ['reason', 'secret'],
    ['count', '3'],
  ]);
  assert.deepEqual(otherAttributes({}), []);
});

test('names what a change replaced, and nothing of a creation or deletion', () => {
  const changed = ['name'];
  const before = '{"name":"a"}';
  assert.deepEqual(changedNames({ attributes: { changed, before, after: before } }), changed);
  assert.deepEqual(changedNames({ attributes: { changed } }), changed);
  assert.deepEqual(changedNames({ attributes: { changed, before } }), []);
  assert.deepEqual(changedNames({ attributes: { changed, after: before } }), []);
});

test('writes an action as words', () => {
  assert.equal(actionText('PatchAuthUser'), 'Patch auth user');
  assert.equal(actionText('CAPABILITY_UPDATE_EVENT'), 'Capability update event');
  assert.equal(actionText('API_CLIENT_CREATED'), 'API client created');
  assert.equal(actionText('CreateApiClient'), 'Create API client');
});
