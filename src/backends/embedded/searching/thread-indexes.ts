// The indexes of another thread, as a thread that searches them has them. A segment is opened by the
// first request that needs it. A segment in several states of an index is opened once and keeps its
// caches.
// Invariant: a segment is released when no list has it and no request reads it, and then nothing of it
// is cached.
import type { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import type { Segment, SegmentView } from '../../../engine/sections/segment.ts';
import type { Target } from '../../../query/plan.ts';
import type { BackendFigures } from '../../../service/ports/search-backend.ts';
import { SegmentSources } from '../files/segment-sources.ts';
import type { IndexCaches } from '../indexes/cache-sizes.ts';
import { type CacheSizes, createCaches, figuresOf, queriesLimit } from '../indexes/cache-sizes.ts';
import type {
  FromIndexReader,
  IndexList,
  SharedIndex,
  SharedSegment,
  SharedView,
} from '../indexes/shared-indexes.ts';
import { closeSearched, openSearched } from '../indexes/stored-segment.ts';
import {
  closed,
  type SearchedIndex,
  type SearchedIndexes,
  type SearchedTarget,
} from './searched-indexes.ts';

export interface ThreadIndexesOptions {
  readonly cacheSizes: CacheSizes;
  /** Sends a message to the thread that has the indexes. */
  post(message: FromIndexReader): void;
  /** Tells that thread of a damaged segment. Resolves when it has discarded the index. */
  onDamaged(error: CorruptSegmentError, tenantId: string): Promise<void>;
}

export class ThreadIndexes implements SearchedIndexes {
  readonly caches: IndexCaches;
  readonly #options: ThreadIndexesOptions;
  readonly #indexes = new Map<string, ThreadIndex>();
  readonly #segments = new Map<number, ThreadSegment>();
  /** Why no index can answer. */
  #rebuildReason: string | null = 'The list of segments has not arrived yet';
  #bytes = 0;
  #closed = false;

  constructor(options: ThreadIndexesOptions) {
    this.#options = options;
    this.caches = createCaches(options.cacheSizes);
  }

  get figures(): BackendFigures['caches'] {
    return figuresOf(this.caches);
  }

  get(tenantId: string, { index }: Target): SearchedIndex {
    if (this.#closed) throw closed();
    const found = this.#indexes.get(keyOf({ tenantId, index }));
    if (this.#rebuildReason === null && found !== undefined) return found;
    return { rebuildReason: this.#rebuildReason, open: () => null };
  }

  onDamaged(error: CorruptSegmentError, tenantId: string): Promise<void> {
    return this.#options.onDamaged(error, tenantId);
  }

  /** Takes a new list: requests that begin from now on see it. */
  take({ number, indexes, rebuildReason }: IndexList): void {
    // One that was on its way when this thread closed its indexes changes nothing.
    if (!this.#closed) for (const index of indexes) this.#update(index);
    this.#rebuildReason = rebuildReason;
    const { queries } = this.#options.cacheSizes;
    this.caches.queries.limit(queriesLimit(queries, this.#bytes));
    this.#options.post({ kind: 'listed', number });
  }

  /** Ends what is cached; requests that begin later fail. */
  close(): void {
    this.#closed = true;
    for (const index of this.#indexes.values()) index.end();
    this.#indexes.clear();
  }

  #update({ news, ...state }: SharedIndex): void {
    for (const shared of news) {
      this.#bytes += bytesOf(shared);
      const onUnused = () => this.#release(shared);
      this.#segments.set(shared.id, new ThreadSegment(shared, this.caches, onUnused));
    }
    const key = keyOf(state);
    const before = this.#indexes.get(key);
    if (state.views.length === 0 && state.rebuildReason === null) this.#indexes.delete(key);
    else {
      const parts = state.views.map((view) => ({ view, segment: this.#segment(view.segment) }));
      this.#indexes.set(key, new ThreadIndex(parts, state.rebuildReason, this.caches));
    }
    // After the new list has taken its segments, so that one in both stays open.
    before?.end();
  }

  #segment(id: number): ThreadSegment {
    const segment = this.#segments.get(id);
    if (segment === undefined) throw new Error(`Segment ${id} was not sent`);
    return segment;
  }

  #release(shared: SharedSegment): void {
    this.#bytes -= bytesOf(shared);
    this.#segments.delete(shared.id);
    this.#options.post({ kind: 'released', segments: [shared.id] });
  }
}

function keyOf({ tenantId, index }: Pick<SharedIndex, 'tenantId' | 'index'>): string {
  return `${index} ${tenantId}`;
}

function bytesOf({ index, sources }: SharedSegment): number {
  const { length } = sources.kind === 'file' ? sources : sources.bytes;
  return index.bytes.length + length;
}

/** A segment, opened when it is first read. Counts the lists that have it. */
class ThreadSegment {
  readonly #shared: SharedSegment;
  readonly #caches: IndexCaches;
  readonly #onUnused: () => void;
  #opened: { readonly segment: Segment; readonly sources: SegmentSources } | null = null;
  #lists = 0;

  constructor(shared: SharedSegment, caches: IndexCaches, onUnused: () => void) {
    this.#shared = shared;
    this.#caches = caches;
    this.#onUnused = onUnused;
  }

  /** @throws CorruptSegmentError; ServiceError `unavailable` if its file cannot be opened */
  get segment(): Segment {
    this.#opened ??= this.#open();
    return this.#opened.segment;
  }

  retain(): void {
    this.#lists += 1;
  }

  release(): void {
    this.#lists -= 1;
    if (this.#lists > 0) return;
    if (this.#opened !== null) {
      closeSearched(this.#opened.segment, this.#caches);
      this.#opened.sources.release();
    }
    this.#onUnused();
  }

  #open() {
    const { name, index, sources: handle } = this.#shared;
    const sources = new SegmentSources(name, handle);
    return { segment: openSearched(name, index, sources, this.#caches), sources };
  }
}

/** One state of an index. Counts the requests that read it, and the list that has it. */
class ThreadIndex implements SearchedIndex {
  readonly rebuildReason: string | null;
  readonly #parts: readonly { readonly view: SharedView; readonly segment: ThreadSegment }[];
  readonly #caches: IndexCaches;
  #snapshot: SearchedTarget['snapshot'] | null = null;
  #users = 1;

  constructor(
    parts: readonly { readonly view: SharedView; readonly segment: ThreadSegment }[],
    rebuildReason: string | null,
    caches: IndexCaches,
  ) {
    this.#parts = parts;
    this.rebuildReason = rebuildReason;
    this.#caches = caches;
    for (const { segment } of parts) segment.retain();
  }

  open(): SearchedTarget['snapshot'] | null {
    if (this.#parts.length === 0) return null;
    // path: in another thread
    this.#snapshot ??= this.#makeSnapshot();
    this.#users += 1;
    return this.#snapshot;
  }

  /** The list has another state of the index. */
  end(): void {
    if (this.#snapshot !== null) this.#caches.results.sectionOf(this.#snapshot.views).close();
    this.#release();
  }

  #makeSnapshot(): SearchedTarget['snapshot'] {
    const views: readonly SegmentView[] = this.#parts.map(({ view, segment }) => {
      return { segment: segment.segment, liveDocs: view.liveDocs, liveCount: view.liveCount };
    });
    const { queries: cache } = this.#caches;
    return { views, cache, state: cache.numberOf(views), release: () => this.#release() };
  }

  #release(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    for (const { segment } of this.#parts) segment.release();
  }
}
