import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { arrayMember } from './array-member.ts';

test('a member is what JSON.parse reads of it, whatever is in the others', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '"', '\\', '[', ']', '{', 'é', ' ') });
  const members = fc.dictionary(name, fc.array(fc.jsonValue()), { maxKeys: 4 });
  fc.assert(
    fc.property(members, name, (document, other) => {
      const bytes = new TextEncoder().encode(JSON.stringify(document).slice(1, -1));
      const read = JSON.parse(JSON.stringify(document));
      for (const key of Object.keys(document)) {
        assert.deepEqual(arrayMember(bytes, key), read[key]);
      }
      if (!Object.hasOwn(document, other)) assert.equal(arrayMember(bytes, other), undefined);
    }),
  );
});

test('white space between tokens is skipped', () => {
  const bytes = new TextEncoder().encode(' "a" : [ 1 , "]" ] , "b" : [ ] ');
  assert.deepEqual(arrayMember(bytes, 'a'), [1, ']']);
  assert.deepEqual(arrayMember(bytes, 'b'), []);
});
