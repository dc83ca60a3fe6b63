// Messages between the main thread and a search worker. A worker gets the state of an index with a
// request that uses it, and hears of every segment that is removed, so that it holds none of them;
// segments are in shared memory.
// Invariant: a worker handles messages in order, between two slices of its work.
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { IndexHandle } from '../files/segment-index.ts';
import type { SourcesHandle } from '../files/segment-sources.ts';
import type { CacheSizes } from '../indexes/cache-sizes.ts';
import type { PackedFault } from './packed-fault.ts';
import type { QueryPhaseResult } from './query-request.ts';
import type { RequestJson } from './request-json.ts';

/**
 * A segment in a form that another thread can open. A name always identifies the same content.
 */
export interface SharedSegment {
  readonly name: string;
  readonly index: IndexHandle;
  readonly sources: SourcesHandle;
}

/** A segment at one moment, by name. */
export interface SharedView {
  readonly segment: string;
  readonly liveDocs: Uint32Array | null;
  readonly liveCount: number;
}

export type ToSearchWorker =
  /**
   * The new state of an index, or what remains of the one that the worker has; `news` are segments
   * that the worker does not have, or whose bytes have moved. Without views: drop it.
   */
  | {
      readonly kind: 'index';
      readonly key: string;
      readonly views: readonly SharedView[];
      readonly news: readonly SharedSegment[];
    }
  | { readonly kind: 'mapping'; readonly key: string; readonly mapping: Mapping }
  | {
      readonly kind: 'request';
      readonly id: number;
      /** The scheduler of the worker divides its time equally among tenants. */
      readonly tenantId: string;
      readonly request: RequestJson;
      /** By target of the plan: key of its index; null: it has none. */
      readonly keys: readonly (string | null)[];
    }
  /** The result of the request is not needed any more. */
  | { readonly kind: 'cancel'; readonly id: number };

export type FromSearchWorker =
  | { readonly kind: 'ready' }
  /** The aggregations arrive without their class. */
  | { readonly kind: 'result'; readonly id: number; readonly result: QueryPhaseResult }
  | { readonly kind: 'fault'; readonly id: number; readonly fault: PackedFault }
  | { readonly kind: 'stopped'; readonly id: number };

export const CACHE_FIGURES = ['hits', 'misses', 'bytes', 'bytesMax'] as const;

/** Data of a worker at its start. */
export interface SearchWorkerData {
  /** One element in shared memory: id of the request that the worker runs or ran last. */
  readonly current: Int32Array;
  /** In shared memory: figures of all caches of the worker, in the order of CACHE_FIGURES. */
  readonly figures: Float64Array;
  /** Of this worker. */
  readonly cacheSizes: CacheSizes['workers'];
}
