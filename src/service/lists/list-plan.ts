// Turns the request of a list into plans of a search: one, or several that have no object in common.
import type { CollectionPage, CollectionSorter } from '../../query/collections/collection-page.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { Plan } from '../../query/plan.ts';
import type { SortKey, SortValue } from '../../query/query.ts';
import type { Selection } from './filter-query.ts';
import type { ListField } from './list-field.ts';
import type { ListResource } from './list-resources.ts';

/** Which objects of a list are read, and in which order. */
export interface ListWindow extends CollectionPage {
  readonly sort: readonly SortKey[];
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
 * The sort keys of a list: its sorters, then the id, so that no two objects tie. A field that no
 * document has does not sort.
 */
export function sortKeysOf(
  { fields, element }: Pick<ListResource, 'fields' | 'element'>,
  sorters: readonly CollectionSorter[],
  mapping: Mapping,
): readonly SortKey[] {
  const keys = sorters.flatMap(({ field, order }) => {
    const path = pathOf(fields[field]);
    return path === undefined ? [] : keyOf(path, order, mapping);
  });
  // Elements end with the id of their document by themselves.
  if (element !== null && keys.length === 0) return [];
  const id = element === null ? 'id' : `${element}.id`;
  const last = keys.findIndex((key) => key.field === id);
  if (last >= 0) return keys.slice(0, last + 1);
  return [...keys, ...keyOf(id, 'asc', mapping)];
}

/** A document without a value at the first path of a field is sorted as one without any. */
function pathOf(field: ListField | undefined): string | undefined {
  return field !== undefined && 'paths' in field.values ? field.values.paths[0] : undefined;
}

function keyOf(path: string, order: 'asc' | 'desc', { fields }: Mapping): SortKey[] {
  const field = fields.get(path);
  if (field === undefined) return [];
  const isText = field.type === 'text' || field.type === 'keyword';
  return [{ field: path, order, type: isText ? 'string' : 'number' }];
}
