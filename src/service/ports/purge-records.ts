// What the purge of old rows (src/jobs/retention/) needs of the store: what was purged, and the
// deletions themselves, each of a bounded number of rows.
import type { IndexName } from '../../query/query.ts';

/** A change whose age is known. */
export interface PurgeMark {
  /** The last change at `markedAt`: it and all before are at least as old. */
  readonly markedSequence: number;
  /** Epoch milliseconds. */
  readonly markedAt: number;
}

/** Rows of credentials that can never be used again once they have expired. */
export type ExpiringRows = 'revoked_tokens' | 'refresh_tokens';

/** Read access to what was purged. */
export interface PurgeRecords {
  /** null before the first purge. */
  purgeMark(): Promise<PurgeMark | null>;
  /** The clock of the last purge, epoch milliseconds; null before the first one. */
  purgeClock(): Promise<number | null>;
  /**
   * The highest sequence of a tombstone that was purged; 0 for none. An index that lacks changes up
   * to it may hold documents that no longer exist.
   */
  purgedSequence(): Promise<number>;
  /**
   * Epoch milliseconds: documents of the tenant's events created earlier may have been purged; null
   * when none were. Recorded events are never purged.
   */
  eventsPurgedBefore(tenantId: string): Promise<number | null>;
}

/** Write access for the purge. */
export interface WritablePurgeRecords extends PurgeRecords {
  setPurgeMark(mark: PurgeMark): Promise<void>;
  /** @param instant epoch milliseconds */
  setPurgeClock(instant: number): Promise<void>;
  /** Keeps a later instant. @param instant epoch milliseconds */
  setEventsPurgedBefore(tenantId: string, instant: number): Promise<void>;
  /**
   * Deletes those of the documents that exist and did not change after `sequence`, as
   * `deleteDocument` does.
   * @param ids different ones, a few hundred at most
   * @returns the number of deleted documents
   */
  deleteUnchangedDocuments(
    tenantId: string,
    index: IndexName,
    ids: readonly string[],
    sequence: number,
  ): Promise<number>;
  /**
   * Deletes the oldest tombstones with sequences up to `sequence`, at most `limit` of them, and
   * raises `purgedSequence`. The last change keeps its row, or no index could be fed up to it.
   * @returns the number of deleted tombstones
   */
  purgeTombstones(sequence: number, limit: number): Promise<number>;
  /**
   * Deletes rows that expired before `instant`, at most `limit` of them.
   * @param instant epoch milliseconds
   * @returns the number of deleted rows
   */
  purgeExpired(rows: ExpiringRows, instant: number, limit: number): Promise<number>;
}
