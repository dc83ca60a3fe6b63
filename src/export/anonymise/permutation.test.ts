// Permutations are one-to-one for every length, depend on the key, and stay below their limit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeyedHash } from './keyed-hash.ts';
import { DIGITS, LETTERS, Permutation } from './permutation.ts';

const permutation = (byte: number) => new Permutation(new KeyedHash(Buffer.alloc(32, byte)));

for (const [length, alphabet] of [
  [1, DIGITS],
  [2, DIGITS],
  [3, DIGITS],
  [1, LETTERS],
  [2, LETTERS],
] as const) {
  test(`maps all texts of ${length} of ${alphabet.length} characters to all of them`, () => {
    const all = Array.from({ length: alphabet.length ** length }, (_, number) =>
      Array.from(
        { length },
        (_, place) => alphabet[Math.floor(number / alphabet.length ** place) % alphabet.length],
      ).join(''),
    );
    const one = permutation(1);
    const images = all.map((text) => one.text(text, alphabet));
    assert.deepEqual([...images].sort(), [...all].sort());
    assert.notDeepEqual(images, all);
    const other = permutation(2);
    assert.notDeepEqual(
      all.map((text) => other.text(text, alphabet)),
      images,
    );
  });
}

test('keeps different long numbers different, and their length', () => {
  const one = permutation(1);
  const number = fc.stringMatching(/^\d{4,40}$/);
  fc.assert(
    fc.property(number, number, (a, b) => {
      const [left, right] = [one.text(a, DIGITS), one.text(b, DIGITS)];
      assert.equal(left.length, a.length);
      assert.match(left, /^\d+$/);
      assert.equal(left === right, a === b);
    }),
  );
});

test('maps the numbers below a limit to each other', () => {
  const one = permutation(1);
  const images = Array.from({ length: 86 }, (_, value) => one.below(value, 86));
  assert.deepEqual(
    [...images].sort((a, b) => a - b),
    images.map((_, value) => value),
  );
});

test('a key that can be guessed is refused', () => {
  assert.throws(() => new KeyedHash(Buffer.alloc(16)), RangeError);
});
