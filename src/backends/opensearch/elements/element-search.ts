// Searches elements of nested arrays on OpenSearch, for plans with an inner query; rows are in the
// order of their documents. Each document has at least one row, so n documents suffice for n rows.
import { objectsIn } from '../../../json/array-objects.ts';
import type { Plan } from '../../../query/plan.ts';
import type { IndexName } from '../../../query/query.ts';
import type { Hit, SearchResult } from '../../../service/ports/search-backend.ts';
import { ELEMENTS_MAX, elementCountBody, type OpenTarget } from '../requests/plan-to-body.ts';
import { searchInOrder } from '../requests/search-in-order.ts';
import {
  hitOf,
  type ResponseHit,
  type Searches,
  type SearchFunction,
} from '../requests/search-response.ts';
import { orderedElements } from './element-order.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const EMPTY = new Uint8Array(0);

export async function searchElements(
  targets: readonly OpenTarget[],
  plan: Plan,
  searches: Searches,
): Promise<SearchResult> {
  const { search } = searches;
  const innerTargets = targets.filter(({ innerHit }) => innerHit !== undefined);
  const [first] = innerTargets;
  if (plan.elementOrder && first?.innerHit !== undefined) {
    const [page, total] = await Promise.all([
      orderedElements(first, first.innerHit, plan, searches),
      plan.trackTotal ? countElements([first], search) : null,
    ]);
    return { ...page, total };
  }
  if (plan.elementPositions) return searchWithPositions(innerTargets, plan, searches);
  const hits =
    plan.size === 0 || innerTargets.length === 0 ? [] : await rowsOf(innerTargets, plan, searches);
  return { hits, total: plan.trackTotal ? await countElements(innerTargets, search) : null };
}

/**
 * Most elements of a document at first. OpenSearch reserves memory for this many in each document,
 * so the few pages with more elements are requested again.
 */
const POSITIONS_AT_FIRST = 1_000;

/** The documents, each with the positions of its matching elements. */
async function searchWithPositions(
  targets: readonly OpenTarget[],
  plan: Plan,
  searches: Searches,
): Promise<SearchResult> {
  if (targets.length === 0) return { hits: [], total: plan.trackTotal ? 0 : null };
  const result = await documentsWithPositions(targets, plan, searches, POSITIONS_AT_FIRST);
  const mayHaveMore = result.hits.some(
    ({ elements = [] }) => elements.length >= POSITIONS_AT_FIRST,
  );
  if (!mayHaveMore) return result;
  result.release?.();
  return documentsWithPositions(targets, plan, searches, ELEMENTS_MAX);
}

async function documentsWithPositions(
  targets: readonly OpenTarget[],
  plan: Plan,
  searches: Searches,
  elementsMax: number,
): Promise<SearchResult> {
  const { answer, order, scored } = await searchInOrder(plan, targets, searches, elementsMax);
  const hits = answer.hits.hits.map((hit) => {
    const document = hitOf(hit, order, scored, plan.source, targets);
    return { ...document, elements: placesOf(hit, document.index) };
  });
  const total = plan.trackTotal ? (answer.hits.total?.value ?? 0) : null;
  return { hits, total, release: answer.release };
}

/** Counts all rows. */
export async function countElements(
  targets: readonly OpenTarget[],
  search: SearchFunction,
): Promise<number> {
  let total = 0;
  for (const target of targets) {
    const { aggregations } = await search([target], elementCountBody(target), false);
    const elements = aggregations?.['elements'] as { matching?: { doc_count: number } } | undefined;
    total += elements?.matching?.doc_count ?? 0;
  }
  return total;
}

async function rowsOf(
  targets: readonly OpenTarget[],
  plan: Plan,
  searches: Searches,
): Promise<Hit[]> {
  const documents: Plan = {
    ...plan,
    from: 0,
    size: plan.from + plan.size,
    trackTotal: false,
    source: { ...plan.source, nested: true },
  };
  const { answer, order, scored } = await searchInOrder(documents, targets, searches);
  const paths = new Map(targets.map(({ index, innerHit }) => [index, innerHit?.path ?? '']));
  const hits: Hit[] = [];
  let skip = plan.from;
  for (const hit of answer.hits.hits) {
    if (hits.length >= plan.size) break;
    const document = hitOf(hit, order, scored, { nested: true }, targets);
    const places = placesOf(hit, document.index);
    if (skip >= places.length) {
      skip -= places.length;
      continue;
    }
    const path = paths.get(document.index) ?? '';
    const elements = elementsOf(document, path);
    for (const place of places.slice(skip, skip + plan.size - hits.length)) {
      const root = encoder.encode(JSON.stringify(elements[place]));
      hits.push({ ...document, root, nested: EMPTY, elementOf: path });
    }
    skip = 0;
  }
  answer.release?.();
  return hits;
}

/** The positions of the document's matching elements, ascending. */
function placesOf({ inner_hits }: ResponseHit, index: IndexName): number[] {
  const elements = inner_hits?.[index]?.hits.hits ?? [];
  return elements.map(({ _nested }) => _nested.offset).sort((a, b) => a - b);
}

/** The objects of the array, in the order they were indexed. */
function elementsOf({ nested }: Hit, path: string): readonly unknown[] {
  const members = JSON.parse(`{${decoder.decode(nested)}}`) as Record<string, unknown>;
  return objectsIn(members[path]);
}
