// Options of the embedded backend. All but the required members have defaults.

import type { Mapping } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import type { CooperativeScheduler } from '../../scheduling/cooperative.ts';
import type { Log } from '../../telemetry/log.ts';
import type { StartWorker } from './building/builder.ts';
import type { CacheSizes } from './cache-sizes.ts';
import type { StartSearchWorker } from './searching/search-thread.ts';

export interface EmbeddedOptions {
  /** The index directory; the caller holds its lock. */
  readonly path: string;
  /** The current mapping of an index. */
  mapping(tenantId: string, index: IndexName): Mapping | Promise<Mapping>;
  /**
   * The store's last sequence: an index that lost its state is complete once it has been fed that
   * far.
   */
  lastSequence(): Promise<number>;
  /**
   * What tells the store, as it was at a change, from every other and from one that went another
   * way before it, as a copy does that was put back; null for nothing. Default: null.
   */
  storeMark?(sequence: number): Promise<string | null>;
  readonly log?: Log;
  /** Runs searches on the main thread; default: a scheduler of its own. */
  readonly scheduler?: CooperativeScheduler;
  readonly startWorker?: StartWorker;
  /** Threads for long searches; 0, the default: all run on the main thread. */
  readonly searchWorkers?: number;
  readonly startSearchWorker?: StartSearchWorker;
  /** `never`: every request goes to a search worker, for tests. */
  readonly mainThreadSearches?: 'as it pays' | 'never';
  /** Delay after a merge before its result is written, unless a commit comes first. */
  readonly settleMs?: number;
  /** `bulk`: many changes and few searches. Default: `searches`. */
  readonly use?: 'bulk' | 'searches';
  /**
   * `read`: no file is changed, not even those of a damaged index, and nothing may be fed. Default:
   * `write`.
   */
  readonly access?: 'read' | 'write';
  /** Time without changes after which segments are merged further. */
  readonly restMs?: number;
  /** Default: `cacheSizes` of 256 MiB, in each part that is omitted. */
  readonly cacheSizes?: Partial<CacheSizes>;
}
