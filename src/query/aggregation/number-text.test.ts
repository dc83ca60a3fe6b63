import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doubleText } from './number-text.ts';

const CASES: readonly (readonly [number, string])[] = [
  [0, '0.0'],
  [1, '1.0'],
  [-2.5, '-2.5'],
  [99.9, '99.9'],
  [9_999_999, '9999999.0'],
  [1e7, '1.0E7'],
  [1.711_844_4e12, '1.7118444E12'],
  [0.001, '0.001'],
  [0.0001, '1.0E-4'],
];

for (const [value, text] of CASES) {
  test(`prints ${value} as ${text}`, () => assert.equal(doubleText(value), text));
}
