import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wildcardMatches, wildcardParts } from './wildcard.ts';

const CASES: readonly (readonly [pattern: string, value: string, matches: boolean])[] = [
  ['', '', true],
  ['*', '', true],
  ['?', '', false],
  ['a*', 'abc', true],
  ['*c', 'abc', true],
  ['a*c', 'abcc', true],
  ['a*b*c', 'axbxc', true],
  ['a*b*c', 'axcxb', false],
  ['a?c', 'abc', true],
  ['a?c', 'a😀c', true],
  ['😀', '😀', true],
  ['*😀?', 'a😀😁', true],
  ['\\😀', '😀', true],
  ['😀', '😁', false],
  ['a\\*', 'a*', true],
  ['a\\*', 'ab', false],
  ['a**', 'a', true],
  ['ab', 'abc', false],
];
for (const [pattern, value, matches] of CASES) {
  test(`${pattern} ${matches ? 'matches' : 'does not match'} "${value}"`, () => {
    assert.equal(wildcardMatches(wildcardParts(pattern), value), matches);
  });
}

test('a pattern with many stars takes polynomial time', () => {
  assert.equal(wildcardMatches(wildcardParts(`${'*a'.repeat(200)}b`), 'a'.repeat(2000)), false);
});
