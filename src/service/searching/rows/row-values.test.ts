import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueAt } from './row-values.ts';

const DOCUMENT = {
  name: 'ada',
  manager: { id: 'm', name: null },
  attributes: { 'cost.center': 'c1', cost: { other: 1 }, list: ['a', 'b'] },
  accounts: [{ id: 1, source: { name: 'AD' } }, { id: 2 }, [{ id: 3 }]],
};

const CASES: readonly (readonly [path: string, value: unknown])[] = [
  ['name', 'ada'],
  ['manager', { id: 'm', name: null }],
  ['manager.name', null],
  ['manager.nothing', null],
  ['name.below', null],
  ['attributes.cost.center', 'c1'],
  ['attributes.cost.other', 1],
  ['attributes.list', ['a', 'b']],
  ['accounts.id', [1, 2, [3]]],
  ['accounts.source.name', ['AD', null, [null]]],
  ['constructor', null],
  ['__proto__.x', null],
  ['', DOCUMENT],
];

for (const [path, value] of CASES) {
  test(`the value at "${path}" is ${JSON.stringify(value)?.slice(0, 40)}`, () =>
    assert.deepEqual(valueAt(DOCUMENT, path), value));
}
