import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hueOf, initialsOf } from './initials.ts';

const CASES: readonly [name: string, initials: string][] = [
  ['Ada Lovelace', 'AL'],
  ['Ada de Lovelace', 'AL'],
  ['ada', 'A'],
  ["Ayşe O'Hara", 'AO'],
  ['efua.moyo', 'EM'],
  ['王小明', '王'],
  ['', ''],
  ['<img src=x>', 'IX'],
];

for (const [name, initials] of CASES) {
  test(`takes ${JSON.stringify(initials)} from ${JSON.stringify(name)}`, () => {
    assert.equal(initialsOf(name), initials);
  });
}

test('gives every name one of six colours', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      assert.ok([0, 1, 2, 3, 4, 5].includes(hueOf(name)));
    }),
  );
});
