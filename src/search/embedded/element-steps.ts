// A plan with an inner query: its rows are elements of nested arrays, in the order of the documents that own them.
// Each document owns at least one, so the first documents are enough for the first rows.
import { countElements, elementsOf } from '../../engine/search/inner-hits.ts';
import { type FoundDoc, searchTargets } from '../../engine/search/multi-search.ts';
import { Searcher } from '../../engine/search/searcher.ts';
import type { Hit, SearchResult } from '../../identity/search-backend.ts';
import type { InnerHit, Plan } from '../../query/plan.ts';
import type { OpenTarget } from './open-target.ts';

/** A target that can have rows. */
interface ElementTarget extends OpenTarget {
  readonly innerHit: InnerHit;
}

export function* elementSteps(
  targets: readonly OpenTarget[],
  plan: Plan,
  onFound: () => void,
): Generator<void, SearchResult> {
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
  onFound();
  const hits = yield* rowsOf(asked, found.hits, plan);
  if (!plan.trackTotal) return { hits, total: null };
  let total = 0;
  for (const { query, innerHit, snapshot } of asked) {
    total += yield* countElements(snapshot.views, query, innerHit);
  }
  return { hits, total };
}

function* rowsOf(
  targets: readonly ElementTarget[],
  docs: readonly FoundDoc[],
  plan: Plan,
): Generator<void, Hit[]> {
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
  const byIndex = new Map(targets.map((target) => [target.index, target]));
  const hits: Hit[] = [];
  let skip = plan.from;
  for (const found of docs) {
    if (hits.length >= plan.size) break;
    const rows = places.get(found) ?? [];
    const target = byIndex.get(found.index);
    if (skip >= rows.length || target === undefined) {
      skip -= rows.length;
      continue;
    }
    const wanted = rows.slice(skip, skip + plan.size - hits.length);
    hits.push(...rowsOfDocument(target, found, wanted));
    skip = 0;
    yield;
  }
  return hits;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const EMPTY = new Uint8Array(0);

function rowsOfDocument(
  { innerHit: { path }, snapshot }: ElementTarget,
  { index, doc }: FoundDoc,
  rows: readonly number[],
): Hit[] {
  const segment = snapshot.views[doc.view]?.segment;
  if (segment === undefined) throw new Error(`No segment ${doc.view} in ${index}`);
  const members = JSON.parse(`{${decoder.decode(segment.sources.nested(doc.row))}}`);
  const elements = elementsIn((members as Record<string, unknown>)[path]);
  return rows.map((row) => ({
    index,
    id: segment.ids.term(doc.row),
    score: doc.score,
    sort: doc.sort,
    root: encoder.encode(JSON.stringify(elements[row])),
    nested: EMPTY,
    elementOf: path,
  }));
}

/** The objects of an array in order, as they were given rows. */
function elementsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(elementsIn);
  return typeof value === 'object' && value !== null ? [value] : [];
}
