// Searches the segments of one index as they were at one moment (Lucene's IndexSearcher). Work is done in small
// steps: a caller drives the generators and may stop between any two.
// Invariant: no result depends on how the documents are spread over segments.
import type { Mapping } from '../../query/mapping.ts';
import type { Query, SortKey, SortValue } from '../../query/plan.ts';
import type { SegmentView } from '../index/segment.ts';
import { compareBytes } from '../index/utf8.ts';
import { bestMatches, countMatches, firstMatches } from './collector.ts';
import { createWeight } from './create-weight.ts';
import { allByScore, bestByScore, Pruning } from './score-collector.ts';
import { type Scorer, STEPS_PER_YIELD } from './scorer.ts';
import { scores } from './scoring.ts';
import { type SortColumn, sortColumn } from './sort-column.ts';
import { BY_SCORE, compareSortValues } from './sort-order.ts';
import { TopRows } from './top-rows.ts';
import type { Weight } from './weight.ts';

/** One document found. */
export interface ScoredDoc {
  /** Index into the searcher's views. */
  readonly view: number;
  /** Row of the root table. */
  readonly row: number;
  /** null where the order does not depend on it. */
  readonly score: number | null;
  /** The values of the request's sort keys. */
  readonly sort: readonly SortValue[];
}

export interface SearchRequest {
  /** Empty: by score where the query scores, else by id. */
  readonly sort: readonly SortKey[];
  /** Same length as `sort`. */
  readonly searchAfter?: readonly SortValue[] | undefined;
  /** from + size of the page: as many of the first documents are answered. */
  readonly size: number;
  readonly trackTotal: boolean;
  /** For a search by score alone: shared by all that answer one request. */
  readonly pruning?: Pruning;
}

export interface TopDocs {
  readonly docs: ScoredDoc[];
  /** Live documents that match; null unless asked for. */
  readonly total: number | null;
}

/** What one segment contributes: its documents in order, made when they are wanted. */
interface Part {
  /** The next document; null behind the last. */
  next(): ScoredDoc | null;
}

export class Searcher {
  readonly #mapping: Mapping;
  readonly #views: readonly SegmentView[];

  constructor(mapping: Mapping, views: readonly SegmentView[]) {
    this.#mapping = mapping;
    this.#views = views;
  }

  /** The first documents of a query in order. Throws what createWeight throws. */
  *search(query: Query, request: SearchRequest): Generator<void, TopDocs> {
    if (request.size === 0) {
      return { docs: [], total: request.trackTotal ? yield* this.count(query) : null };
    }
    const { sort } = request;
    if (sort.length > 0) return yield* this.#byKeys(query, request);
    if (!scores(query)) return yield* this.#byId(query, request);
    const { docs, total } = yield* this.#byKeys(query, { ...request, sort: [BY_SCORE] });
    return { docs: docs.map((doc) => ({ ...doc, sort: [] })), total };
  }

