import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  CollectionFilter,
  FilterOperator,
  FilterValue,
} from '../../query/collections/collection-filter.ts';
import { staticMapping } from '../../query/mapping/document-types.ts';
import { selectionsOf } from './filter-query.ts';
import { date, text } from './list-field.ts';

const MAPPING = staticMapping('identities', { name: 'acme', pod: 'cardea' });
const OPERATORS = 'eq ne in gt ge lt le sw';
const FIELDS = {
  created: date('created', OPERATORS),
  name: text('name', OPERATORS),
  source: text('accounts.source.name', OPERATORS),
};

const compare = (
  field: keyof typeof FIELDS,
  operator: FilterOperator,
  ...values: readonly FilterValue[]
): CollectionFilter => ({ kind: 'compare', field, operator, values });

const DAY = Date.parse('2026-11-05');
const NEXT_DAY = Date.parse('2026-11-06');
const created = { field: 'created', column: 'value' };
const name = { field: 'name', form: 'folded' };

const QUERIES: readonly (readonly [filter: CollectionFilter, query: object])[] = [
  [compare('created', 'eq', DAY), { kind: 'numbers', ...created, values: [DAY] }],
  [
    compare('created', 'in', DAY, NEXT_DAY),
    { kind: 'numbers', ...created, values: [DAY, NEXT_DAY] },
  ],
  [compare('created', 'gt', DAY), { kind: 'numberRange', ...created, gt: DAY }],
  [compare('created', 'ge', DAY), { kind: 'numberRange', ...created, gte: DAY }],
  [compare('created', 'lt', DAY), { kind: 'numberRange', ...created, lt: DAY }],
  [compare('created', 'le', DAY), { kind: 'numberRange', ...created, lte: DAY }],
  [
    compare('created', 'sw', '2026-11-05'),
    { kind: 'numberRange', ...created, gte: DAY, lt: NEXT_DAY },
  ],
  [compare('name', 'gt', 'M'), { kind: 'termRange', ...name, gt: 'm' }],
  [compare('name', 'le', 'm'), { kind: 'termRange', ...name, lte: 'm' }],
  [compare('name', 'sw', 'M'), { kind: 'prefix', ...name, value: 'm' }],
];
for (const [filter, query] of QUERIES) {
  test(`${JSON.stringify(filter)} is a query of documents`, () => {
    const [selection, ...others] = selectionsOf(filter, FIELDS, MAPPING, null);
    assert.deepEqual(selection?.documents, query);
    assert.deepEqual(others, []);
  });
}

test('a filter that mixes both too often is refused', () => {
  const mixed = (parts: number): CollectionFilter => ({
    kind: 'and',
    parts: Array.from({ length: parts }, (_, at) => ({
      kind: 'or',
      parts: [compare('name', 'eq', `n${at}`), compare('source', 'eq', `s${at}`)],
    })),
  });
  assert.ok(selectionsOf(mixed(4), FIELDS, MAPPING, 'accounts').length > 1);
  assert.throws(() => selectionsOf(mixed(5), FIELDS, MAPPING, 'accounts'), {
    code: 'limit_exceeded',
    message: /more than 4 conditions on identities/,
  });
});
