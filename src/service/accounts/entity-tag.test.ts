// If-Match, case by case (RFC 9110 section 13.1.1).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entityTag, ifMatchAllows } from './entity-tag.ts';

const CASES: readonly (readonly [header: string, allows: boolean])[] = [
  ['"a"', true],
  ['*', true],
  [' * ', true],
  ['"b"', false],
  ['"b", "a"', true],
  ['"a","b"', true],
  ['"b" , "a" ,', true],
  ['W/"a"', false],
  ['W/"a", "a"', true],
  ['a', false],
  ['"a', false],
  ['"a" "b"', false],
  ['"x,", "a"', true],
  ['', false],
  ['*, "b"', false],
  ['"A"', false],
];

for (const [header, allows] of CASES) {
  test(`If-Match: ${header} ${allows ? 'matches' : 'does not match'} "a"`, () => {
    assert.equal(ifMatchAllows(header, '"a"'), allows);
  });
}

test('does not match a header of 16 KiB of spaces or commas', () => {
  for (const filler of [' ', ',', ' ,', '\t']) {
    assert.equal(ifMatchAllows(`${filler.repeat(8192)}x`, '"a"'), false);
  }
});

test('a tag is quoted and changes with the representation', () => {
  assert.match(entityTag({ a: 1 }), /^"[\w-]{27}"$/);
  assert.notEqual(entityTag({ a: 1 }), entityTag({ a: 2 }));
});
