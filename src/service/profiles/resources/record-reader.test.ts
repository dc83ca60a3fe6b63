import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../errors.ts';
import { membersOf } from './members-of.ts';
import { BULK_MAX, unwrapMany, unwrapOne } from './record-reader.ts';

/** The sentence of a refusal; the value if there is none. */
function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return error.message;
  }
}

const MISSING = 'param is missing or the value is empty: role';

const ONE: readonly (readonly [body: unknown, expected: unknown])[] = [
  [{ role: { name: 'a' } }, { name: 'a' }],
  [{ role: { name: null }, other: 1 }, { name: null }],
  [{}, MISSING],
  [{ role: null }, MISSING],
  [{ role: '' }, MISSING],
  [{ role: {} }, MISSING],
  [{ role: [] }, MISSING],
  [{ Role: { name: 'a' } }, MISSING],
  [null, MISSING],
  [[], MISSING],
  ['role', MISSING],
  [{ role: 'a' }, 'role must be an object'],
  [{ role: 7 }, 'role must be an object'],
  [{ role: [{ name: 'a' }] }, 'role must be an object'],
];
for (const [body, expected] of ONE) {
  test(`one record in ${JSON.stringify(body)} is ${JSON.stringify(expected)}`, () => {
    const read = outcome(() => Object.fromEntries(unwrapOne(body, 'role')));
    assert.deepEqual(read, expected);
  });
}

const MANY: readonly (readonly [body: unknown, expected: unknown])[] = [
  [{ role: [{ name: 'a' }, 7] }, [{ name: 'a' }, 7]],
  [{ role: [] }, MISSING],
  [{}, MISSING],
  [{ role: { name: 'a' } }, 'role must be an array of objects'],
  [{ role: 'a' }, 'role must be an array of objects'],
];
for (const [body, expected] of MANY) {
  test(`many records in ${JSON.stringify(body)} are ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(
      outcome(() => unwrapMany(body, 'role')),
      expected,
    );
  });
}

test('a call has at most a thousand records', () => {
  const records = (count: number) => ({ role: Array.from({ length: count }, () => ({})) });
  assert.equal(unwrapMany(records(BULK_MAX), 'role').length, BULK_MAX);
  assert.equal(
    outcome(() => unwrapMany(records(BULK_MAX + 1), 'role')),
    'role must hold at most 1000 records, and holds 1001',
  );
});

test('members that are named like those of every object are data', () => {
  const members = membersOf(JSON.parse('{"__proto__":1,"constructor":2,"toString":3}'));
  assert.deepEqual(
    [...(members ?? [])],
    [
      ['__proto__', 1],
      ['constructor', 2],
      ['toString', 3],
    ],
  );
  assert.equal(membersOf({})?.get('constructor'), undefined);
});
