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
    /** Threads that answer requests. */
    readonly threads: number;
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
  readonly threads: readonly ThreadStatus[] | null;
  readonly merges: { readonly done: number; readonly underWay: boolean } | null;
  readonly caches: readonly CacheStatus[] | null;
  /** Documents that are damaged in the store and set aside. */
  readonly damagedDocuments: readonly { readonly index: string; readonly id: string }[];
  /** null for one of several tenants. */
  readonly moreDamagedDocuments: number | null;
  readonly retention: {
    /** ISO 8601; null: no document of an event was deleted because of its age. */
    readonly eventsPurgedBefore: string | null;
  };
  /** null with PostgreSQL, which has its own tools. */
  readonly backup: {
    /** ISO 8601; null: none is known. */
    readonly last: string | null;
    /** null: the server makes none by itself. */
    readonly everySeconds: number | null;
    /** ISO 8601; null: none failed since the start. */
    readonly failed: string | null;
  } | null;
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

export interface ThreadStatus {
  /** 1 is the main thread. */
  readonly thread: number;
  /** Since its start. */
  readonly requests: number;
  readonly loopLagMs: number;
  readonly heapBytes: number;
}

export interface CacheStatus {
  readonly name: string;
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
  /** The limit of `bytes`. */
  readonly bytesMax: number;
}
