// One index of one tenant: its segments, and the changes that are not in a segment yet. Searches
// use a snapshot of the segment list; every change creates a new list.
// Invariant: of two versions of a document the newer one wins, in whatever order and however often
// they arrive.
import type { IndexSegments, QueryCache } from '../../../engine/index/query-cache.ts';
import { addSegment, findRow, replaceMerged } from '../../../engine/index/segment-list.ts';
import type { Segment, SegmentView, SourceDocument } from '../../../engine/sections/segment.ts';
import type { IndexName } from '../../../query/query.ts';
import type { IndexHoldings } from '../../../service/ports/search-backend.ts';
import type { DocumentChange } from '../../../service/ports/store.ts';
import {
  type BuildJob,
  mergePart,
  packDocuments,
  type SharedBuffer,
} from '../building/build-job.ts';
import type { IndexCaches } from './cache-sizes.ts';
import { closeSearched, type OpenedSegment, type StoredSegment } from './stored-segment.ts';

/** Limits of one new segment. */
const BATCH_DOCUMENTS = 16_000;
const BATCH_BYTES = 64 * 1024 * 1024;

/** The segments at one moment; must be released. */
export interface Snapshot extends IndexSegments {
  release(): void;
}

/** A snapshot with what another thread needs to open the segments. */
export interface IndexSnapshot extends Snapshot {
  /** State of the index at that moment. */
  readonly state: number;
  /** The stored segments of the views. */
  readonly stored: readonly StoredSegment[];
}

class ViewsSnapshot implements IndexSnapshot {
  readonly views: readonly SegmentView[];
  readonly cache: QueryCache;
  readonly state: number;
  readonly stored: readonly StoredSegment[];

  constructor({ views, cache }: IndexSegments, state: number, stored: readonly StoredSegment[]) {
    this.views = views;
    this.cache = cache;
    this.state = state;
    this.stored = stored;
  }

  retain(): void {
    for (const { sources } of this.stored) sources.retain();
  }

  release(): void {
    for (const { sources } of this.stored) sources.release();
  }
}

/** The state of one index of one tenant. */
export class EmbeddedIndex {
  readonly tenantId: string;
  readonly index: IndexName;
  readonly #caches: IndexCaches;
  /** The index lost its state and must not answer until this change has been fed; null: it may. */
  rebuildUntil: number | null = null;
  /**
   * Grows when the index is cleared, so that a merge that began before is not installed afterwards.
   */
  generation = 0;
  #views: readonly SegmentView[] = [];
  /** Snapshot of these views; created on first use. */
  #snapshot: ViewsSnapshot | null = null;
  readonly #stored = new Map<string, StoredSegment>();
  readonly #pending = new Map<string, DocumentChange>();

  /** @param caches for searches in its segments */
  constructor(tenantId: string, index: IndexName, caches: IndexCaches) {
    this.tenantId = tenantId;
    this.index = index;
    this.#caches = caches;
  }

  get cache(): QueryCache {
    return this.#caches.queries;
  }

  get views(): readonly SegmentView[] {
    return this.#views;
  }

