// The page of a plan on OpenSearch: its documents in order, or its elements.

import type { Plan } from '../../query/plan.ts';
import type { SearchResult } from '../../service/ports/search-backend.ts';
import { searchElements } from './elements/element-search.ts';
import type { OpenTarget } from './requests/plan-to-body.ts';
import { searchInOrder } from './requests/search-in-order.ts';
import { hitOf, type Searches } from './requests/search-response.ts';

/** @param targets the targets of the plan that have an index */
export async function findHits(
  targets: readonly OpenTarget[],
  plan: Plan,
  searches: Searches,
): Promise<SearchResult> {
  if (targets.length === 0) return { hits: [], total: plan.trackTotal ? 0 : null };
  if (targets.some(({ innerHit }) => innerHit !== undefined)) {
    return searchElements(targets, plan, searches);
  }
  if (plan.size === 0 && !plan.trackTotal) return { hits: [], total: null };
  const { answer, order, scored } = await searchInOrder(plan, targets, searches);
  return {
    hits: answer.hits.hits.map((hit) => hitOf(hit, order, scored, plan.source, targets)),
    total: plan.trackTotal ? (answer.hits.total?.value ?? 0) : null,
    release: answer.release,
  };
}
