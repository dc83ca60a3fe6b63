import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../errors.ts';
import { parseJsonBody } from './json-body.ts';

test('returns the same value as JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 10 }), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!/\d{16}/.test(text)); // such numbers are rejected
      assert.deepEqual(parseJsonBody(Buffer.from(text)), JSON.parse(text));
    }),
    { numRuns: 300 },
  );
});

test('any bytes give a value or a ServiceError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        parseJsonBody(Buffer.from(bytes));
      } catch (error) {
        assert.ok(error instanceof ServiceError && error.code === 'body_malformed');
      }
    }),
    { numRuns: 500 },
  );
});

for (const levels of [20_000, 200_000, 1_000_000]) {
  test(`rejects ${levels} levels as too deep`, () => {
    for (const open of ['[', '{"a":']) {
      const bytes = Buffer.from(open.repeat(levels));
      assert.throws(
        () => parseJsonBody(bytes),
        (error) =>
          error instanceof ServiceError &&
          error.code === 'body_malformed' &&
          /deeper than 64/.test(error.details.causes?.join() ?? ''),
      );
    }
  });
}
