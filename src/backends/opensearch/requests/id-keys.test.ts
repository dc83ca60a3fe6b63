import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../demo/random.ts';
import { ID_KEYS, idKeys } from './id-keys.ts';

function compareKeys(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((key, index) => key !== other[index]);
  return at === -1 ? 0 : Math.sign((one[at] ?? 0) - (other[at] ?? 0));
}

const compareIds = (one: string, other: string) =>
  Math.sign(Buffer.compare(Buffer.from(one), Buffer.from(other)));

test('keys are in the order of the UTF-8 bytes of ids, or equal', () => {
  const random = new Random(7, 'shuffle', 0);
  const alphabets = ['0123456789abcdef', 'ab', '\0\x01/09:@AZ`afgz{\x7f', 'aé\uffff\u{1f600}-'];
  const letters = alphabets.map((alphabet) => [...alphabet]);
  const ids = Array.from({ length: 3_000 }, () => {
    const from = random.pick(letters);
    return Array.from({ length: random.below(45) }, () => random.pick(from)).join('');
  });
  ids.push('', '\0', '\0\0', 'f'.repeat(32), '0'.repeat(36), '\u{10ffff}'.repeat(20));
  for (const one of ids) {
    const keys = idKeys(one);
    assert.ok(keys.length === ID_KEYS.length && keys.every((key) => Number.isSafeInteger(key)));
    for (const other of [random.pick(ids), `${one}\0`, one.slice(0, -1), `${one.slice(0, -1)}~`]) {
      const order = compareKeys(keys, idKeys(other));
      if (order !== 0) assert.equal(order, compareIds(one, other), JSON.stringify([one, other]));
    }
  }
});

test('different ids of the usual kinds have different keys', () => {
  for (const [one, other] of [
    ['2c9180857031311001704fb06f344ec9', '2c9180857031311001704fb06f344eca'],
    ['f47ac10b-58cc-4372-a567-0e02b2c3d478', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'],
    ['employee-000000001', 'employee-000000002'],
    ['a', 'a\0'],
  ] as const) {
    assert.equal(compareKeys(idKeys(one), idKeys(other)), -1, one);
  }
});
