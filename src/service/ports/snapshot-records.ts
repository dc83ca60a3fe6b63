// What the reset of a tenant for tests needs of the store: everything the tenant holds at one
// moment, and the way back to it.

/** The rows of one tenant at one moment, in memory. */
export interface TenantSnapshot {
  readonly tenantId: string;
  /** The last change sequence at that moment. */
  readonly sequence: number;
  /** The purged sequence at that moment. */
  readonly purgedSequence: number;
  /** The number of documents. */
  readonly documents: number;
  /** Rows by table, as the store needs them; never changed. */
  readonly rows: ReadonlyMap<string, readonly object[]>;
}

export interface SnapshotRecords {
  /**
   * Reads all rows of a tenant.
   * @throws ServiceError `limit_violation` if it has more documents than `documentsMax`
   */
  tenantSnapshot(tenantId: string, documentsMax: number): Promise<TenantSnapshot>;
}

export interface WritableSnapshotRecords extends SnapshotRecords {
  /**
   * Makes the tenant hold exactly the rows of the snapshot. Documents that differ get new sequence
   * numbers, so that indexes follow. The recorded events of the audit trail stay: only their
   * documents follow the snapshot.
   * @throws ServiceError `unavailable` if deletions since the snapshot were purged
   */
  restoreTenant(snapshot: TenantSnapshot): Promise<void>;
}
