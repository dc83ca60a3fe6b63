// Lists of objects that are built in memory: sources, and the entitlements of a role or access profile.
// Filters and sorters mean the same as for lists of documents.
import { fold } from '../../query/analysis/fold.ts';
import type {
  CollectionFilter,
  FilterOperator,
  FilterValue,
} from '../../query/collections/collection-filter.ts';
import type { CollectionSorter } from '../../query/collections/collection-page.ts';
import { dateStart } from '../../query/collections/date-operand.ts';
import type { ListFields } from './list-field.ts';

/** The value of a field of an object. */
export type ReadValue<Item> = (item: Item, field: string) => unknown;

/** The objects that match a filter, in the order of sorters, then of the objects given. */
export function selected<Item>(
  items: readonly Item[],
  fields: ListFields,
  filter: CollectionFilter | null,
  sorters: readonly CollectionSorter[],
  read: ReadValue<Item>,
): Item[] {
  const comparable = (item: Item, field: string) =>
    comparableOf(read(item, field), fields[field]?.kind === 'date');
  const matching = items.filter((item) => filter === null || matches(item, filter, comparable));
  return matching.sort((one, other) => {
    for (const { field, order } of sorters) {
      const difference = compareWithoutCase(
        comparable(one, field),
        comparable(other, field),
        order,
      );
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

/** A value of an object; a date as epoch milliseconds. */
type Comparable = string | number | boolean | null;

function comparableOf(value: unknown, isDate: boolean): Comparable {
  if (typeof value === 'string') return isDate ? Date.parse(value) : value;
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function matches<Item>(
  item: Item,
  filter: CollectionFilter,
  read: (item: Item, field: string) => Comparable,
): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matches(item, part, read));
    case 'or':
      return filter.parts.some((part) => matches(item, part, read));
    case 'not':
      return !matches(item, filter.part, read);
    case 'compare':
      return holds(read(item, filter.field), filter.operator, filter.values);
  }
}

/** Whether a value, null if it is missing, holds against those of a comparison: without case. */
export function holds(
  value: Comparable,
  operator: FilterOperator,
  operands: readonly FilterValue[],
): boolean {
  return foldedHolds(foldedOf(value), operator, operands.map(foldedOf));
}

function foldedOf<Value>(value: Value): Value | string {
  return typeof value === 'string' ? fold(value) : value;
}

function foldedHolds(
  held: Comparable,
  operator: FilterOperator,
  values: readonly FilterValue[],
): boolean {
  const [value = null] = values;
  switch (operator) {
    case 'isnull':
      return held === null;
    case 'pr':
      return held !== null;
    case 'ne':
      return held !== value;
    case 'eq':
    case 'in':
      return held !== null && values.includes(held);
    case 'sw':
      return startsWith(held, String(value));
    case 'co':
      return typeof held === 'string' && held.includes(String(value));
    case 'ca':
      return false;
    default:
      return held !== null && value !== null && inOrder(operator, compareValues(held, value));
  }
}

function startsWith(held: Comparable, start: string): boolean {
  if (typeof held === 'string') return held.startsWith(start);
  if (typeof held !== 'number') return false;
  const [from, end] = dateStart(start);
  return held >= from && held < end;
}

function inOrder(operator: 'gt' | 'ge' | 'lt' | 'le', difference: number): boolean {
  if (difference === 0) return operator === 'ge' || operator === 'le';
  return difference > 0
    ? operator === 'gt' || operator === 'ge'
    : operator === 'lt' || operator === 'le';
}

/** Texts by code points; missing values are last in either order. */
export function compare(one: Comparable, other: Comparable, order: 'asc' | 'desc'): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return order === 'asc' ? compareValues(one, other) : compareValues(other, one);
}

/** As the sort keys of list-plan.ts: folded texts, then texts that differ in case by code points. */
function compareWithoutCase(one: Comparable, other: Comparable, order: 'asc' | 'desc'): number {
  return compare(foldedOf(one), foldedOf(other), order) || compare(one, other, order);
}

function compareValues(one: FilterValue, other: FilterValue): number {
  if (typeof one === 'string' && typeof other === 'string') {
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  }
  return Number(one) - Number(other);
}
