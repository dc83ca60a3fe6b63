// Documents without hidden members, compared with the parsed ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HiddenFields } from '../../query/visibility/hidden-fields.ts';
import { VisibleBytes } from './visible-bytes.ts';

const names = fc.constantFrom('a', 'b', 'a.b', 'b.a', 'c', '__proto__', 'ä "\\', 'ä');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 1.5, 'text', '"}', '\\', ']', '€'),
    fc.array(tie('value'), { maxLength: 3 }),
    objectOf(tie('value')),
  ),
}));
const hiddenNames = fc.array(
  fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.')),
  { minLength: 1, maxLength: 3 },
);

function objectOf(values: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  const entries = fc.uniqueArray(fc.tuple(names, values), {
    maxLength: 5,
    selector: ([name]) => name,
  });
  return entries.map((all) => Object.fromEntries(all));
}

const bytesOf = (json: unknown) => Buffer.from(JSON.stringify(json));
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

test('the visible bytes of an object are those of the visible parsed object', () => {
  fc.assert(
    fc.property(objectOf(value), hiddenNames, fc.constantFrom('', 'a'), (object, hide, path) => {
      const hidden = new HiddenFields(hide);
      const visible = JSON.stringify(hidden.visibleMembers(object, path));
      assert.equal(textOf(new VisibleBytes(hidden).object(bytesOf(object), path)), visible);
    }),
    { numRuns: 1_000 },
  );
});

test('the visible bytes of nested members are those of the visible parsed members', () => {
  fc.assert(
    fc.property(objectOf(fc.array(value, { maxLength: 3 })), hiddenNames, (members, hide) => {
      const hidden = new HiddenFields(hide);
      const nested = bytesOf(members).subarray(1, -1);
      const visible = JSON.stringify(hidden.visibleMembers(members, '')).slice(1, -1);
      assert.equal(textOf(new VisibleBytes(hidden).nested(nested, Object.keys(members))), visible);
    }),
    { numRuns: 1_000 },
  );
});

test('a name with escapes is hidden like the same name without', () => {
  const object = Buffer.from('{"ph\\u006fne":1,"name":"n"}');
  assert.equal(
    textOf(new VisibleBytes(new HiddenFields(['phone'])).object(object, '')),
    '{"name":"n"}',
  );
});
