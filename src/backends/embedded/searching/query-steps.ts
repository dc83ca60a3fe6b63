// A plan over the embedded engine, in small steps: the work itself for the scheduler, which decides when it runs and where.
// A search finds rows first, which any thread can do, and then their documents are read.
import { aggregate } from '../../../engine/aggregation/aggregator.ts';
import { countElements } from '../../../engine/hits/inner-hits.ts';
import { searchTargets } from '../../../engine/hits/multi-search.ts';
import { Searcher } from '../../../engine/hits/searcher.ts';
import { completeValues } from '../../../engine/terms/typeahead.ts';
import { JsonText } from '../../../identity/json/json-text.ts';
import type { Hit, TypeaheadResult } from '../../../identity/ports/search-backend.ts';
import type { Plan } from '../../../query/plan.ts';
import { elementHits, elementSteps } from './element-steps.ts';
import type { FoundPage, FoundRow } from './found-page.ts';
import type { OpenTarget } from './open-target.ts';
import { StoredHit } from './stored-hit.ts';

export function* findSteps(targets: readonly OpenTarget[], plan: Plan): Generator<void, FoundPage> {
  const elements = targets.some(({ innerHit }) => innerHit !== undefined);
  const found = yield* (elements ? elementSteps : documentSteps)(targets, plan);
  const aggregations = yield* aggregationSteps(targets, plan);
  return { ...found, ...(aggregations && { aggregations: JsonText.of(aggregations) }) };
}

/** Sources read before the event loop may have its turn. */
const HITS_PER_STEP = 16;

/** The documents of rows that were found in the same views. */
export function* readSteps(
  targets: readonly OpenTarget[],
  plan: Plan,
  rows: readonly FoundRow[],
): Generator<void, Hit[]> {
  const byIndex = new Map(targets.map((target) => [target.index, target]));
  const hits: Hit[] = [];
  for (const found of rows) {
    const target = byIndex.get(found.index);
    const segment = target?.snapshot.views[found.view]?.segment;
    if (target === undefined || segment === undefined) {
      throw new Error(`No segment ${found.view} in ${found.index}`);
    }
    const { row, elements } = found;
    if (elements !== null) {
      hits.push(...elementHits(target, segment, found, elements));
      yield;
      continue;
    }
    const nested = plan.source.nested ? segment.sources.nested(row) : EMPTY;
    hits.push(new StoredHit(found, segment, nested));
    if (hits.length % HITS_PER_STEP === 0) yield;
  }
  return hits;
}

function* documentSteps(targets: readonly OpenTarget[], plan: Plan): Generator<void, FoundPage> {
  const searchers = targets.map(({ index, query, mapping, snapshot }) => ({
    index,
    query,
    searcher: new Searcher(mapping, snapshot.views),
  }));
  const { hits, total } = yield* searchTargets(searchers, plan);
  const rows = hits.map(({ index, doc: { view, row, score, sort } }) => {
    return { index, view, row, score, sort, elements: null };
  });
  return { rows, total };
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
