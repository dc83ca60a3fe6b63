// All indexes of a backend, and how far they have been fed and committed.
import type { BackendFigures, IndexHoldings } from '../../identity/ports/search-backend.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { IndexName } from '../../query/query.ts';
import { EmbeddedIndex } from './embedded-index.ts';
import type { SegmentCaches, StoredSegment } from './files/stored-segment.ts';

/** The indexes by tenant and name. */
export class IndexSet {
  /** The last change the files cover. */
  sequence = 0;
  /** No index can answer before this change has been fed; null: see each index. */
  rebuildUntil: number | null = null;
  /** The number in the next new file's name; none is used twice, so no name ever means two things. */
  nextNumber = 1;
  /** Every segment that has files or will have; one that was merged away keeps them while a search may read them. */
  readonly onDisk = new Set<StoredSegment>();
  /** The names of segments whose files are being written at this moment. */
  readonly beingWritten = new Set<string>();
  readonly caches: SegmentCaches;
  /** By tenant. */
  readonly #indexes = new Map<string, Map<IndexName, EmbeddedIndex>>();

  constructor(caches: SegmentCaches) {
    this.caches = caches;
  }

  *all(): IterableIterator<EmbeddedIndex> {
    for (const indexes of this.#indexes.values()) yield* indexes.values();
  }

  get(tenantId: string, index: IndexName): EmbeddedIndex | undefined {
    return this.#indexes.get(tenantId)?.get(index);
  }

  make(tenantId: string, index: IndexName): EmbeddedIndex {
    const known = this.get(tenantId, index);
    if (known !== undefined) return known;
    const made = new EmbeddedIndex(tenantId, index);
    const indexes = this.#indexes.get(tenantId);
    if (indexes === undefined) this.#indexes.set(tenantId, new Map([[index, made]]));
    else indexes.set(index, made);
    return made;
  }

  /** A number no file name has had. */
  newNumber(): number {
    const number = this.nextNumber;
    this.nextNumber += 1;
    return number;
  }

  /** Throws one index away; everything is fed again, which the others do not mind. */
  discard(index: EmbeddedIndex, until: number): void {
    for (const one of this.all()) one.dropPending();
    index.clear();
    index.rebuildUntil = until;
    this.sequence = 0;
  }

  /** Forgets everything; answers again once fed until `lastSequence`. */
  clear(lastSequence: number): void {
    this.close();
    this.#indexes.clear();
    this.sequence = 0;
    this.rebuildUntil = lastSequence > 0 ? lastSequence : null;
  }

  /** Every change up to `sequence` is searchable: what waited for it may answer. */
  fedUntil(sequence: number): void {
    if (this.rebuildUntil !== null && this.rebuildUntil <= sequence) this.rebuildUntil = null;
    for (const index of this.all()) {
      if (index.rebuildUntil !== null && index.rebuildUntil <= sequence) index.rebuildUntil = null;
    }
  }

  /** Why an index cannot answer, be there one or not, or null when it can. */
  rebuildReason(index: EmbeddedIndex | undefined): string | null {
    if (this.rebuildUntil !== null) return 'All indexes are being rebuilt from the store';
    if (index === undefined || index.rebuildUntil === null) return null;
    return `The index ${index.index} is being rebuilt from the store`;
  }

  unreadyReason(): string | null {
    for (const index of this.all()) {
      const reason = this.rebuildReason(index);
      if (reason !== null) return reason;
    }
    return this.rebuildUntil === null ? null : 'All indexes are being rebuilt from the store';
  }

  /** What one tenant has, in the order of the names. */
  holdings(tenantId: string): IndexHoldings[] {
    return INDEX_NAMES.flatMap((name) => this.get(tenantId, name)?.holdings() ?? []);
  }

  /** Segments and documents by document type, over all tenants. */
  figures(): BackendFigures['indexes'] {
    const sums = new Map<IndexName, { segments: number; live: number; deleted: number }>();
    for (const { index, views } of this.all()) {
      const sum = sums.get(index) ?? { segments: 0, live: 0, deleted: 0 };
      sums.set(index, sum);
      sum.segments += views.length;
      for (const { segment, liveCount } of views) {
        sum.live += liveCount;
        sum.deleted += segment.docCount - liveCount;
      }
    }
    return [...sums].map(([index, sum]) => ({ index, ...sum }));
  }

  /** Lets go of all segments. */
  close(): void {
    for (const index of this.all()) index.clear();
  }
}
