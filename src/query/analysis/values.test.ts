import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold } from './fold.ts';
import { decimalNumber, strictIsoDate } from './values.ts';

const DATES: readonly (readonly [text: string, iso: string | undefined])[] = [
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['0050-01-01', '0050-01-01T00:00:00.000Z'],
  ['2024-05-01T10:20', '2024-05-01T10:20:00.000Z'],
  ['2024-05-01T10:20:30Z', '2024-05-01T10:20:30.000Z'],
  ['2024-05-01T10:20:30.5Z', '2024-05-01T10:20:30.500Z'],
  ['2024-05-01T10:20:30.123456+02:00', '2024-05-01T08:20:30.123Z'],
  ['2024-05-01T00:30:00+0100', '2024-04-30T23:30:00.000Z'],
  ['2024-05-01T10:20:30-05', '2024-05-01T15:20:30.000Z'],
  ['2023-02-29', undefined],
  ['2024-13-01', undefined],
  ['2024-00-01', undefined],
  ['2024-01-00', undefined],
  ['2024-01-01T24:00:00Z', undefined],
  ['2024-01-01T10', undefined],
  ['2024-1-1', undefined],
  ['2024-05', undefined],
  ['20240501', undefined],
  [' 2024-05-01', undefined],
  ['2024-05-01 10:20:30', undefined],
  ['2024-05-01T10:20:30+25:00', undefined],
  ['', undefined],
  ['2024-05-01T10:20:30.123Z', '2024-05-01T10:20:30.123Z'],
  ['0099-12-31T23:59:59.999Z', '0099-12-31T23:59:59.999Z'],
  ['2023-02-29T10:20:30.123Z', undefined],
  ['2024-13-01T10:20:30.123Z', undefined],
  ['2024-0x-01T10:20:30.123Z', undefined],
  ['2024-05-01T10:20:60.123Z', undefined],
  ['2024-05-01T24:20:30.123Z', undefined],
  ['2024-05-01T10:20:30.1x3Z', undefined],
  ['2024-05-01T10:20:30.12xZ', undefined],
];
for (const [text, iso] of DATES) {
  test(`${JSON.stringify(text)} ${iso === undefined ? 'is not a date' : `is the instant ${iso}`}`, () => {
    assert.equal(strictIsoDate(text), iso === undefined ? undefined : Date.parse(iso));
  });
}

const NUMBERS: readonly (readonly [text: string, value: number | undefined])[] = [
  ['0', 0],
  ['007', 7],
  ['-1.50', -1.5],
  ['+3', 3],
  ['9007199254740993', 9007199254740992],
  ['1e5', undefined],
  ['.5', undefined],
  ['5.', undefined],
  ['', undefined],
  ['-', undefined],
  ['1 ', undefined],
  ['0x10', undefined],
  ['NaN', undefined],
];
for (const [text, value] of NUMBERS) {
  test(`${JSON.stringify(text)} ${value === undefined ? 'is not a number' : `is the number ${value}`}`, () => {
    assert.equal(decimalNumber(text), value);
  });
}

const FOLDED: readonly (readonly [text: string, folded: string])[] = [
  ['ABC', 'abc'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['ς', 'ς'],
  ['İI', 'ii'],
  ['ẞ', 'ß'],
  ['Å', 'å'],
  ['𐐀', '𐐨'],
];
for (const [text, folded] of FOLDED) {
  test(`${text} folds to ${folded}`, () => assert.equal(fold(text), folded));
}

test('folding a text folds each code point separately', () => {
  const step = 256;
  for (let first = 0; first <= 0x10ffff; first += step) {
    const each = Array.from({ length: step }, (_, at) => fold(String.fromCodePoint(first + at)));
    assert.ok(each.every((folded) => [...folded].length === 1));
    // Between letters, as code points of two halves of a pair are otherwise one.
    const text = Array.from({ length: step }, (_, at) => String.fromCodePoint(first + at));
    assert.equal(fold(text.join('a')), each.join('a'), `from ${first}`);
  }
});
