import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefersCsv } from './accept.ts';

const CASES: readonly (readonly [string | undefined, boolean])[] = [
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/json', false],
  ['text/csv', true],
  ['Text/CSV;charset=utf-8', true],
  ['application/json, text/csv', false],
  ['text/csv, application/json', false],
  ['text/csv, application/json;q=0.9', true],
  ['text/csv;q=0.5, */*', false],
  ['text/*', true],
  ['application/*, text/csv;q=0.1', false],
  ['text/csv;q=0', false],
  ['text/csv;q=nonsense, application/json;q=0', false],
];

for (const [accept, csv] of CASES) {
  test(`Accept ${JSON.stringify(accept)} asks for ${csv ? 'CSV' : 'JSON'}`, () => {
    assert.equal(prefersCsv(accept), csv);
  });
}
