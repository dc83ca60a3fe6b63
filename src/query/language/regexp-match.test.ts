import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRegexp } from './regexp.ts';
import { regexpMatches } from './regexp-match.ts';

const CASES: readonly (readonly [pattern: string, text: string, matches: boolean])[] = [
  ['', '', true],
  ['', 'a', false],
  ['abc', 'abc', true],
  ['ab', 'abc', false],
  ['a.c', 'a😀c', true],
  ['a|bc', 'bc', true],
  ['(ab)*', 'ababab', true],
  ['(ab)*', 'aba', false],
  ['a{2,3}', 'aaa', true],
  ['a{2,3}', 'aaaa', false],
  ['a{2,}', 'a', false],
  ['[a-c]+', 'abcabc', true],
  ['[^a-c]', 'b', false],
  ['\\d{3}', '123', true],
  ['<1-31>', '31', true],
  ['<1-31>', '031', true],
  ['<01-31>', '031', false],
  ['<1-31>', '32', false],
  ['a@', 'anything', true],
  ['a#', 'a', false],
  ['.*a.*&.*b.*', 'xbxa', true],
  ['.*a.*&.*b.*', 'xa', false],
  ['"a.c"', 'abc', false],
];
for (const [pattern, text, matches] of CASES) {
  test(`/${pattern}/ ${matches ? 'matches' : 'does not match'} "${text}"`, () => {
    assert.equal(regexpMatches(parseRegexp(pattern), text), matches);
  });
}

for (const [pattern, matches] of [
  ['((.*){50}){50}', true],
  ['(a+)+b', false],
  ['((((.*)*)*)*&(.*)*)*', true],
  ['(.?){10000}', true],
  ['(.?){63}', false],
] as const) {
  test(`/${pattern}/ takes no exponential time`, () => {
    assert.equal(regexpMatches(parseRegexp(pattern), 'a'.repeat(64)), matches);
  });
}
