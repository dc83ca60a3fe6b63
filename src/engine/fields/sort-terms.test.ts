import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { sortTerms } from './sort-terms.ts';

test('strings are sorted by their bytes, prefixes first', () => {
  const string = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.array(fc.constantFrom(0, 1, 255), { maxLength: 14 }).map((bytes) => Uint8Array.from(bytes)),
  );
  const distinct = fc.uniqueArray(string, { maxLength: 150, selector: (parts) => parts.join() });
  fc.assert(
    fc.property(distinct, (strings) => {
      const offsets = new Float64Array(strings.length + 1);
      for (const [i, one] of strings.entries()) offsets[i + 1] = offsets[i]! + one.length;
      const bytes = new Uint8Array(Buffer.concat(strings));
      const sorted = [...sortTerms(bytes, offsets)].map((i) => Buffer.from(strings[i]!));
      assert.deepEqual(sorted, strings.map((text) => Buffer.from(text)).sort(Buffer.compare));
    }),
  );
});
