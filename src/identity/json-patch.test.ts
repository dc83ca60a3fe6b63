// RFC 6902 and RFC 6901 by cases, each both ways: what applies gives the expected document, what fails leaves nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MALFORMED_PATCHES, PATCH_CASES } from '../../test/support/json-patch-cases.ts';
import { ServiceError } from '../errors.ts';
import {
  applyPatch,
  equal,
  formatPointer,
  type JsonValue,
  PatchConflict,
  parsePointer,
  readPatch,
} from './json-patch.ts';

for (const { name, document, patch, expected } of PATCH_CASES) {
  test(name, () => {
    const before = structuredClone(document);
    const apply = () => applyPatch(document, readPatch(patch));
    if (expected === undefined) assert.throws(apply, PatchConflict);
    else assert.deepEqual(apply(), expected);
    assert.deepEqual(document, before, 'the original is untouched');
    assert.equal(({} as Record<string, unknown>)['x'], undefined, 'no prototype is touched');
  });
}

for (const [body, cause] of MALFORMED_PATCHES) {
  test(`${JSON.stringify(body)} is no patch`, () => {
    assert.throws(
      () => readPatch(body),
      (error: unknown) => {
        assert.ok(error instanceof ServiceError);
        assert.equal(error.code, 'request_invalid');
        assert.match(error.details.causes?.[0] ?? '', new RegExp(cause));
        return true;
      },
    );
  });
}

test('a member called __proto__ is data like any other', () => {
  const patch = readPatch(JSON.parse('[{"op":"add","path":"/__proto__","value":{"x":1}}]'));
  const result = applyPatch({}, patch);
  assert.equal(JSON.stringify(result), '{"__proto__":{"x":1}}');
  assert.equal(Object.getPrototypeOf(result), Object.prototype);
});

test('a pointer survives being written and read', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (tokens) => {
      assert.deepEqual(parsePointer(formatPointer(tokens)), tokens);
    }),
  );
});

test('replacing the whole by any value gives that value, and tests equal to it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (document, value) => {
      const wanted = JSON.parse(JSON.stringify(value)) as JsonValue;
      const result = applyPatch(document as JsonValue, [
        { op: 'replace', path: [], value: wanted },
        { op: 'test', path: [], value: wanted },
      ]);
      assert.ok(equal(result, wanted));
    }),
  );
});
