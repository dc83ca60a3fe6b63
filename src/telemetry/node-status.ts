// The status of this node and its data of one tenant, for the administrators of the tenant. Figures
// over all tenants (the change sequence, caches, merges) would reveal the load of others, so they
// are reported only if there is a single tenant.
// Invariant: the status reveals nothing of another tenant.
import { randomUUID } from 'node:crypto';
import type { DamageWatch } from '../service/documents/damage-watch.ts';
import type { IndexHoldings, SearchBackend } from '../service/ports/search-backend.ts';
import type { Store } from '../service/ports/store.ts';
import type { StoredDocumentKey } from '../service/ports/stored-document.ts';
import type { ActivitySums, TenantActivity } from '../service/searching/tenant-activity.ts';
import type { IndexLag } from './index-lag.ts';

/** The parts whose status is reported. */
export interface NodeParts {
  readonly version: string;
  readonly storeKind: 'sqlite' | 'postgres';
  readonly searchKind: 'embedded' | 'opensearch';
  readonly store: Store;
  readonly watch: Pick<DamageWatch, 'damaged'>;
  readonly backend: SearchBackend;
  readonly indexer: { status(): { readonly applied: number }; readonly feeds?: boolean };
  readonly lag: IndexLag;
  readonly activity: TenantActivity;
  /** Whether the server has the powers for tests. */
  readonly isForTests: boolean;
}

/** The status; a member is null if there are other tenants, or if it is not in this process. */
export interface NodeStatusAnswer {
  readonly node: {
    /** New at each start. */
    readonly id: string;
    readonly version: string;
    readonly uptimeSeconds: number;
    readonly store: NodeParts['storeKind'];
    readonly search: NodeParts['searchKind'];
    /** Threads; null if OpenSearch searches. */
    readonly searchWorkers: number | null;
    /** True if this node feeds the search. */
    readonly feeds: boolean;
    /** True if it has the powers for tests (`CARDEA_TESTING`). */
    readonly testing: boolean;
  };
  readonly lag: {
    readonly seconds: number;
    readonly changes: number | null;
    readonly lastSequence: number | null;
    readonly appliedSequence: number | null;
  };
  readonly indexes: readonly IndexHoldings[];
  readonly merges: { readonly done: number; readonly underWay: boolean } | null;
  readonly caches:
    | readonly {
        readonly name: string;
        readonly hits: number;
        readonly misses: number;
        readonly bytes: number;
        readonly bytesMax: number;
      }[]
    | null;
  /** Damaged documents of the tenant that this node knows of, which are set aside. */
  readonly damagedDocuments: readonly Pick<StoredDocumentKey, 'index' | 'id'>[];
  readonly retention: {
    /**
     * ISO 8601: documents of events of the tenant created before may have been deleted by the
     * retention; null: none were.
     */
    readonly eventsPurgedBefore: string | null;
  };
  /** Activity of the tenant at this node. */
  readonly activity: ActivitySums;
}

export class NodeStatus {
  readonly #parts: NodeParts;
  readonly #id = randomUUID();
  readonly #startedAt = performance.now();

  constructor(parts: NodeParts) {
    this.#parts = parts;
  }

  /**
   * The status for a tenant.
   * @throws ServiceError `unavailable` if the store or the search fails
   */
  async of(tenantId: string): Promise<NodeStatusAnswer> {
    const { store, watch, backend, lag, activity } = this.#parts;
    const [tenants, behind, indexes, purgedBefore, damaged] = await Promise.all([
      store.read.tenants(),
      lag.read(),
      backend.holdings(tenantId),
      store.read.eventsPurgedBefore(tenantId),
      watch.damaged(),
    ]);
    const isAlone = tenants.length === 1;
    const figures = backend.figures?.() ?? null;
    const { applied } = this.#parts.indexer.status();
    return {
      node: this.#node(figures?.searchWorkers ?? null),
      lag: {
        seconds: behind.seconds,
        changes: isAlone ? behind.changes : null,
        lastSequence: isAlone ? applied + behind.changes : null,
        appliedSequence: isAlone ? applied : null,
      },
      indexes,
      merges:
        figures === null || !isAlone ? null : { done: figures.merges, underWay: figures.merging },
      caches:
        figures === null || !isAlone
          ? null
          : figures.caches.map(({ cache, ...counters }) => ({ name: cache, ...counters })),
      damagedDocuments: damaged
        .filter((document) => document.tenantId === tenantId)
        .map(({ index, id }) => ({ index, id })),
      retention: {
        eventsPurgedBefore: purgedBefore === null ? null : new Date(purgedBefore).toISOString(),
      },
      activity: activity.lastMinute(tenantId),
    };
  }

  #node(searchWorkers: number | null): NodeStatusAnswer['node'] {
    const { version, storeKind, searchKind, indexer, isForTests } = this.#parts;
    return {
      id: this.#id,
      version,
      uptimeSeconds: Math.floor((performance.now() - this.#startedAt) / 1_000),
      store: storeKind,
      search: searchKind,
      searchWorkers,
      feeds: indexer.feeds ?? true,
      testing: isForTests,
    };
  }
}
