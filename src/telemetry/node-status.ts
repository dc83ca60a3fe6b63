// The status of this node and its data of one tenant, for the administrators of the tenant. Figures
// over all tenants (the change sequence, caches, merges) would reveal the load of others, so they
// are reported only if there is a single tenant.
// Invariant: the status reveals nothing of another tenant.
import { randomUUID } from 'node:crypto';
import type { DamageWatch } from '../service/documents/damage-watch.ts';
import type { IndexHoldings, SearchBackend } from '../service/ports/search-backend.ts';
import type { Store } from '../service/ports/store.ts';
import type { StoredDocumentKey } from '../service/ports/stored-document.ts';
import type { ActivitySums } from '../service/searching/tenant-activity.ts';
import type { IndexLag } from './index-lag.ts';
import { cachesOf, type ThreadFigures, type ThreadReport } from './thread-figures.ts';

/** The parts whose status is reported. */
export interface NodeParts {
  readonly version: string;
  readonly storeKind: 'sqlite' | 'postgres';
  readonly searchKind: 'embedded' | 'opensearch';
  readonly store: Store;
  readonly watch: Pick<DamageWatch, 'damaged' | 'unnamed'>;
  readonly backend: SearchBackend;
  readonly indexer: { status(): { readonly applied: number }; readonly feeds?: boolean };
  readonly lag: IndexLag;
  /** The requests of a tenant, of all threads together. */
  readonly activity: { lastMinute(tenantId: string): Promise<ActivitySums> };
  reports(): Promise<readonly ThreadReport[]>;
  /** Whether the server has the powers for tests. */
  readonly isForTests: boolean;
  /** null if the store has its own tools. */
  backup(): {
    /** Epoch milliseconds of the last backup, 0 for none. */
    readonly last: number;
    /** null: the server makes none by itself. `failedAt`: epoch milliseconds, 0 for never. */
    readonly schedule: { readonly everyMs: number; readonly failedAt: number } | null;
  } | null;
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
    /** Number of threads that serve. */
    readonly threads: number;
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
  readonly threads: readonly ThreadFigures[] | null;
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
  /** How many more there were at the last check of the store; null for one of several tenants. */
  readonly moreDamagedDocuments: number | null;
  readonly retention: {
    /**
     * ISO 8601: documents of events of the tenant created before may have been deleted by the
     * retention; null: none were.
     */
    readonly eventsPurgedBefore: string | null;
  };
  /** Backups of the store; null with PostgreSQL, which has its own tools. */
  readonly backup: {
    /** ISO 8601: when the last one began that is whole; null: none is known. */
    readonly last: string | null;
    /** null: the server makes none by itself. */
    readonly everySeconds: number | null;
    /** ISO 8601: when one of the server last failed since its start; null: none did. */
    readonly failed: string | null;
  } | null;
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
    const [tenants, behind, indexes, purgedBefore, damaged, unnamed, reports] = await Promise.all([
      store.read.tenants(),
      lag.read(),
      backend.holdings(tenantId),
      store.read.eventsPurgedBefore(tenantId),
      watch.damaged(),
      watch.unnamed(),
      this.#parts.reports(),
    ]);
    const isAlone = tenants.length === 1;
    const figures = backend.figures?.() ?? null;
    const { applied } = this.#parts.indexer.status();
    return {
      node: this.#node(reports.length),
      lag: {
        seconds: behind.seconds,
        changes: isAlone ? behind.changes : null,
        lastSequence: isAlone ? applied + behind.changes : null,
        appliedSequence: isAlone ? applied : null,
      },
      indexes,
      threads: isAlone ? reports.map(({ figures }) => figures) : null,
      merges:
        figures === null || !isAlone ? null : { done: figures.merges, underWay: figures.merging },
      caches:
        figures === null || !isAlone
          ? null
          : cachesOf(reports).map(({ cache, ...counters }) => ({ name: cache, ...counters })),
      damagedDocuments: damaged
        .filter((document) => document.tenantId === tenantId)
        .map(({ index, id }) => ({ index, id })),
      moreDamagedDocuments: isAlone ? unnamed : null,
      retention: {
        eventsPurgedBefore: purgedBefore === null ? null : new Date(purgedBefore).toISOString(),
      },
      backup: this.#backup(),
      activity: await activity.lastMinute(tenantId),
    };
  }

  #backup(): NodeStatusAnswer['backup'] {
    const backup = this.#parts.backup();
    if (backup === null) return null;
    const { last, schedule } = backup;
    const instant = (ms: number) => (ms === 0 ? null : new Date(ms).toISOString());
    return {
      last: instant(last),
      everySeconds: schedule === null ? null : schedule.everyMs / 1_000,
      failed: instant(schedule?.failedAt ?? 0),
    };
  }

  #node(threads: number): NodeStatusAnswer['node'] {
    const { version, storeKind, searchKind, indexer, isForTests } = this.#parts;
    return {
      id: this.#id,
      version,
      uptimeSeconds: Math.floor((performance.now() - this.#startedAt) / 1_000),
      store: storeKind,
      search: searchKind,
      threads,
      feeds: indexer.feeds ?? true,
      testing: isForTests,
    };
  }
}
