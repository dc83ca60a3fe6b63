import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  CollectionFilter,
  FilterOperator,
  FilterValue,
} from '../../query/collections/collection-filter.ts';
import type { CollectionSorter } from '../../query/collections/collection-page.ts';
import { date, text } from './list-field.ts';
import { compare, holds, selected } from './object-list.ts';

const NOON = Date.parse('2026-11-05T12:00:00.000Z');

const HELD: readonly (readonly [
  held: string | number | boolean | null,
  operator: FilterOperator,
  values: readonly FilterValue[],
  holds: boolean,
])[] = [
  ['beta', 'eq', ['beta'], true],
  ['beta', 'eq', ['Beta'], true],
  ['BETA', 'in', ['alpha', 'beta'], true],
  ['Beta', 'ne', ['bETA'], false],
  ['Beta', 'sw', ['bE'], true],
  ['Beta', 'co', ['ET'], true],
  ['Beta', 'gt', ['beta'], false],
  ['beta', 'gt', ['Alpha'], true],
  ['Beta', 'lt', ['alpha'], false],
  ['ZOË', 'eq', ['zoë'], true],
  ['zoe', 'eq', ['zoë'], false],
  ['ΣΑΣ', 'eq', ['σας'], false],
  ['ΣΑΣ', 'eq', ['σασ'], true],
  ['beta', 'in', ['alpha', 'beta'], true],
  ['beta', 'ne', ['beta'], false],
  ['beta', 'gt', ['alpha'], true],
  ['beta', 'gt', ['beta'], false],
  ['beta', 'ge', ['beta'], true],
  ['beta', 'lt', ['beta'], false],
  ['beta', 'lt', ['gamma'], true],
  ['beta', 'le', ['beta'], true],
  ['beta', 'le', ['alpha'], false],
  ['beta', 'sw', ['be'], true],
  ['beta', 'sw', ['et'], false],
  ['beta', 'co', ['et'], true],
  ['beta', 'pr', [], true],
  ['beta', 'isnull', [], false],
  [true, 'eq', [true], true],
  [true, 'sw', ['t'], false],
  [NOON, 'gt', [NOON - 1], true],
  [NOON, 'gt', [NOON], false],
  [NOON, 'ge', [NOON + 1], false],
  [NOON, 'lt', [NOON + 1], true],
  [NOON, 'le', [NOON - 1], false],
  [NOON, 'sw', ['2026-11-05'], true],
  [NOON, 'sw', ['2026-11-05T12:00'], true],
  [NOON, 'sw', ['2026-11-05T11'], false],
  [NOON, 'sw', ['2026-12'], false],
  [null, 'isnull', [], true],
  [null, 'pr', [], false],
  [null, 'ne', ['beta'], true],
  [null, 'eq', ['beta'], false],
  [null, 'lt', ['beta'], false],
  [null, 'ge', ['beta'], false],
  [null, 'sw', ['b'], false],
  [null, 'co', ['b'], false],
];
for (const [held, operator, values, expected] of HELD) {
  test(`${held} ${operator} ${values.join(', ')}: ${expected}`, () => {
    assert.equal(holds(held, operator, values), expected);
  });
}

test('texts are ordered by code points, and missing values are last in either order', () => {
  const values = ['b', null, 'B', '\u{1f600}', '\uff5e', 'a'];
  for (const [order, sorted] of [
    ['asc', ['B', 'a', 'b', '\uff5e', '\u{1f600}', null]],
    ['desc', ['\u{1f600}', '\uff5e', 'b', 'a', 'B', null]],
  ] as const) {
    assert.deepEqual(
      values.toSorted((one, other) => compare(one, other, order)),
      sorted,
    );
  }
});

test('objects are filtered by date, and sorted by one sorter after the other', () => {
  const items = [
    { id: 'a', name: 'x', created: '2026-01-01T00:00:00.001Z' },
    { id: 'b', name: 'y', created: '2026-01-01T00:00:00.000Z' },
    { id: 'c', name: 'x', created: '2026-01-01T00:00:00.002Z' },
    { id: 'd', name: 'x', created: null },
  ];
  const fields = { name: text('name', 'eq', 'sorts'), created: date('created', 'gt', 'sorts') };
  const read = (item: (typeof items)[number], field: string) => item[field as 'name' | 'created'];
  const ids = (filter: CollectionFilter | null, ...sorters: readonly CollectionSorter[]) =>
    selected(items, fields, filter, sorters, read).map(({ id }) => id);
  const later = (value: number) =>
    ({ kind: 'compare', field: 'created', operator: 'gt', values: [value] }) as const;
  const start = Date.parse('2026-01-01');
  assert.deepEqual(ids(later(start)), ['a', 'c']);
  assert.deepEqual(ids({ kind: 'not', part: later(start) }), ['b', 'd']);
  assert.deepEqual(
    ids(null, { field: 'name', order: 'desc' }, { field: 'created', order: 'desc' }),
    ['b', 'c', 'a', 'd'],
  );
});

test('objects are sorted by text without case, and by code points where only case differs', () => {
  const names = ['b', 'A', 'B', 'zoë', 'a', 'Zoe', 'ZOË'];
  const fields = { name: text('name', 'eq', 'sorts') };
  const sorted = (order: 'asc' | 'desc') =>
    selected(names, fields, null, [{ field: 'name', order }], (name) => name);
  assert.deepEqual(sorted('asc'), ['A', 'a', 'B', 'b', 'Zoe', 'ZOË', 'zoë']);
  assert.deepEqual(sorted('desc'), sorted('asc').toReversed());
});
