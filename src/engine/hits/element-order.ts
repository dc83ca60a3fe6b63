// Elements of a nested table in an order of their own: by fields of the elements and of their
// documents, then by document and position. All matching elements are visited, but those before the
// page by `searchAfter` without keys.
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { InnerHit, Plan } from '../../query/plan.ts';
import type { IndexName, Query, SortKey, SortValue } from '../../query/query.ts';
import { done } from '../../query/steps.ts';
import { isLive } from '../index/live-docs.ts';
import type { IndexSegments } from '../index/query-cache.ts';
import { NO_MORE_DOCS, type SegmentView, type Table } from '../index/segment.ts';
import { createWeight } from '../matching/create-weight.ts';
import { type Scorer, STEPS_PER_YIELD } from '../matching/scorer.ts';
import { hasBit } from '../rows/bit-set.ts';
import { gatherRows } from '../rows/known-rows.ts';
import { tableOf } from '../terms/field-terms.ts';
import { type HitRow, mergeHits } from './hit-merge.ts';
import { type HitSource, type SegmentHits, SegmentHitsBase } from './segment-hits.ts';
import { elementColumn, type SortColumn } from './sort-column.ts';
import { TopRows } from './top-rows.ts';

/** The elements of one index. */
export interface ElementTarget {
  readonly index: IndexName;
  readonly query: Query;
  readonly innerHit: InnerHit;
  readonly mapping: Mapping;
  readonly snapshot: IndexSegments;
}

/** What a plan asks for. */
export type ElementPage = Pick<Plan, 'sort' | 'searchAfter' | 'from' | 'size' | 'trackTotal'>;

/**
 * The hits of a page, each with one element; their sort values end with the id of the document and
 * the position of the element. Throws what createWeight throws.
 * @param page values of `searchAfter` end likewise
 */
export function* orderedElements(
  { index, query, innerHit, mapping, snapshot }: ElementTarget,
  { sort, searchAfter, from, size, trackTotal }: ElementPage,
): Generator<void, { readonly hits: HitRow[]; readonly total: number | null }> {
  const { views, cache } = snapshot;
  const scope = { views, cache, scoring: false, boost: 1 };
  const inner = yield* createWeight(innerHit.query, { ...scope, path: innerHit.path });
  const all = query.kind === 'matchAll';
  const outer = all ? null : yield* createWeight(query, { ...scope, path: null });
  const parts: SegmentHits[] = [];
  let total = 0;
  for (const [at, view] of views.entries()) {
    const table = tableOf(view, innerHit.path);
    const scorer = table === undefined ? null : yield* inner.scorer(at);
    if (table === undefined || scorer === null) continue;
    const roots = outer === null ? null : yield* outer.scorer(at);
    if (outer !== null && roots === null) continue;
    const documents = roots === null ? null : yield* gatherRows(roots, view.segment.docCount);
    const columns = sort.map((key) => elementColumn(key, mapping, view, table));
    const collector = new ElementCollector({ view, table, documents, columns }, scorer, {
      size: size === 0 ? 0 : from + size,
      after: searchAfter === undefined ? null : placeAfter(searchAfter, columns, view, table),
      counts: trackTotal,
    });
    while (collector.advance()) yield;
    total += collector.count;
    const place = { target: 0, index, view: at, segment: view.segment, columns };
    parts.push(new ElementHits(place, collector.top, table));
  }
  const { hits } = yield* mergeHits(parts, sort, from, from + size);
  return {
    hits: hits.map((hit) => withPlace(hit, sort, snapshot)),
    total: trackTotal ? total : null,
  };
}

/** The elements of a segment. */
interface ElementRows {
  readonly view: SegmentView;
  readonly table: Table;
  /** The documents whose elements are asked for; null: all. */
  readonly documents: Uint32Array | null;
  readonly columns: readonly SortColumn[];
}

/** The place of `searchAfter` in a segment: elements that tie are after it from `row` on. */
interface After {
  readonly places: Float64Array;
  readonly row: number;
}

/** Keeps the first elements of a segment. */
class ElementCollector {
  readonly top: TopRows;
  /** Elements visited so far that match; all of them in the end, if they are counted. */
  count = 0;
  readonly #rows: ElementRows;
  readonly #scorer: Scorer;
  readonly #after: After | null;
  /** Without sort keys the first rows are the first elements. */
  readonly #endsEarly: boolean;
  readonly #capacity: number;
  readonly #places: Float64Array;
  /** True if there is no element where the page would start. */
  #isAtEnd = false;

