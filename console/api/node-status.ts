// The members of `GET /admin/v1/status` that the console reads.

/**
 * The status of the node that answers; a member is null if it is not in that process, or if there
 * are other tenants.
 */
export interface NodeStatus {
  readonly node: {
    readonly id: string;
    readonly version: string;
    readonly uptimeSeconds: number;
    readonly store: 'sqlite' | 'postgres';
    readonly search: 'embedded' | 'opensearch';
    readonly searchWorkers: number | null;
    readonly feeds: boolean;
    /** The server has the powers for tests, and so the page Tests. */
    readonly testing: boolean;
  };
  readonly lag: {
    readonly seconds: number;
    readonly changes: number | null;
    readonly lastSequence: number | null;
  };
  readonly indexes: readonly IndexStatus[];
  readonly merges: { readonly done: number; readonly underWay: boolean } | null;
  readonly caches: readonly CacheStatus[] | null;
  /** Documents that are damaged in the store and set aside. */
  readonly damagedDocuments: readonly { readonly index: string; readonly id: string }[];
  readonly retention: {
    /** ISO 8601; null: no document of an event was deleted because of its age. */
    readonly eventsPurgedBefore: string | null;
  };
  /** Totals over the last `seconds`. */
  readonly activity: {
    readonly seconds: number;
    readonly requests: number;
    readonly searches: number;
    readonly writes: number;
  };
}

export interface IndexStatus {
  readonly index: string;
  readonly documents: number;
  readonly deleted: number | null;
  /** Documents that OpenSearch refuses. */
  readonly refused: number | null;
  readonly segments: number | null;
  readonly bytesOnDisk: number | null;
  readonly bytesInMemory: number | null;
}

export interface CacheStatus {
  readonly name: string;
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
  /** The limit of `bytes`. */
  readonly bytesMax: number;
}
