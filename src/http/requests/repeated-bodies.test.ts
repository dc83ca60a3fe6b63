// The same bytes are the same value, which nobody can change; other bytes never are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../errors.ts';
import { RepeatedBodies } from './repeated-bodies.ts';

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

test('from the second time on the same bytes are one value, frozen in depth', () => {
  const bodies = new RepeatedBodies();
  const value = { query: { query: 'ä€😀' }, indices: ['identities'], size: 3, none: null };
  const [, second, third] = [1, 2, 3].map(() => bodies.read(bytesOf(value)));
  assert.deepEqual(second, value);
  assert.equal(third, second);
  const { query, indices } = second as typeof value;
  for (const part of [second, query, indices]) assert.ok(Object.isFrozen(part));
});

test('what came once may be changed by who got it', () => {
  const bodies = new RepeatedBodies();
  const first = bodies.read(bytesOf({ a: 1 })) as { a: number };
  first.a = 2;
  assert.deepEqual(bodies.read(bytesOf({ a: 1 })), { a: 1 });
});

test('values are those of the parser, in any order and however often', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 60 }), (order) => {
      const bodies = new RepeatedBodies();
      const values = [{ a: 1 }, { a: '1' }, { á: 1 }, [{ a: 1 }], 'text', null];
      for (const i of order) assert.deepEqual(bodies.read(bytesOf(values[i])), values[i]);
    }),
  );
});

test('a body that is refused is refused each time', () => {
  const bodies = new RepeatedBodies();
  for (let time = 0; time < 3; time += 1) {
    assert.throws(() => bodies.read(Buffer.from('{"a":')), ServiceError);
  }
});

test('long bodies are not kept, and of the others only so many', () => {
  const bodies = new RepeatedBodies();
  const long = bytesOf({ text: 'x'.repeat(5_000) });
  bodies.read(long);
  assert.notEqual(bodies.read(long), bodies.read(long));
  const ask = (n: number) => bodies.read(bytesOf({ n }));
  ask(-1);
  const kept = ask(-1);
  assert.equal(ask(-1), kept);
  for (let n = 0; n < 1_000; n += 1) [ask(n), ask(n)];
  assert.notEqual(ask(-1), kept);
});
