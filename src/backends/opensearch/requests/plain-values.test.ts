import assert from 'node:assert/strict';
import test from 'node:test';
import { booleanOf, dateOf, longOf, numberOf } from '../../../engine/fields/leaf-values.ts';
import type { Field, FieldType } from '../../../query/mapping/mapping.ts';
import { isFoldedAlike, isPlainNumber } from './plain-values.ts';

const field = (type: FieldType): Field => ({ path: 'x', type, nested: null, dynamic: true });

test('numbers are read by OpenSearch if they are the same there, and texts that it coerces', () => {
  for (const value of [0, 7, -7, 2 ** 53 - 1, '12', '-3', '007']) {
    assert.ok(isPlainNumber(field('long'), value), String(value));
    assert.equal(longOf(value), Number(value));
  }
  for (const value of [1.5, -0, 2 ** 53, 1e300, '1.5', '-0', '+1', '1e3', ' 1', 'many', '', true]) {
    assert.equal(isPlainNumber(field('long'), value), false, String(value));
  }
  for (const value of [0, 7.25, -1e300, 5e-324, '12', '-0.5', '0012.50']) {
    assert.ok(isPlainNumber(field('double'), value), String(value));
    assert.equal(numberOf(value), Number(value));
  }
  for (const value of [-0, Number.POSITIVE_INFINITY, '-0.0', '1e3', 'NaN', '0x1', '1d', false]) {
    assert.equal(isPlainNumber(field('double'), value), false, String(value));
  }
});

test('letters that may become cased in a later version are folded by us', () => {
  for (const text of ['Ada', 'Ạnh', 'ΣΑΣ', 'مرحبا', '👍🏽', '\u{20000}']) {
    assert.ok(isFoldedAlike(text), text);
  }
  for (const text of ['ა', 'Ა', 'Ꭰ', 'Ⲁ', '\ua7d2', '\u{10d50}', '\u{16ea0}', '\u{1e900}']) {
    assert.equal(isFoldedAlike(text), false, text);
  }
});

test('dates are read by OpenSearch if they are strict, booleans in any spelling of the two', () => {
  for (const value of [
    ...['2024-05-31', '0000-01-01', '2024-05-31T10:00', '2024-05-31T10:00:01.123Z'],
    ...['2024-05-31T10:00:01,1', '2024-05-31T10:00+17', '2024-05-31T10:00:01.123456789-0530'],
  ]) {
    assert.ok(isPlainNumber(field('date'), value), value);
    assert.notEqual(dateOf(value), undefined);
  }
  for (const value of [
    ...['2024', '2024-05', '2024-02-30', '2024-05-31T10', '2024-05-31T24:00Z', 'never', ''],
    ...['2024-05-31T10:00:01-18:30', '2024-05-31T10:00:01+18:00', 86_400_000, true],
  ]) {
    assert.equal(isPlainNumber(field('date'), value), false, String(value));
  }
  for (const value of [true, false, 'true', 'false']) {
    assert.ok(isPlainNumber(field('boolean'), value));
    assert.notEqual(booleanOf(value), undefined);
  }
  for (const value of [0, 1, '', 'True', 'yes']) {
    assert.equal(isPlainNumber(field('boolean'), value), false, String(value));
  }
});
