// Elements of a nested table in an order of their own: by fields of the elements and of their
// documents, then by document and position. As for documents, a segment's elements are scanned in a
// cached order or, where few match, collected.
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { InnerHit, Plan } from '../../query/plan.ts';
import type { IndexName, Query, SortValue } from '../../query/query.ts';
import type { IndexSegments, QueryCache } from '../index/query-cache.ts';
import { createWeight } from '../matching/create-weight.ts';
import { countBits } from '../rows/bit-set.ts';
import type { SegmentView } from '../sections/segment.ts';
import { tableOf } from '../terms/field-terms.ts';
import { bestElements, type ElementRows } from './element-hits.ts';
import { countLiveRows, matchingElements } from './element-rows.ts';
import { type HitRow, mergeHits } from './hit-merge.ts';
import { OrderedHits, scanPays } from './ordered-hits.ts';
import { RankedHits } from './ranked-hits.ts';
import { rowOrder } from './row-order.ts';
import type { SegmentHits } from './segment-hits.ts';
import { type AfterRow, elementColumn, placesOf } from './sort-column.ts';

/** The elements of one index. */
export interface ElementTarget {
  readonly index: IndexName;
  readonly query: Query;
  readonly innerHit: InnerHit;
  readonly mapping: Mapping;
  readonly snapshot: IndexSegments;
}

/** The page of a plan with `elementOrder`. */
export type ElementPage = Pick<Plan, 'sort' | 'searchAfter' | 'from' | 'size' | 'trackTotal'>;

/**
 * The hits of a page, each with one element; their sort values end with the id of the document and
 * the position of the element, as those of `searchAfter` do. Throws what createWeight throws.
 */
export function* orderedElements(
  { index, query, innerHit, mapping, snapshot }: ElementTarget,
  page: ElementPage,
): Generator<void, { readonly hits: HitRow[]; readonly total: number | null }> {
  const { sort, from, size, trackTotal } = page;
  const { views, cache } = snapshot;
  const scope = { views, cache, scoring: false, boost: 1 };
  const inner = yield* createWeight(innerHit.query, { ...scope, path: innerHit.path });
  const outer = yield* createWeight(query, { ...scope, path: null });
  const parts: SegmentHits[] = [];
  for (const [at, view] of views.entries()) {
    const table = tableOf(view, innerHit.path);
    if (table === undefined || table.rowCount === 0) continue;
    const documents = yield* outer.scorer(at);
    const elements = documents === null ? null : yield* inner.scorer(at);
    if (documents === null || elements === null) continue;
    const matching = yield* matchingElements(documents, elements, table);
    const columns = sort.map((key) => elementColumn(key, mapping, view, table));
    const place = { target: 0, index, view: at, segment: view.segment, columns };
    const rows: ElementRows = { place, view, table, matching };
    parts.push(yield* hitsOf(rows, page, cache));
  }
  const end = size === 0 ? 0 : from + size;
  const { hits } = yield* mergeHits(parts, sort, from, end);
  let total = 0;
  if (trackTotal) for (const part of parts) total += yield* part.count();
  return { hits: hits.map((hit) => withPlace(hit, views)), total: trackTotal ? total : null };
}

/** The hits of a segment, by the way that visits the fewest elements. */
function* hitsOf(
  rows: ElementRows,
  { sort, searchAfter, from, size }: ElementPage,
  cache: QueryCache,
): Generator<void, SegmentHits> {
  const { view, table, matching, place } = rows;
  const end = size === 0 ? 0 : from + size;
  const after = searchAfter === undefined ? null : placeAfter(searchAfter, rows);
  if (sort.length === 0 || end === 0) return new OrderedHits(place, rows, null, after);
  const count = matching === null ? table.rowCount : countBits(matching, null);
  if (scanPays(end, table.rowCount, count)) {
    const { segment } = view;
    const order = yield* rowOrder({ segment, table }, sort, place.columns, end, cache);
    if (order !== null) /* path: order scanned */ return new OrderedHits(place, rows, order, after);
  }
  const best = yield* bestElements(rows, Math.min(end, count), after);
  // path: collected
  return new RankedHits(place, table, best, () => countLiveRows(matching, table, view));
}

/** Where `searchAfter` is in a segment. */
function placeAfter(values: readonly SortValue[], { place, table, view }: ElementRows): AfterRow {
  const { columns } = place;
  const { ids } = view.segment;
  const firstRow = table.firstRow!;
  const id = String(values[columns.length]);
  const position = Number(values[columns.length + 1]);
  const root = ids.find(id);
  const row =
    root < 0
      ? /* path: after a deleted document */ firstRow[ids.ceiling(id)]!
      : Math.min(firstRow[root]! + position + 1, firstRow[root + 1]!);
  return { places: placesOf(columns, values), row };
}

function withPlace(hit: HitRow, views: readonly SegmentView[]): HitRow {
  const id = views[hit.view]!.segment.ids.term(hit.row);
  return { ...hit, sort: [...hit.sort, id, hit.elements![0]!] };
}
