// Executes a plan on the embedded engine in small steps, which a scheduler runs. A search has two
// phases, as in Elasticsearch: any thread can run the query phase, which finds rows; then their
// documents are fetched.

import { aggregate } from '../../../engine/aggregation/aggregator.ts';
import type { HitRow } from '../../../engine/hits/hit-merge.ts';
import { countElements } from '../../../engine/hits/inner-hits.ts';
import { searchTargets } from '../../../engine/hits/multi-search.ts';
import { Searcher } from '../../../engine/hits/searcher.ts';
import { completeValues } from '../../../engine/hits/typeahead.ts';
import { JsonText } from '../../../json/json-text.ts';
import type { Plan } from '../../../query/plan.ts';
import type { IndexName } from '../../../query/query.ts';
import {
  type AnswerMemory,
  type Hit,
  SMALL_PAGE_BYTES,
  type TypeaheadResult,
} from '../../../service/ports/search-backend.ts';
import { elementHits, elementSteps } from './element-steps.ts';
import type { OpenTarget } from './open-target.ts';
import type { PageRows } from './page-rows.ts';
import { StoredHit } from './stored-hit.ts';

export function* pageSteps(targets: readonly OpenTarget[], plan: Plan): Generator<void, PageRows> {
  const elements = targets.some(({ innerHit }) => innerHit !== undefined);
  const page = yield* (elements ? elementSteps : documentSteps)(targets, plan);
  const aggregations = yield* aggregationSteps(targets, plan);
  return aggregations === undefined ? page : { aggregations: JsonText.of(aggregations), ...page };
}

/** Documents read before the generator yields. */
const HITS_PER_STEP = 16;

/**
 * The fetch phase: reads the documents of rows from the views they were found in.
 * @param memory counts a large page before most of it is read
 */
export function* fetchSteps(
  targets: readonly OpenTarget[],
  plan: Plan,
  rows: readonly HitRow[],
  memory?: AnswerMemory,
): Generator<void, Hit[]> {
  const byIndex = new Map(targets.map((target) => [target.index, target]));
  const hits: Hit[] = [];
  let smallBytesLeft = SMALL_PAGE_BYTES;
  for (const hitRow of rows) {
    const target = byIndex.get(hitRow.index);
    const segment = target?.snapshot.views[hitRow.view]?.segment;
    if (target === undefined || segment === undefined) {
      throw new Error(`No segment ${hitRow.view} in ${hitRow.index}`);
    }
    smallBytesLeft -= segment.sources.byteLength(hitRow.row);
    if (smallBytesLeft < 0) {
      memory?.holdBytes(pageBytes(byIndex, rows));
      smallBytesLeft = Number.POSITIVE_INFINITY;
    }
    const { elements } = hitRow;
    if (elements !== null && !plan.elementPositions && !plan.elementOrder) {
      hits.push(...elementHits(target, segment, hitRow, elements));
      yield;
      continue;
    }
    hits.push(new StoredHit(hitRow, segment, plan.source.nested));
    if (hits.length % HITS_PER_STEP === 0) yield;
  }
  return hits;
}

/** The bytes of the documents of rows. */
function pageBytes(byIndex: ReadonlyMap<IndexName, OpenTarget>, rows: readonly HitRow[]): number {
  let bytes = 0;
  for (const { index, view, row } of rows) {
    bytes += byIndex.get(index)?.snapshot.views[view]?.segment.sources.byteLength(row) ?? 0;
  }
  return bytes;
}

function* documentSteps(targets: readonly OpenTarget[], plan: Plan): Generator<void, PageRows> {
  const searchers = targets.map(({ index, query, mapping, snapshot }) => ({
    index,
    query,
    searcher: new Searcher(mapping, snapshot),
  }));
  const { hits, total } = yield* searchTargets(searchers, plan);
  return { rows: hits, total };
}

/** The plan's aggregations, if it has any. */
function* aggregationSteps(
  targets: readonly OpenTarget[],
  plan: Plan,
): Generator<void, Record<string, unknown> | undefined> {
  const { maxBuckets } = plan;
  if (maxBuckets === undefined) return undefined;
  const forms = new Map(plan.targets.map(({ index, aggregations = {} }) => [index, aggregations]));
  const aggregationTargets = targets.map(({ index, query, mapping, snapshot }) => {
    return {
      index,
      query,
      mapping,
      views: snapshot.views,
      cache: snapshot.cache,
      aggregations: forms.get(index) ?? {},
    };
  });
  return yield* aggregate(aggregationTargets, [...forms.values()], maxBuckets);
}

export function* countSteps(targets: readonly OpenTarget[]): Generator<void, number> {
  let total = 0;
  for (const { query, innerHit, mapping, snapshot } of targets) {
    total +=
      innerHit === undefined
        ? yield* new Searcher(mapping, snapshot).count(query)
        : yield* countElements(snapshot, query, innerHit);
  }
  return total;
}

export function* typeaheadSteps(
  targets: readonly OpenTarget[],
  plan: Plan,
): Generator<void, TypeaheadResult> {
  if (plan.typeahead === undefined) throw new TypeError('Not a typeahead plan');
  const typeaheadTargets = targets.flatMap(({ typeahead, snapshot }) =>
    typeahead === undefined
      ? []
      : [{ views: snapshot.views, cache: snapshot.cache, field: typeahead }],
  );
  return yield* completeValues(typeaheadTargets, plan.typeahead);
}
