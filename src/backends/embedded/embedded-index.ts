// One index of one tenant: its segments, and the changes that are not in a segment yet. Searches take the list of
// segments as it is at one moment and keep it; every change makes a new list.
// Invariant: of two versions of a document the newer one wins, whatever the order they came in and however often.
import type { Segment, SegmentView, SourceDocument } from '../../engine/index/segment.ts';
import { addSegment, findRow, replaceMerged } from '../../engine/index/segment-list.ts';
import type { IndexHoldings } from '../../identity/ports/search-backend.ts';
import type { DocumentChange } from '../../identity/ports/store.ts';
import type { IndexName } from '../../query/query.ts';
import { type BuildJob, mergePart, packDocuments, type SharedRoom } from './building/build-job.ts';
import type { OpenedSegment, StoredSegment } from './files/stored-segment.ts';

/** Bounds of what goes into one new segment. */
const BATCH_DOCUMENTS = 16_000;
const BATCH_BYTES = 64 * 1024 * 1024;

/** Searches over one moment's segments; must be released. */
export interface Snapshot {
  readonly views: readonly SegmentView[];
  release(): void;
}

/** A snapshot that another thread can be told of. */
export interface IndexSnapshot extends Snapshot {
  /** As the index had it then. */
  readonly state: number;
  /** What each view is made of. */
  readonly stored: readonly StoredSegment[];
}

class ViewsSnapshot implements IndexSnapshot {
  readonly views: readonly SegmentView[];
  readonly state: number;
  readonly stored: readonly StoredSegment[];

  constructor(views: readonly SegmentView[], state: number, stored: readonly StoredSegment[]) {
    this.views = views;
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

let statesTaken = 0;

function nextState(): number {
  statesTaken += 1;
  return statesTaken;
}

/** The state of one index of one tenant. */
export class EmbeddedIndex {
  readonly tenantId: string;
  readonly index: IndexName;
  /** It lost its state and may not answer before this change has been fed to it; null: it may. */
  rebuildUntil: number | null = null;
  /** Grows when everything is forgotten: a merge that began before must not come in afterwards. */
  generation = 0;
  #state = nextState();
  #views: readonly SegmentView[] = [];
  /** Of these views; made when somebody asks for it. */
  #snapshot: ViewsSnapshot | null = null;
  readonly #stored = new Map<string, StoredSegment>();
  readonly #pending = new Map<string, DocumentChange>();

  constructor(tenantId: string, index: IndexName) {
    this.tenantId = tenantId;
    this.index = index;
  }

  get views(): readonly SegmentView[] {
    return this.#views;
  }

  /** Another number whenever the list of segments is another one; no two indexes ever have the same. */
  get state(): number {
    return this.#state;
  }

  /** The same for no two indexes. */
  get key(): string {
    return `${this.index} ${this.tenantId}`;
  }

  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /** What the disk knows of a segment that is in `views`. */
  storedOf(view: SegmentView): StoredSegment {
    const stored = this.#stored.get(view.segment.name);
    if (stored === undefined) throw new Error(`Segment ${view.segment.name} is not in the list`);
    return stored;
  }

  /** What searches find here, and what it takes. */
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
    return { index: this.index, segments: this.#views.length, ...sum };
  }

  /** A committed segment, at start. */
  open({ stored, view }: OpenedSegment): void {
    this.#stored.set(stored.name, stored);
    this.#setViews([...this.#views, view]);
  }

  /** The same segment, opened anew; searches that have begun go on with the old one. */
  reopen(segment: Segment): void {
    const renewed = (view: SegmentView) =>
      view.segment.name === segment.name ? { ...view, segment } : view;
    this.#setViews(this.#views.map(renewed));
  }

  /** Keeps the newest change of each document for the next refresh. */
  take(change: DocumentChange): void {
    const known = this.#pending.get(change.id);
    if (known === undefined || known.sequence <= change.sequence) {
      this.#pending.set(change.id, change);
    }
  }

  /** The same object for all who ask in the same state; each releases it once. */
  snapshot(): IndexSnapshot {
    this.#snapshot ??= new ViewsSnapshot(
      this.#views,
      this.#state,
      this.#views.map((view) => this.storedOf(view)),
    );
    this.#snapshot.retain();
    return this.#snapshot;
  }

  /** The changes for one new segment: as many as fit the bounds, at least one. */
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

  /** Whether the index has nothing as new as this change. */
  isNews(change: DocumentChange): boolean {
    const at = findRow(this.#views, change.id);
    if (at === null) return change.document !== null;
    const version = this.#views[at.view]?.segment.versions[at.row] ?? 0;
    return version < change.sequence;
  }

  /** The job that builds a segment of these changes; null when all of them only delete. */
  buildJob(
    changes: readonly DocumentChange[],
    room: SharedRoom,
  ): Pick<BuildJob & { kind: 'build' }, 'documents'> | null {
    const documents: SourceDocument[] = [];
    for (const { id, sequence, document } of changes) {
      if (document === null) continue;
      documents.push({ id, version: sequence, root: document.root, nested: document.nested });
    }
    return documents.length === 0 ? null : { documents: packDocuments(documents, room) };
  }

  /** Makes the changes searchable: the new segment in, the older versions out. */
  install(opened: OpenedSegment | null, changes: readonly DocumentChange[]): void {
    const ids = changes.map((change) => change.id);
    if (opened !== null) this.#stored.set(opened.stored.name, opened.stored);
    this.#setViews(addSegment(this.#views, opened?.view.segment ?? null, ids));
    this.#forgetUnused();
  }

  /** Drops what a refresh has taken, unless something newer came meanwhile. */
  settle(batch: readonly DocumentChange[]): void {
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

  /** Whether these segments are all still here. */
  hasAll(parts: readonly SegmentView[]): boolean {
    return parts.every((part) => this.#stored.has(part.segment.name));
  }

  /** Puts a merged segment in the place of its parts, as they were when the merge began; later deletions are carried over. */
  installMerged({ stored, view }: OpenedSegment, parts: readonly SegmentView[]): void {
    this.#stored.set(stored.name, stored);
    this.#setViews(replaceMerged(this.#views, view.segment, parts));
    this.#forgetUnused();
  }

  /** Forgets the changes that are not in a segment. */
  dropPending(): void {
    this.#pending.clear();
  }

  /** Forgets all segments and changes. */
  clear(): void {
    this.generation += 1;
    this.#setViews([]);
    this.#pending.clear();
    this.#forgetUnused();
  }

  #setViews(views: readonly SegmentView[]): void {
    this.#views = views;
    this.#state = nextState();
    this.#snapshot = null;
  }

  #forgetUnused(): void {
    const used = new Set(this.#views.map((view) => view.segment.name));
    for (const [name, stored] of this.#stored) {
      if (used.has(name)) continue;
      this.#stored.delete(name);
      stored.sources.release();
    }
  }
}
