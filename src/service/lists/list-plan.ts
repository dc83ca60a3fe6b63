// Turns the request of a list into plans of a search: one, or several that have no object in common.
import type { CollectionPage, CollectionSorter } from '../../query/collections/collection-page.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { Plan } from '../../query/plan.ts';
import type { SortKey, SortValue } from '../../query/query.ts';
import type { Selection } from './filter-query.ts';
import type { ListField } from './list-field.ts';
import type { ListResource } from './list-resources.ts';

/** Which objects of a list are read, and in which order. */
export interface ListWindow extends CollectionPage, ListOrder {}

/** The order of a list. */
export interface ListOrder {
  readonly sort: readonly SortKey[];
  /** A sorter without a column of values, by which the objects are divided; null: there is none. */
  readonly split: Split | null;
}

/** Whether objects have any value below a path, as a key among others. */
export interface Split {
  /** How many keys are before it. */
  readonly at: number;
  readonly anyBelow: string;
  readonly order: 'asc' | 'desc';
}

/** The plan of one page of a selection. */
export function listPlan(
  { index, element, nested }: ListResource,
  { documents, elements }: Selection,
  { sort, limit, offset, count }: ListWindow,
  after: readonly SortValue[] | null,
): Plan {
  const page = {
    sort,
    from: after === null ? offset : 0,
    size: limit,
    trackTotal: count,
    source: { includes: [], excludes: [], nested },
    ...(after !== null && { searchAfter: after }),
  };
  if (element === null) return { ...page, targets: [{ index, query: documents }] };
  const innerHit = { path: element, query: elements };
  return { ...page, targets: [{ index, query: documents, innerHit }], elementOrder: true };
}

/**
 * The order of a list: its sorters, then the id, so that no two objects tie. A field that no document
 * has does not sort.
 */
export function orderOf(
  { fields, element }: Pick<ListResource, 'fields' | 'element'>,
  sorters: readonly CollectionSorter[],
  mapping: Mapping,
): ListOrder {
  const keys: SortKey[] = [];
  let split: Split | null = null;
  for (const { field, order } of sorters) {
    const values = fields[field]?.values;
    if (values !== undefined && 'anyBelow' in values) {
      split ??= { at: keys.length, anyBelow: values.anyBelow, order };
    }
    const path = pathOf(fields[field]);
    if (path !== undefined) keys.push(...keysOf(path, order, mapping));
  }
  // Elements end with the id of their document by themselves.
  if (element !== null && keys.length === 0) return { sort: [], split };
  const id = element === null ? 'id' : `${element}.id`;
  const last = keys.findIndex((key) => key.field === id && key.form === undefined);
  if (last < 0) keys.push({ field: id, order: 'asc', type: 'string' });
  else keys.splice(last + 1);
  return { sort: keys, split: split !== null && split.at >= keys.length ? null : split };
}

/** A document without a value at the first path of a field is sorted as one without any. */
function pathOf(field: ListField | undefined): string | undefined {
  return field !== undefined && 'paths' in field.values ? field.values.paths[0] : undefined;
}

/** Text is in the order of its folded form; texts that differ in case alone by code points. */
function keysOf(path: string, order: 'asc' | 'desc', { fields }: Mapping): SortKey[] {
  const field = fields.get(path);
  if (field === undefined) return [];
  if (field.type !== 'text' && field.type !== 'keyword') {
    return [{ field: path, order, type: 'number' }];
  }
  const key = { field: path, order, type: 'string' } as const;
  return [{ ...key, form: 'folded' }, key];
}
