// The naive evaluator of Plan.elementOrder: the elements of documents in an order of their own.
import type { Mapping } from '../../src/query/mapping/mapping.ts';
import type { Plan, Target } from '../../src/query/plan.ts';
import type { SortKey, SortValue } from '../../src/query/query.ts';
import {
  byCodePoints,
  compareTuples,
  naiveElementMatches,
  naiveElements,
  naiveMatches,
  naiveSortValue,
  type PlainDocument,
  smallestOrGreatest,
} from './naive.ts';

/** One element. */
export interface NaiveElement {
  readonly document: PlainDocument;
  readonly position: number;
  /** The values of the keys, the id of the document and the position. */
  readonly sort: readonly SortValue[];
}

/** All elements that match a plan, in order, whatever page it asks for. */
export function naiveElementOrder(
  { sort }: Pick<Plan, 'sort'>,
  { query, innerHit }: Pick<Target, 'query' | 'innerHit'>,
  mapping: Mapping,
  documents: readonly PlainDocument[],
): NaiveElement[] {
  if (innerHit === undefined) return [];
  const { path } = innerHit;
  return documents
    .filter((document) => naiveMatches(query, mapping, document))
    .flatMap((document) =>
      naiveElements(document, path).flatMap((element, position) => {
        if (!naiveElementMatches(innerHit.query, path, mapping, document, element)) return [];
        const values = sort.map((key) =>
          mapping.fields.get(key.field)?.nested === path
            ? smallestOrGreatest(key, { mapping, document, path, element })
            : naiveSortValue(key, mapping, document),
        );
        return [{ document, position, sort: [...values, document.id, position] }];
      }),
    )
    .sort((one, other) => compareElements(sort, one.sort, other.sort));
}

/** Compares sort values that end with an id and a position. */
export function compareElements(
  keys: readonly SortKey[],
  one: readonly SortValue[],
  other: readonly SortValue[],
): number {
  const at = keys.length;
  return (
    compareTuples(keys, one, other) ||
    byCodePoints(String(one[at]), String(other[at])) ||
    Number(one[at + 1]) - Number(other[at + 1])
  );
}
