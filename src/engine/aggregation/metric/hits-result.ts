// Builds the response of `top_hits`: the best hits with their sources, which are only read here.
import type { MetricAggregation } from '../../../query/aggregation.ts';
import type { Intermediate } from '../collecting/intermediate.ts';
import type { ResultContext } from '../collecting/result-context.ts';
import { hitOrder } from './top-hits.ts';

type TopHits = Extract<MetricAggregation, { readonly kind: 'topHits' }>;

const HITS_PER_YIELD = 16;

export function* hitsResult(
  { from, size, sort, sourceFilter }: TopHits,
  result: Intermediate | undefined,
  { budget, hits }: ResultContext,
): Generator<void, Record<string, unknown>> {
  const candidates = result?.kind === 'hits' ? result.candidates : [];
  candidates.sort(hitOrder(sort, (hit) => hits.id(hit)));
  const page = candidates.slice(from, from + size);
  budget.spend(page.length);
  const byScore = sort.length === 0 || sort.some(({ type }) => type === 'score');
  const rendered: Record<string, unknown>[] = [];
  for (const hit of page) {
    const { element } = hit;
    rendered.push({
      _index: hits.index(hit),
      _id: hits.id(hit),
      ...(element !== null && { _nested: { field: element.path, offset: element.offset } }),
      _score: byScore ? hit.score : null,
      ...(sourceFilter !== null && { _source: hits.source(hit, sourceFilter) }),
      ...(sort.length > 0 && { sort: hit.sort }),
    });
    if (rendered.length % HITS_PER_YIELD === 0) yield;
  }
  const hasMaxScore = result?.kind === 'hits' && byScore;
  return {
    hits: {
      total: { value: result?.kind === 'hits' ? result.total : 0, relation: 'eq' },
      max_score: hasMaxScore ? result.maxScore : null,
      hits: rendered,
    },
  };
}
