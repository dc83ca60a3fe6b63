// The same bytes give the same frozen value; other bytes never do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../errors.ts';
import { RepeatedBodies } from './repeated-bodies.ts';

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

test('returns one deeply frozen value for the same bytes from the second time on', () => {
  const bodies = new RepeatedBodies();
  const value = { query: { query: 'ä€😀' }, indices: ['identities'], size: 3, none: null };
  const [, second, third] = [1, 2, 3].map(() => bodies.read(bytesOf(value)));
  assert.deepEqual(second, value);
  assert.equal(third, second);
  const { query, indices } = second as typeof value;
  for (const part of [second, query, indices]) assert.ok(Object.isFrozen(part));
});

test('does not share the value of a body seen once', () => {
  const bodies = new RepeatedBodies();
  const first = bodies.read(bytesOf({ a: 1 })) as { a: number };
  first.a = 2;
  assert.deepEqual(bodies.read(bytesOf({ a: 1 })), { a: 1 });
});

test('returns the values of the parser in any order of bodies', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 60 }), (order) => {
      const bodies = new RepeatedBodies();
      const values = [{ a: 1 }, { a: '1' }, { á: 1 }, [{ a: 1 }], 'text', null];
      for (const i of order) assert.deepEqual(bodies.read(bytesOf(values[i])), values[i]);
    }),
  );
});

test('rejects a malformed body each time', () => {
  const bodies = new RepeatedBodies();
  for (let time = 0; time < 3; time += 1) {
    assert.throws(() => bodies.read(Buffer.from('{"a":')), ServiceError);
  }
});

test('caches no long bodies, and a limited number of others', () => {
  const bodies = new RepeatedBodies();
  const long = bytesOf({ text: 'x'.repeat(5_000) });
  bodies.read(long);
  assert.notEqual(bodies.read(long), bodies.read(long));
  const read = (n: number) => bodies.read(bytesOf({ n }));
  read(-1);
  const cached = read(-1);
  assert.equal(read(-1), cached);
  for (let n = 0; n < 1_000; n += 1) [read(n), read(n)];
  assert.notEqual(read(-1), cached);
});