  /** Changes with every change of the segment list; unique over all indexes. */
  get state(): number {
    return this.cache.numberOf(this.#views);
  }

  /** Unique key of the index. */
  get key(): string {
    return `${this.index} ${this.tenantId}`;
  }

  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Size of its segments. */
  get bytes(): number {
    let bytes = 0;
    for (const { index, sources } of this.#stored.values()) {
      bytes += index.handle.bytes.length + sources.size;
    }
    return bytes;
  }

  /** The stored segment of a view in `views`. */
  storedOf(view: SegmentView): StoredSegment {
    const stored = this.#stored.get(view.segment.name);
    if (stored === undefined) throw new Error(`Segment ${view.segment.name} is not in the list`);
    return stored;
  }

  /** Number of documents and segments, and their size. */
  holdings(): IndexHoldings {
    const sum = { documents: 0, deleted: 0, bytesOnDisk: 0, bytesInMemory: 0 };
    for (const view of this.#views) {
      sum.documents += view.liveCount;
      sum.deleted += view.segment.docCount - view.liveCount;
      const { index, sources } = this.storedOf(view);
      const bytes = index.handle.bytes.length + sources.size;
      if (index.handle.kind === 'file') sum.bytesOnDisk += bytes;
      else sum.bytesInMemory += bytes;
    }
    return { index: this.index, segments: this.#views.length, refused: 0, ...sum };
  }

  /** Adds a committed segment, at start. */
  open({ stored, view }: OpenedSegment): void {
    this.#stored.set(stored.name, stored);
    this.#setViews([...this.#views, view]);
  }

  /** Replaces a segment by the same one, reopened. Running searches keep the old one. */
  reopen(segment: Segment): void {
    const reopenView = (view: SegmentView) =>
      view.segment.name === segment.name ? { ...view, segment } : view;
    this.#setViews(this.#views.map(reopenView));
  }

  /** Keeps the newest change of each document until the next refresh. */
  addPending(change: DocumentChange): void {
    const pending = this.#pending.get(change.id);
    if (pending === undefined || pending.sequence <= change.sequence) {
      this.#pending.set(change.id, change);
    }
  }

  /** All callers in the same state share one snapshot; each must release it once. */
  snapshot(): IndexSnapshot {
    this.#snapshot ??= new ViewsSnapshot(
      this,
      this.state,
      this.#views.map((view) => this.storedOf(view)),
    );
    this.#snapshot.retain();
    return this.#snapshot;
  }

  /** The changes for one new segment: as many as fit the limits, at least one. */
  nextBatch(): DocumentChange[] {
    const batch: DocumentChange[] = [];
    let bytes = 0;
    for (const change of this.#pending.values()) {
      const { document } = change;
      const size = document === null ? 0 : document.root.length + document.nested.length;
      if (batch.length > 0 && (batch.length >= BATCH_DOCUMENTS || bytes + size > BATCH_BYTES))
        break;
      batch.push(change);
      bytes += size;
    }
    return batch;
  }

  /** True if the index has no version of the document that is as new as this change. */
  isNewer(change: DocumentChange): boolean {
    const at = findRow(this.#views, change.id);
    if (at === null) return change.document !== null;
    const version = this.#views[at.view]?.segment.versions[at.row] ?? 0;
    return version < change.sequence;
  }

  /** The job that builds a segment of these changes; null if they only delete. */
  buildJob(
    changes: readonly DocumentChange[],
    buffer: SharedBuffer,
  ): Pick<BuildJob & { kind: 'build' }, 'documents'> | null {
    const documents: SourceDocument[] = [];
    for (const { id, sequence, document } of changes) {
      if (document === null) continue;
      documents.push({ id, version: sequence, root: document.root, nested: document.nested });
    }
    return documents.length === 0 ? null : { documents: packDocuments(documents, buffer) };
  }

  /** Makes the changes searchable: adds the new segment and deletes older versions. */
  install(opened: OpenedSegment | null, changes: readonly DocumentChange[]): void {
    const ids = changes.map((change) => change.id);
    if (opened !== null) this.#stored.set(opened.stored.name, opened.stored);
    this.#setViews(addSegment(this.#views, opened?.view.segment ?? null, ids));
    this.#releaseUnused();
  }

  /** Removes the changes of a refresh, unless newer ones have arrived meanwhile. */
  removePending(batch: readonly DocumentChange[]): void {
    for (const change of batch) {
      if (this.#pending.get(change.id) === change) this.#pending.delete(change.id);
    }
  }

  mergeJob(parts: readonly SegmentView[]): Pick<BuildJob & { kind: 'merge' }, 'parts'> {
    return {
      parts: parts.map((view) => {
        const { index, sources } = this.storedOf(view);
        return mergePart(view, index.handle, sources);
      }),
    };
  }

  /** True if all these segments are still in the list. */
  hasAll(parts: readonly SegmentView[]): boolean {
    return parts.every((part) => this.#stored.has(part.segment.name));
  }

  /** Replaces merged segments by the result. Rows deleted since the merge began stay deleted. */
  installMerged({ stored, view }: OpenedSegment, parts: readonly SegmentView[]): void {
    this.#stored.set(stored.name, stored);
    this.#setViews(replaceMerged(this.#views, view.segment, parts));
    this.#releaseUnused();
  }

  /** Discards the changes that are not in a segment. */
  clearPending(): void {
    this.#pending.clear();
  }

  /** Discards all segments and changes. */
  clear(): void {
    this.generation += 1;
    this.#setViews([]);
    this.#pending.clear();
    this.#releaseUnused();
  }

  /** Every change of the list comes here: what is cached of what it removes goes with it. */
  #setViews(views: readonly SegmentView[]): void {
    const remaining = new Set(views.map(({ segment }) => segment));
    for (const { segment } of this.#views) {
      if (!remaining.has(segment)) closeSearched(segment, this.#caches);
    }
    this.#caches.results.sectionOf(this.#views).close();
    this.#views = views;
    this.#snapshot = null;
  }

  #releaseUnused(): void {
    const used = new Set(this.#views.map((view) => view.segment.name));
    for (const [name, stored] of this.#stored) {
      if (used.has(name)) continue;
      this.#stored.delete(name);
      stored.sources.release();
    }
  }
}