  constructor(
    rows: ElementRows,
    scorer: Scorer,
    page: { readonly size: number; readonly after: After | null; readonly counts: boolean },
  ) {
    const keys = rows.columns.length;
    const { after } = page;
    this.#endsEarly = keys === 0 && !page.counts;
    const left = rows.table.rowCount - (keys === 0 ? (after?.row ?? 0) : 0);
    this.#capacity = Math.min(page.size, left);
    this.top = new TopRows(this.#capacity, keys);
    this.#rows = rows;
    this.#scorer = scorer;
    this.#after = page.after;
    this.#places = new Float64Array(keys);
    if (this.#endsEarly && after !== null && after.row > 0 && left > 0) this.#skipTo(after.row);
  }

  /** Visits some elements; true if there may be more. */
  advance(): boolean {
    if (this.#isAtEnd) return false;
    const { view, table, documents } = this.#rows;
    const parent = table.parent!;
    const scorer = this.#scorer;
    for (let step = 0; step < STEPS_PER_YIELD; step++) {
      if (this.#endsEarly && this.top.count === this.#capacity) return false;
      const row = scorer.nextDoc();
      if (row === NO_MORE_DOCS) return false;
      this.#visit(row, parent[row]!, view, documents);
    }
    return true;
  }

  /** Visits the first element from a row on, after which `advance` continues. */
  #skipTo(from: number): void {
    const { view, table, documents } = this.#rows;
    const row = this.#scorer.advance(from);
    this.#isAtEnd = row === NO_MORE_DOCS;
    if (!this.#isAtEnd) this.#visit(row, table.parent![row]!, view, documents);
  }

  #visit(row: number, root: number, view: SegmentView, documents: Uint32Array | null): void {
    if (!isLive(view, root)) return;
    if (documents !== null && !hasBit(documents, root)) return;
    if (!this.#scorer.matches()) return;
    this.count += 1;
    const { columns } = this.#rows;
    const places = this.#places;
    for (let key = 0; key < columns.length; key++) places[key] = columns[key]!.place(row, 0);
    if (this.#after === null || isAfter(places, row, this.#after)) this.top.offer(row, places);
  }
}

function isAfter(places: Float64Array, row: number, after: After): boolean {
  for (let key = 0; key < places.length; key++) {
    if (places[key] !== after.places[key]) return places[key]! > after.places[key]!;
  }
  return row >= after.row;
}

function placeAfter(
  values: readonly SortValue[],
  columns: readonly SortColumn[],
  { segment }: SegmentView,
  { firstRow, rowCount }: Table,
): After {
  const places = new Float64Array(columns.length);
  for (const [at, column] of columns.entries()) places[at] = column.placeOf(values[at] ?? null);
  const id = String(values[columns.length]);
  const position = Number(values[columns.length + 1]);
  const root = segment.ids.find(id);
  if (root < 0) return { places, row: firstRow![segment.ids.ceiling(id)] ?? rowCount };
  return { places, row: Math.min(firstRow![root]! + position + 1, firstRow![root + 1]!) };
}

/** The collected elements of a segment; rows are those of their documents. */
class ElementHits extends SegmentHitsBase {
  readonly #top: TopRows;
  readonly #table: Table;
  #remaining: number;

  constructor(place: HitSource, top: TopRows, table: Table) {
    super(place);
    this.#top = top;
    this.#table = table;
    this.#remaining = top.count;
    top.startTaking();
  }

  next(): number {
    if (this.#remaining === 0) {
      this.row = NO_MORE_DOCS;
      return this.row;
    }
    this.#remaining -= 1;
    const entry = this.#top.take();
    for (let key = 0; key < this.places.length; key++) {
      this.places[key] = this.#top.place(entry, key);
    }
    const row = this.#top.row(entry);
    this.row = this.#table.parent![row]!;
    this.element = row - this.#table.firstRow![this.row]!;
    return this.row;
  }

  count(): Generator<void, number> {
    return done(this.#remaining);
  }
}

function withPlace(
  hit: HitRow,
  sort: readonly SortKey[],
  { views }: Pick<IndexSegments, 'views'>,
): HitRow {
  const values = sort.length === 0 ? [] : hit.sort;
  const id = views[hit.view]!.segment.ids.term(hit.row);
  return { ...hit, sort: [...values, id, hit.elements![0]!] };
}
