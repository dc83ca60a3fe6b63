// A plan with an inner query: its rows are elements of nested arrays, in the order of the documents that own them.
// Each document owns at least one, so the first documents are enough for the first rows.

import { countElements, elementsOf } from '../../../engine/hits/inner-hits.ts';
import { type FoundDoc, searchTargets } from '../../../engine/hits/multi-search.ts';
import { Searcher } from '../../../engine/hits/searcher.ts';
import type { Segment } from '../../../engine/index/segment.ts';
import type { Hit } from '../../../identity/ports/search-backend.ts';
import type { InnerHit, Plan } from '../../../query/plan.ts';
import type { FoundPage, FoundRow } from './found-page.ts';
import type { OpenTarget } from './open-target.ts';

/** A target that can have rows. */
interface ElementTarget extends OpenTarget {
  readonly innerHit: InnerHit;
}

export function* elementSteps(
  targets: readonly OpenTarget[],
  plan: Plan,
): Generator<void, FoundPage> {
  const asked = targets.filter((target): target is ElementTarget => target.innerHit !== undefined);
  const size = plan.size === 0 ? 0 : plan.from + plan.size;
  const found = yield* searchTargets(
    asked.map(({ index, query, mapping, snapshot }) => ({
      index,
      query,
      searcher: new Searcher(mapping, snapshot.views),
    })),
    { ...plan, from: 0, size, trackTotal: false },
  );
  const rows = yield* rowsOf(asked, found.hits, plan);
  if (!plan.trackTotal) return { rows, total: null };
  let total = 0;
  for (const { query, innerHit, snapshot } of asked) {
    total += yield* countElements(snapshot.views, query, innerHit);
  }
  return { rows, total };
}

function* rowsOf(
  targets: readonly ElementTarget[],
  docs: readonly FoundDoc[],
  plan: Plan,
): Generator<void, FoundRow[]> {
  const places = new Map<FoundDoc, readonly number[]>();
  for (const { index, innerHit, snapshot } of targets) {
    const own = docs.filter((found) => found.index === index);
    const elements = yield* elementsOf(
      snapshot.views,
      innerHit,
      own.map(({ doc }) => doc),
    );
    for (const [at, found] of own.entries()) places.set(found, elements[at] ?? []);
  }
  const rows: FoundRow[] = [];
  let [skip, left] = [plan.from, plan.size];
  for (const found of docs) {
    if (left <= 0) break;
    const owned = places.get(found) ?? [];
    if (skip >= owned.length) {
      skip -= owned.length;
      continue;
    }
    const elements = owned.slice(skip, skip + left);
    const { view, row, score, sort } = found.doc;
    rows.push({ index: found.index, view, row, score, sort, elements });
    left -= elements.length;
    skip = 0;
  }
  return rows;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const EMPTY = new Uint8Array(0);

/** Some elements of a document, as hits. */
export function elementHits(
  { innerHit }: OpenTarget,
  segment: Segment,
  { index, row, score, sort }: FoundRow,
  elements: readonly number[],
): Hit[] {
  if (innerHit === undefined) throw new TypeError('Not a target with elements');
  const { path } = innerHit;
  const members = JSON.parse(`{${decoder.decode(segment.sources.nested(row))}}`);
  const all = elementsIn((members as Record<string, unknown>)[path]);
  return elements.map((at) => ({
    ...{ index, id: segment.ids.term(row), score, sort },
    root: encoder.encode(JSON.stringify(all[at])),
    nested: EMPTY,
    elementOf: path,
  }));
}

/** The objects of an array in order, as they were given rows. */
function elementsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(elementsIn);
  return typeof value === 'object' && value !== null ? [value] : [];
}
