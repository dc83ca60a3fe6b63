// The naive evaluator of plans whose rows are elements in an order of their own.
import type { Mapping } from '../../src/query/mapping/mapping.ts';
import type { Plan, Target } from '../../src/query/plan.ts';
import type { SortValue } from '../../src/query/query.ts';
import {
  byCodePoints,
  compareTuples,
  naiveElementMatches,
  naiveElements,
  naiveMatches,
  naiveSortValue,
  type PlainDocument,
} from './naive.ts';

/** An element: its sort values end with the id of its document and its position in the array. */
export interface NaiveElement {
  readonly document: PlainDocument;
  readonly sort: readonly SortValue[];
}

/** All elements of a plan with `elementOrder` and one target, in order. */
export function naiveElementOrder(
  { sort }: Pick<Plan, 'sort'>,
  { query, innerHit }: Target,
  {
    mapping,
    documents,
  }: { readonly mapping: Mapping; readonly documents: readonly PlainDocument[] },
): NaiveElement[] {
  if (innerHit === undefined) throw new TypeError('Not a target with elements');
  const { path } = innerHit;
  const elements = documents
    .filter((document) => naiveMatches(query, mapping, document))
    .flatMap((document) =>
      naiveElements(document, path).flatMap((element, position): NaiveElement[] => {
        if (!naiveElementMatches(innerHit.query, path, mapping, document, element)) return [];
        const place = { mapping, document, path, element };
        const values = sort.map((key) => naiveSortValue(key, place));
        return [{ document, sort: [...values, document.id, position] }];
      }),
    );
  return elements.sort((a, b) => compareElements({ sort }, a.sort, b.sort));
}

/** Compares the sort values of two elements. */
export function compareElements(
  { sort }: Pick<Plan, 'sort'>,
  left: readonly SortValue[],
  right: readonly SortValue[],
): number {
  const [id, position] = [sort.length, sort.length + 1];
  return (
    compareTuples(sort, left, right) ||
    byCodePoints(String(left[id]), String(right[id])) ||
    Number(left[position]) - Number(right[position])
  );
}
