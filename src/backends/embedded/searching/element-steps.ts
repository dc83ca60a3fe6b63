// Runs a plan with an inner query: its rows are nested elements, in the order of the documents that
// own them. Each document owns at least one, so the first documents are enough for the first rows.

import { orderedElements } from '../../../engine/hits/element-order.ts';
import type { HitRow } from '../../../engine/hits/hit-merge.ts';
import { countElements, elementsOf } from '../../../engine/hits/inner-hits.ts';
import { searchTargets } from '../../../engine/hits/multi-search.ts';
import { Searcher } from '../../../engine/hits/searcher.ts';
import type { Segment } from '../../../engine/sections/segment.ts';
import { objectsIn } from '../../../json/array-objects.ts';
import type { InnerHit, Plan } from '../../../query/plan.ts';
import type { Hit } from '../../../service/ports/search-backend.ts';
import type { OpenTarget } from './open-target.ts';
import type { PageRows } from './page-rows.ts';

/** A target with an inner query. */
interface ElementTarget extends OpenTarget {
  readonly innerHit: InnerHit;
}

export function* elementSteps(
  targets: readonly OpenTarget[],
  plan: Plan,
): Generator<void, PageRows> {
  const elementTargets = targets.filter(
    (target): target is ElementTarget => target.innerHit !== undefined,
  );
  const [first] = elementTargets;
  if (plan.elementOrder && first !== undefined) {
    const { hits, total } = yield* orderedElements(first, plan);
    return { rows: hits, total };
  }
  const searchers = elementTargets.map(({ index, query, mapping, snapshot }) => ({
    index,
    query,
    searcher: new Searcher(mapping, snapshot),
  }));
  if (plan.elementPositions) {
    const { hits, total } = yield* searchTargets(searchers, plan);
    return { rows: yield* withElements(elementTargets, hits), total };
  }
  const size = plan.size === 0 ? 0 : plan.from + plan.size;
  const page = yield* searchTargets(searchers, { ...plan, from: 0, size, trackTotal: false });
  const rows = pageOf(yield* withElements(elementTargets, page.hits), plan);
  if (!plan.trackTotal) return { rows, total: null };
  let total = 0;
  for (const { query, innerHit, snapshot } of elementTargets) {
    total += yield* countElements(snapshot, query, innerHit);
  }
  return { rows, total };
}

/** The same documents, each with its matching elements. */
function* withElements(
  targets: readonly ElementTarget[],
  hits: readonly HitRow[],
): Generator<void, HitRow[]> {
  const elementsOfHit = new Map<HitRow, readonly number[]>();
  for (const { index, innerHit, snapshot } of targets) {
    const own = hits.filter((hit) => hit.index === index);
    const elements = yield* elementsOf(snapshot, innerHit, own);
    for (const [at, hit] of own.entries()) elementsOfHit.set(hit, elements[at] ?? []);
  }
  return hits.map((hit) => ({ ...hit, elements: elementsOfHit.get(hit) ?? [] }));
}

/** The page of elements. */
function pageOf(hits: readonly HitRow[], plan: Plan): HitRow[] {
  const rows: HitRow[] = [];
  let [skip, left] = [plan.from, plan.size];
  for (const hit of hits) {
    if (left <= 0) break;
    const owned = hit.elements ?? [];
    if (skip >= owned.length) {
      skip -= owned.length;
      continue;
    }
    const elements = owned.slice(skip, skip + left);
    rows.push({ ...hit, elements });
    left -= elements.length;
    skip = 0;
  }
  return rows;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const EMPTY = new Uint8Array(0);

/** Some elements of a document as hits. */
export function elementHits(
  { innerHit }: OpenTarget,
  segment: Segment,
  { index, row, score, sort }: HitRow,
  elements: readonly number[],
): Hit[] {
  if (innerHit === undefined) throw new TypeError('Not a target with elements');
  const { path } = innerHit;
  const members = JSON.parse(`{${decoder.decode(segment.sources.nested(row))}}`);
  const all = objectsIn((members as Record<string, unknown>)[path]);
  return elements.map((at) => ({
    ...{ index, id: segment.ids.term(row), score, sort },
    root: encoder.encode(JSON.stringify(all[at])),
    nested: EMPTY,
    elementOf: path,
  }));
}
