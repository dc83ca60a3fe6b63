// What `top_hits` tells: the winners with their sources, read only now.
import type { MetricAggregation } from '../../../query/aggregation/aggregation.ts';
import type { Intermediate } from '../intermediate.ts';
import type { ResultContext } from '../result-context.ts';
import { hitOrder } from './top-hits.ts';

type TopHits = Extract<MetricAggregation, { readonly kind: 'topHits' }>;

const HITS_PER_YIELD = 16;

export function* hitsResult(
  { from, size, sort, sourceFilter }: TopHits,
  found: Intermediate | undefined,
  { budget, hits }: ResultContext,
): Generator<void, Record<string, unknown>> {
  const candidates = found?.kind === 'hits' ? found.candidates : [];
  candidates.sort(hitOrder(sort, (hit) => hits.id(hit)));
  const page = candidates.slice(from, from + size);
  budget.spend(page.length);
  const byScore = sort.length === 0 || sort.some(({ type }) => type === 'score');
  const told: Record<string, unknown>[] = [];
  for (const hit of page) {
    const { element } = hit;
    told.push({
      _index: hits.index(hit),
      _id: hits.id(hit),
      ...(element !== null && { _nested: { field: element.path, offset: element.offset } }),
      _score: byScore ? hit.score : null,
      ...(sourceFilter !== null && { _source: hits.source(hit, sourceFilter) }),
      ...(sort.length > 0 && { sort: hit.sort }),
    });
    if (told.length % HITS_PER_YIELD === 0) yield;
  }
  const any = found?.kind === 'hits' && byScore;
  return {
    hits: {
      total: { value: found?.kind === 'hits' ? found.total : 0, relation: 'eq' },
      max_score: any ? found.maxScore : null,
      hits: told,
    },
  };
}
