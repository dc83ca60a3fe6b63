// All indexes of a backend, and the change sequences they have been fed and committed to.

import { INDEX_NAMES } from '../../../query/mapping/document-types.ts';
import type { IndexName } from '../../../query/query.ts';
import type { BackendFigures, IndexHoldings } from '../../../service/ports/search-backend.ts';
import type { IndexCaches } from './cache-sizes.ts';
import { EmbeddedIndex } from './embedded-index.ts';
import type { StoredSegment } from './stored-segment.ts';

/** The indexes by tenant and name. */
export class IndexSet {
  /** Sequence of the last change in the files. */
  sequence = 0;
  /**
   * No index needs a deletion up to this change: it held all changes so far when it lost its place
   * in the sequence, or it was empty at that time.
   */
  covered = 0;
  /** No index may answer until this change has been fed; null: see each index. */
  rebuildUntil: number | null = null;
  /** The first damage found when the files were loaded, as a sentence; null: none. */
  damage: string | null = null;
  /** Number of the next new file name; never reused. */
  nextNumber = 1;
  /** Segments with files; a merged one keeps them while a search may read them. */
  readonly onDisk = new Set<StoredSegment>();
  /** Names of segments whose files are being written. */
  readonly beingWritten = new Set<string>();
  readonly caches: IndexCaches;
  /** By tenant. */
  readonly #indexes = new Map<string, Map<IndexName, EmbeddedIndex>>();

  constructor(caches: IndexCaches) {
    this.caches = caches;
  }

  *all(): IterableIterator<EmbeddedIndex> {
    for (const indexes of this.#indexes.values()) yield* indexes.values();
  }

  get(tenantId: string, index: IndexName): EmbeddedIndex | undefined {
    return this.#indexes.get(tenantId)?.get(index);
  }

  getOrCreate(tenantId: string, index: IndexName): EmbeddedIndex {
    const existing = this.get(tenantId, index);
    if (existing !== undefined) return existing;
    const created = new EmbeddedIndex(tenantId, index, this.caches);
    const indexes = this.#indexes.get(tenantId);
    if (indexes === undefined) this.#indexes.set(tenantId, new Map([[index, created]]));
    else indexes.set(index, created);
    return created;
  }

  /** Size of all segments. */
  get bytes(): number {
    let bytes = 0;
    for (const index of this.all()) bytes += index.bytes;
    return bytes;
  }

  /** A number that no file name has had. */
  newNumber(): number {
    const number = this.nextNumber;
    this.nextNumber += 1;
    return number;
  }

  /** Discards one index; everything is fed again, which does not change the other indexes. */
  discard(index: EmbeddedIndex, until: number): void {
    // The other indexes keep what they hold, though their changes are fed again.
    this.covered = Math.max(this.covered, this.sequence);
    for (const other of this.all()) other.clearPending();
    index.clear();
    index.rebuildUntil = until;
    this.sequence = 0;
  }

  /** Discards everything; answers again once fed until `lastSequence`. */
  clear(lastSequence: number): void {
    this.close();
    this.#indexes.clear();
    this.sequence = 0;
    this.covered = lastSequence;
    this.rebuildUntil = lastSequence > 0 ? lastSequence : null;
  }

  /** Marks all changes up to `sequence` as searchable; indexes that waited for them may answer. */
  markFedUntil(sequence: number): void {
    if (this.rebuildUntil !== null && this.rebuildUntil <= sequence) this.rebuildUntil = null;
    for (const index of this.all()) {
      if (index.rebuildUntil !== null && index.rebuildUntil <= sequence) index.rebuildUntil = null;
    }
    if (this.unreadyReason() === null) this.damage = null;
  }

  /** Why an index cannot answer, whether it exists or not; null if it can. */
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

  /** The indexes of one tenant, in the order of their names. */
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

  /** Releases all segments. */
  close(): void {
    for (const index of this.all()) index.clear();
  }
}
