import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterText } from './filter-text.ts';

const CASES: readonly [unknown, string][] = [
  [{ type: 'EXISTS' }, 'exists'],
  [{ type: 'EXISTS', exclude: true }, 'not exists'],
  [{ terms: [1, 'b'] }, '1 or b'],
  [{ type: 'RANGE', range: { lower: { value: '5', inclusive: true } } }, 'from 5'],
  [{ range: { lower: { value: '1' }, upper: { value: '9' } } }, 'after 1 before 9'],
  [{ range: { upper: { value: 'now', inclusive: true } } }, 'to now'],
  [{ type: 'OTHER' }, '{"type":"OTHER"}'],
  ['x', '"x"'],
];

for (const [filter, text] of CASES) {
  test(`says ${text} for ${JSON.stringify(filter)}`, () => {
    assert.equal(filterText(filter), text);
  });
}
