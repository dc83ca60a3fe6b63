// What the main thread and a search worker say to each other. A worker is told of an index when it is asked about it
// first, and then of every change, so that it holds nothing that is gone; segments lie in shared memory.
// Invariant: a worker takes messages in order, one at a time, and does nothing else while it answers a question.
import type { Mapping } from '../../query/mapping.ts';
import type { PackedFault } from './packed-fault.ts';
import type { PackedFinding } from './packed-finding.ts';
import type { IndexHandle } from './segment-index.ts';
import type { SourcesHandle } from './segment-sources.ts';

/** A segment as another thread can open it; its name never means other content. */
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
   * What an index is from now on; `news` are segments it has not been told of, or whose bytes are elsewhere now. No
   * views: forget it.
   */
  | {
      readonly kind: 'index';
      readonly key: string;
      readonly views: readonly SharedView[];
      readonly news: readonly SharedSegment[];
    }
  | { readonly kind: 'mapping'; readonly key: string; readonly mapping: Mapping }
  | {
      readonly kind: 'question';
      readonly id: number;
      /** Where the worker looks whether nobody wants the answer any more. */
      readonly slot: number;
      /** JSON of a Question. */
      readonly question: string;
      /** By target of the plan: the key of the index it is put to; null: there is none. */
      readonly keys: readonly (string | null)[];
    };

export type FromSearchWorker =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'found';
      readonly id: number;
      readonly finding: PackedFinding;
      /** What the work took. */
      readonly tookMs: number;
    }
  | { readonly kind: 'fault'; readonly id: number; readonly fault: PackedFault }
  | { readonly kind: 'stopped'; readonly id: number };

/** What a worker is given at its start. */
export interface SearchWorkerData {
  /** The id of the question begun last, then by slot the id of one that is not wanted any more. */
  readonly control: Int32Array;
  readonly sourceCacheBytes: number;
  readonly pageCacheBytes: number;
  readonly rowMemoryBytes: number;
}

/** Questions a worker may have at a time: one it answers, one that waits, so that it need not. */
export const SLOTS = 2;
export const BEGUN = 0;
export const stopAt = (slot: number): number => 1 + slot;
