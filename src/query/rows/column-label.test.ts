import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headsOf } from './column-label.ts';

const CASES: readonly (readonly [columns: readonly string[], heads: readonly string[]])[] = [
  [
    ['displayName', 'attributes.costCenter'],
    ['Display name', 'Cost center'],
  ],
  [
    ['name', 'manager.name', 'source.name'],
    ['Name', 'Manager', 'Source'],
  ],
  [
    ['email', 'attributes.email'],
    ['email', 'attributes.email'],
  ],
];

for (const [columns, heads] of CASES) {
  test(`the heads of ${columns.join(', ')} are ${heads.join(', ')}`, () =>
    assert.deepEqual(headsOf(columns), heads));
}
