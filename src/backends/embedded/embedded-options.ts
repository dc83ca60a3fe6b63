// Options of the embedded backend. All but the required members have defaults.

import type { Mapping } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import type { CooperativeScheduler } from '../../scheduling/cooperative.ts';
import type { Log } from '../../telemetry/log.ts';
import type { StartWorker } from './building/builder.ts';
import type { CacheSizes } from './indexes/cache-sizes.ts';
import type { IndexFileOptions } from './indexes/index-files.ts';

export interface EmbeddedOptions extends IndexFileOptions {
  /** The current mapping of an index. */
  mapping(tenantId: string, index: IndexName): Mapping | Promise<Mapping>;
  /**
   * The store's last sequence: an index that lost its state is complete once it has been fed that
   * far.
   */
  lastSequence(): Promise<number>;
  readonly log?: Log;
  /** Runs the searches of this thread; default: a scheduler of its own. */
  readonly scheduler?: CooperativeScheduler;
  readonly startWorker?: StartWorker;
  /** Delay after a merge before its result is written, unless a commit comes first. */
  readonly settleMs?: number;
  /** `bulk`: many changes and few searches. Default: `searches`. */
  readonly use?: 'bulk' | 'searches';
  /** Time without changes after which segments are merged further. */
  readonly restMs?: number;
  /** Default: `cacheSizes` of 256 MiB, in each part that is omitted. */
  readonly cacheSizes?: Partial<CacheSizes>;
}