  /** How many live documents match. Throws what createWeight throws. */
  *count(query: Query): Generator<void, number> {
    const weight = yield* this.#weight(query, false);
    let total = 0;
    for (const view of this.#views.keys()) total += yield* this.#countIn(weight, view);
    return total;
  }

  #weight(query: Query, scoring: boolean): Generator<void, Weight> {
    return createWeight(query, { views: this.#views, path: null, scoring, boost: 1 });
  }

  *#countIn(weight: Weight, index: number): Generator<void, number> {
    const view = this.#views[index]!;
    const known = knownCount(weight, index, view);
    if (known >= 0) return known;
    const scorer = yield* weight.scorer(index);
    return scorer === null ? 0 : yield* countMatches(scorer, view);
  }

  /** Rows stand in id order, so the first matching rows of each segment are enough. */
  *#byId(query: Query, { size, trackTotal }: SearchRequest): Generator<void, TopDocs> {
    const weight = yield* this.#weight(query, false);
    const parts: Part[] = [];
    let total = 0;
    for (const [index, view] of this.#views.entries()) {
      const scorer = yield* weight.scorer(index);
      if (scorer === null) continue;
      const rows = yield* firstMatches(scorer, view, size);
      let at = 0;
      const row = (): ScoredDoc => ({ view: index, row: rows[at++]!, score: null, sort: [] });
      parts.push({ next: () => (at < rows.length ? row() : null) });
      if (!trackTotal) continue;
      total += rows.length < size ? rows.length : yield* this.#countIn(weight, index);
    }
    return { docs: yield* this.#merge(parts, [], size), total: trackTotal ? total : null };
  }

  *#byKeys(query: Query, request: SearchRequest): Generator<void, TopDocs> {
    const { sort, searchAfter, size, trackTotal } = request;
    const scoring = sort.some((key) => key.type === 'score');
    if (scoring && sort.length === 1 && searchAfter === undefined) {
      return yield* this.#byScore(query, request);
    }
    const weight = yield* this.#weight(query, scoring);
    const parts: Part[] = [];
    let total = 0;
    for (const [index, view] of this.#views.entries()) {
      const scorer = yield* weight.scorer(index);
      if (scorer === null) continue;
      const columns = sort.map((key) => sortColumn(key, this.#mapping, view));
      const after = searchAfter === undefined ? null : placesOf(columns, searchAfter);
      const top = new TopRows(Math.min(size, view.segment.docCount), sort.length);
      total += yield* bestMatches(scorer, view, { columns, after, scoring }, top);
      parts.push(partOf(index, top, columns, sort));
    }
    return { docs: yield* this.#merge(parts, sort, size), total: trackTotal ? total : null };
  }

  /** The best by score alone: segments that may have the best ones are first, so that less is looked at in the others. */
  *#byScore(query: Query, request: SearchRequest): Generator<void, TopDocs> {
    const { sort, size, trackTotal } = request;
    const weight = yield* this.#weight(query, true);
    const asked: { readonly index: number; readonly scorer: Scorer }[] = [];
    for (const index of this.#views.keys()) {
      const scorer = yield* weight.scorer(index);
      if (scorer !== null) asked.push({ index, scorer });
    }
    asked.sort((a, b) => b.scorer.maxScore - a.scorer.maxScore || this.#bySize(a.index, b.index));
    const pruning = request.pruning ?? new Pruning(size);
    // Rows with this score must stand before this id. What ties with an earlier index stands behind it.
    let ties = { score: pruning.leastScore, id: '' };
    const parts: Part[] = [];
    let total = 0;
    for (const { index, scorer } of asked) {
      const view = this.#views[index]!;
      const { ids } = view.segment;
      const known = trackTotal ? knownCount(weight, index, view) : 0;
      const top = new TopRows(Math.min(size, view.segment.docCount), 1);
      if (known >= 0) {
        const { score, id } = ties;
        yield* bestByScore(scorer, view, top, pruning, { score, end: ids.ceiling(id) });
        total += known;
      } else total += yield* allByScore(scorer, view, top);
      const worst = top.count === size ? 0 - top.worstPlace : -1;
      if (worst >= 0 && worst === pruning.leastScore)
        ties = { score: worst, id: ids.term(top.worstRow) };
      parts.push(partOf(index, top, [sortColumn(BY_SCORE, this.#mapping, view)], sort));
    }
    return { docs: yield* this.#merge(parts, sort, size), total: trackTotal ? total : null };
  }

  /** Greater segments first. */
  #bySize(left: number, right: number): number {
    return this.#views[right]!.segment.docCount - this.#views[left]!.segment.docCount;
  }

  /** The first `size` documents of all segments. */
  *#merge(
    parts: readonly Part[],
    sort: readonly SortKey[],
    size: number,
  ): Generator<void, ScoredDoc[]> {
    const docs: ScoredDoc[] = [];
    // In order of their next documents, the best one last, where it is cheap to take.
    const open: { readonly part: Part; doc: ScoredDoc }[] = [];
    const insert = (part: Part, doc: ScoredDoc): void => {
      let at = open.length;
      while (at > 0 && this.#compare(sort, doc, open[at - 1]!.doc) > 0) at -= 1;
      open.splice(at, 0, { part, doc });
    };
    for (const part of parts) {
      const doc = part.next();
      if (doc !== null) insert(part, doc);
    }
    while (docs.length < size) {
      const best = open.pop();
      if (best === undefined) break;
      docs.push(best.doc);
      const next = best.part.next();
      if (next !== null) insert(best.part, next);
      if (docs.length % MERGE_STEPS === 0) yield;
    }
    return docs;
  }

  #compare(sort: readonly SortKey[], left: ScoredDoc, right: ScoredDoc): number {
    const tie = (): number => this.#compareIds(left, right);
    return compareSortValues(sort, left.sort, right.sort, tie) || tie();
  }

  #compareIds(left: ScoredDoc, right: ScoredDoc): number {
    if (left.view === right.view) return left.row - right.row;
    const a = this.#views[left.view]!.segment.ids;
    const b = this.#views[right.view]!.segment.ids;
    return compareBytes(
      a.bytes,
      a.offsets[left.row]!,
      a.offsets[left.row + 1]!,
      b.bytes,
      b.offsets[right.row]!,
      b.offsets[right.row + 1]!,
    );
  }
}

/** How many live documents of a view match, where the weight knows; else -1. */
function knownCount(weight: Weight, index: number, view: SegmentView): number {
  const known = weight.count(index);
  if (known === view.segment.docCount) return view.liveCount;
  return known === 0 || view.liveDocs === null ? known : -1;
}

/** Finding the place of a document, strings and ids included, costs a few plain steps. */
const MERGE_STEPS = STEPS_PER_YIELD / 16;

function placesOf(columns: readonly SortColumn[], values: readonly SortValue[]): Float64Array {
  return Float64Array.from(columns, (column, at) => column.placeOf(values[at] ?? null));
}

function partOf(
  view: number,
  top: TopRows,
  columns: readonly SortColumn[],
  sort: readonly SortKey[],
): Part {
  const scoreKey = sort.findIndex((key) => key.type === 'score');
  let left = top.count;
  top.startTaking();
  return {
    next() {
      if (left === 0) return null;
      left -= 1;
      const entry = top.take();
      const values = columns.map((column, key) => column.valueAt(top.place(entry, key)));
      const score = scoreKey < 0 ? null : 0 - top.place(entry, scoreKey);
      return { view, row: top.row(entry), score, sort: values };
    },
  };
}
