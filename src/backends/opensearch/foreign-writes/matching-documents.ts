// Which documents of the store match a target, and which of their elements: with the engine, in a
// segment in memory, where OpenSearch has other documents under their ids.
import { elementsOf } from '../../../engine/hits/inner-hits.ts';
import { searchTargets } from '../../../engine/hits/multi-search.ts';
import { Searcher } from '../../../engine/hits/searcher.ts';
import { QueryCache } from '../../../engine/index/query-cache.ts';
import { memorySource, openSegment } from '../../../engine/index/segment-reader.ts';
import { buildSegment } from '../../../engine/index/segment-writer.ts';
import type { Plan } from '../../../query/plan.ts';
import type { Query } from '../../../query/query.ts';
import { runSteps } from '../../../query/steps.ts';
import type { StoredDocument } from '../../../service/ports/stored-document.ts';
import type { OpenTarget } from '../requests/plan-to-body.ts';

/**
 * The matching documents by id, each with the positions of its matching elements, ascending; none of
 * a target without an inner query.
 */
export function matchingDocuments(
  { index, mapping, query, innerHit }: Pick<OpenTarget, 'index' | 'mapping' | 'query' | 'innerHit'>,
  documents: readonly StoredDocument[],
): ReadonlyMap<string, readonly number[]> {
  const files = buildSegment(
    mapping,
    documents.map((document) => ({ ...document, version: 1 })),
  );
  const segment = openSegment('documents', files.index, memorySource(files.sources));
  const views = [{ segment, liveDocs: null, liveCount: documents.length }];
  const snapshot = { views, cache: new QueryCache() };
  const unscored: Query = { kind: 'bool', must: [], should: [], filter: [query], mustNot: [] };
  const target = { index, query: unscored, searcher: new Searcher(mapping, snapshot) };
  const plan: Plan = {
    targets: [{ index, query: unscored }],
    ...{ sort: [], from: 0, size: documents.length, trackTotal: false },
    source: { includes: [], excludes: [], nested: true },
  };
  const { hits } = runSteps(searchTargets([target], plan));
  const elements = innerHit === undefined ? [] : runSteps(elementsOf(snapshot, innerHit, hits));
  const matches = hits.map(({ row }, at): [string, readonly number[]] => [
    segment.ids.term(row),
    elements[at] ?? [],
  ]);
  const owns = ([, found]: (typeof matches)[number]) => innerHit === undefined || found.length > 0;
  return new Map(matches.filter(owns));
}
