import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { filterHints } from './filter-hints.ts';

describe('a hint', () => {
  const check = (filter: string, hint: RegExp | null) =>
    test(`of ${filter}: ${hint?.source ?? 'none'}`, () => {
      const [first, ...others] = filterHints(filter);
      if (hint === null) assert.equal(first, undefined);
      else assert.match(first ?? '', hint);
      assert.deepEqual(others, []);
    });

  check('name eq "CN=Smith\\, John"', /CN=Smith\\, John the backslash before , is no part/);
  check('name eq "a" or name sw "\\\\\\x"', /the backslash before x is no part/);
  check('name eq "CN=Smith\\\\, John"', null);
  check('name eq "a \\"b\\""', null);
  check('name eq "a"', null);
});
