import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDecimal } from './decimal.ts';

const CASES: readonly (readonly [text: string, number: number | null])[] = [
  ['7', 7],
  ['-7', -7],
  ['+0.50', 0.5],
  ['.5', 0.5],
  ['5.', 5],
  ['007', 7],
  ['', null],
  ['.', null],
  ['-', null],
  ['1e3', null],
  ['0x10', null],
  ['1,000', null],
  ['1 000', null],
  ['Infinity', null],
  ['٣', null],
];

for (const [text, number] of CASES) {
  const meaning = number === null ? 'no number' : `the number ${number}`;
  test(`${JSON.stringify(text)} is ${meaning}`, () => assert.equal(readDecimal(text), number));
}
