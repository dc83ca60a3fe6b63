// What the embedded backend is opened with. Everything but where it lies and what it rests on has a default.

import type { CooperativeScheduler } from '../../identity/scheduling/cooperative.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import type { BackendLog } from '../backend-log.ts';
import type { StartWorker } from './building/builder.ts';
import type { StartSearchWorker } from './searching/search-thread.ts';

export interface EmbeddedOptions {
  /** The index directory; the caller holds its lock. */
  readonly path: string;
  /** What the fields of an index are at this moment. */
  mapping(tenantId: string, index: IndexName): Mapping | Promise<Mapping>;
  /** The store's last sequence: an index that lost its state is whole again when it has been fed that far. */
  lastSequence(): Promise<number>;
  readonly log?: BackendLog;
  /** Runs what the main thread does for searches; one of its own when left out. */
  readonly scheduler?: CooperativeScheduler;
  readonly startWorker?: StartWorker;
  /** Threads that answer what takes long; 0, the default: the main thread does it all. */
  readonly searchWorkers?: number;
  readonly startSearchWorker?: StartSearchWorker;
  /** `never`: every question goes to a search worker, however short; for tests. */
  readonly mainThreadSearches?: 'as it pays' | 'never';
  /** How long after the last merge its result is written, when no commit comes first. */
  readonly settleMs?: number;
  /** `bulk`: much comes at once and hardly anybody searches meanwhile; `searches` when left out. */
  readonly use?: 'bulk' | 'searches';
  /** How long nothing must have changed before few segments are made of several. */
  readonly restMs?: number;
  /** What sources read lately may take in memory. */
  readonly sourceCacheBytes?: number;
  /** What pages of positions read lately may take in memory. */
  readonly pageCacheBytes?: number;
}
