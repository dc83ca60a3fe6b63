// A plan over the embedded engine, in small steps: the work itself for the scheduler, which decides when it runs.
import { aggregate } from '../../engine/aggregation/aggregator.ts';
import { countElements } from '../../engine/search/inner-hits.ts';
import { searchTargets } from '../../engine/search/multi-search.ts';
import { Searcher } from '../../engine/search/searcher.ts';
import { completeValues } from '../../engine/search/typeahead.ts';
import { JsonText } from '../../identity/json-text.ts';
import type { Hit, SearchResult, TypeaheadResult } from '../../identity/search-backend.ts';
import type { Plan } from '../../query/plan.ts';
import { elementSteps } from './element-steps.ts';
import type { OpenTarget } from './open-target.ts';

/** Sources read before the event loop may have its turn. */
const HITS_PER_STEP = 16;

export function* searchSteps(
  targets: readonly OpenTarget[],
  plan: Plan,
  onFound: () => void = () => {},
): Generator<void, SearchResult> {
  const elements = targets.some(({ innerHit }) => innerHit !== undefined);
  const found = yield* (elements ? elementSteps : documentSteps)(targets, plan, onFound);
  const aggregations = yield* aggregationSteps(targets, plan);
  return { ...found, ...(aggregations && { aggregations: JsonText.of(aggregations) }) };
}

function* documentSteps(
  targets: readonly OpenTarget[],
  plan: Plan,
  onFound: () => void,
): Generator<void, SearchResult> {
  const searchers = targets.map(({ index, query, mapping, snapshot }) => ({
    index,
    query,
    searcher: new Searcher(mapping, snapshot.views),
  }));
  const found = yield* searchTargets(searchers, plan);
  onFound();
  const views = new Map(targets.map(({ index, snapshot }) => [index, snapshot.views]));
  const hits: Hit[] = [];
  for (const { index, doc } of found.hits) {
    const segment = views.get(index)?.[doc.view]?.segment;
    if (segment === undefined) throw new Error(`No segment ${doc.view} in ${index}`);
    hits.push({
      index,
      id: segment.ids.term(doc.row),
      score: doc.score,
      sort: doc.sort,
      root: segment.sources.root(doc.row),
      nested: plan.source.nested ? segment.sources.nested(doc.row) : EMPTY,
    });
    if (hits.length % HITS_PER_STEP === 0) yield;
  }
  return { hits, total: found.total };
}

/** The plan's aggregations, where it has some. */
function* aggregationSteps(
  targets: readonly OpenTarget[],
  plan: Plan,
): Generator<void, Record<string, unknown> | undefined> {
  const { maxBuckets } = plan;
  if (maxBuckets === undefined) return undefined;
  const forms = new Map(plan.targets.map(({ index, aggregations = {} }) => [index, aggregations]));
  const asked = targets.map(({ index, query, mapping, snapshot }) => {
    return { index, query, mapping, views: snapshot.views, aggregations: forms.get(index) ?? {} };
  });
  return yield* aggregate(asked, [...forms.values()], maxBuckets);
}

export function* countSteps(targets: readonly OpenTarget[]): Generator<void, number> {
  let total = 0;
  for (const { query, innerHit, mapping, snapshot } of targets) {
    total +=
      innerHit === undefined
        ? yield* new Searcher(mapping, snapshot.views).count(query)
        : yield* countElements(snapshot.views, query, innerHit);
  }
  return total;
}

export function* typeaheadSteps(
  targets: readonly OpenTarget[],
  plan: Plan,
): Generator<void, TypeaheadResult> {
  if (plan.typeahead === undefined) throw new TypeError('Not a plan for values');
  const asked = targets.flatMap(({ typeahead, snapshot }) =>
    typeahead === undefined ? [] : [{ views: snapshot.views, field: typeahead }],
  );
  return yield* completeValues(asked, plan.typeahead);
}

const EMPTY = new Uint8Array(0);
