// The segments of an index as if it had only the documents that a query matches: all others count as
// deleted. So whatever leaves deleted documents out (matches, counts, expansions of terms, buckets of
// zero documents, documents by id) leaves them out, too.
// The matching rows of a segment stay the same as long as the segment exists; they are cached from
// the second use of the query on, and the list of segments that they make as long as the index does
// not change.
// Invariant: the views are in the order of those of the index, none is left out.
import type { Query } from '../../query/query.ts';
import {
  DerivedPart,
  type IndexSegments,
  KeyedPart,
  type QueryCache,
} from '../index/query-cache.ts';
import { createWeight } from '../matching/create-weight.ts';
import { gatherRows, knownRows } from '../matching/known-rows.ts';
import { countBits, newBitSet } from '../rows/bit-set.ts';
import type { Weight } from '../scoring/weight.ts';
import type { SegmentView } from '../sections/segment.ts';

/** Longer queries are not cached. */
const KEY_MAX = 64 * 1024;
/** Bytes of the lists that are kept of one state of an index. */
const LISTS_BYTES_MAX = 4 * 2 ** 20;

/** Matching rows, deleted ones included; null for all. By segment and query. */
const ROWS = new KeyedPart<Uint32Array | null>('visible rows');
/** Lists of views by query. */
const LISTS = new DerivedPart(
  (_: readonly SegmentView[]) => new Map<string, readonly SegmentView[]>(),
);

/** @param visible matches the documents that exist; throws what createWeight throws */
export function* visibleSegments(
  segments: IndexSegments,
  visible: Query,
): Generator<void, IndexSegments> {
  const { views, cache } = segments;
  const key = JSON.stringify(visible);
  const lists = cache.of(LISTS, views);
  const known = lists.get(key);
  if (known !== undefined) return { views: known, cache };
  const isKept = key.length <= KEY_MAX && cache.countUse(ROWS, key) > 1;
  const rows = new VisibleRows(segments, visible, isKept ? key : null);
  const confined: SegmentView[] = [];
  for (const [at, view] of views.entries()) {
    confined.push(confinedView(view, yield* rows.of(at)));
    yield;
  }
  if (isKept) keep(lists, key, confined);
  return { views: confined, cache };
}

/** The rows of each segment that match. */
class VisibleRows {
  readonly #segments: IndexSegments;
  readonly #visible: Query;
  readonly #cache: QueryCache;
  /** null: not cached. */
  readonly #key: string | null;
  #weight: Weight | null = null;

  constructor(segments: IndexSegments, visible: Query, key: string | null) {
    this.#segments = segments;
    this.#visible = visible;
    this.#cache = segments.cache;
    this.#key = key;
  }

  *of(at: number): Generator<void, Uint32Array | null> {
    const { segment } = this.#segments.views[at]!;
    const key = this.#key;
    const cached = key === null ? undefined : this.#cache.get(ROWS, segment, key);
    if (cached !== undefined) return cached;
    const rows = yield* this.#compute(at, segment.docCount);
    const bytes = rows?.byteLength ?? 0;
    if (key !== null) this.#cache.add(ROWS, [segment], key, { value: rows, bytes });
    return rows;
  }

  *#compute(at: number, rowCount: number): Generator<void, Uint32Array | null> {
    const scope = { ...this.#segments, path: null, scoring: false, boost: 1 };
    this.#weight ??= yield* createWeight(this.#visible, scope);
    const scorer = yield* this.#weight.scorer(at);
    if (scorer === null) return newBitSet(rowCount);
    const known = yield* knownRows(scorer, rowCount);
    return known === undefined ? yield* gatherRows(scorer, rowCount) : known;
  }
}

function confinedView(view: SegmentView, rows: Uint32Array | null): SegmentView {
  const { segment, liveDocs } = view;
  if (rows === null) return { segment, liveDocs, liveCount: view.liveCount, isConfined: true };
  const visible = rows.slice();
  if (liveDocs !== null) {
    for (let word = 0; word < visible.length; word++) visible[word]! &= liveDocs[word]!;
  }
  return { segment, liveDocs: visible, liveCount: countBits(visible, null), isConfined: true };
}

/** Keeps a list; when all of them have too many bytes, only this one. */
function keep(
  lists: Map<string, readonly SegmentView[]>,
  key: string,
  list: readonly SegmentView[],
): void {
  const bytes = list.reduce((sum, { liveDocs }) => sum + (liveDocs?.byteLength ?? 0), key.length);
  if ((lists.size + 1) * bytes > LISTS_BYTES_MAX) lists.clear();
  lists.set(key, list);
}
