import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mergePatch } from './merge-patch.ts';

const BEFORE = {
  id: '1',
  name: 'a',
  manager: { id: 'm', name: 'b' },
  tags: ['x'],
  accounts: [
    { id: 'a1', name: 'x', source: { id: 's', name: 'AD' } },
    { id: 'a2', name: 'y' },
  ],
};

describe('a patch', () => {
  const CASES: readonly (readonly [name: string, patch: object, after: object])[] = [
    ['sets a member', { name: 'z' }, { ...BEFORE, name: 'z' }],
    ['adds members', { c: { d: 1 } }, { ...BEFORE, c: { d: 1 } }],
    ['removes a member', { name: null }, { ...BEFORE, name: undefined }],
    ['removes nothing that is not there', { other: null, c: { d: null } }, BEFORE],
    ['merges objects', { manager: { name: 'c' } }, { ...BEFORE, manager: { id: 'm', name: 'c' } }],
    [
      'removes what it empties',
      { manager: { id: null, name: null } },
      { ...BEFORE, manager: undefined },
    ],
    ['replaces lists', { tags: ['y', 'z'] }, { ...BEFORE, tags: ['y', 'z'] }],
    [
      'merges elements of the same id and adds others',
      { accounts: [{ id: 'a3' }, { id: 'a1', source: { name: 'LDAP' }, name: null }] },
      {
        ...BEFORE,
        accounts: [
          { id: 'a1', source: { id: 's', name: 'LDAP' } },
          { id: 'a2', name: 'y' },
          { id: 'a3' },
        ],
      },
    ],
    ['replaces what is no object', { name: { first: 'a' } }, { ...BEFORE, name: { first: 'a' } }],
  ];
  for (const [name, patch, after] of CASES) {
    test(name, () => {
      const before = structuredClone(BEFORE);
      const json = (value: unknown) => JSON.parse(JSON.stringify(value));
      assert.deepEqual(json(mergePatch(BEFORE, patch as Record<string, unknown>)), json(after));
      assert.deepEqual(BEFORE, before);
    });
  }

  test('that changes nothing returns the record itself', () => {
    const empty = { ...BEFORE, list: [], text: '', nothing: null };
    assert.equal(mergePatch(empty, { list: null, text: null, nothing: null }), empty);
    const patch = {
      name: 'a',
      tags: ['x'],
      manager: { name: 'b' },
      accounts: [{ id: 'a2', name: 'y' }],
    };
    assert.equal(mergePatch(BEFORE, { ...patch, gone: null }), BEFORE);
  });
});
