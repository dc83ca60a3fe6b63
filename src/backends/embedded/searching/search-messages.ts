// What the main thread and a search worker say to each other. A worker is told of an index when it is asked about it
// first, and then of every change, so that it holds nothing that is gone; segments lie in shared memory.
// Invariant: a worker takes messages in order, each between two slices of its work.
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { IndexHandle } from '../files/segment-index.ts';
import type { SourcesHandle } from '../files/segment-sources.ts';
import type { PackedFault } from './packed-fault.ts';
import type { PackedFinding } from './packed-finding.ts';
import type { QuestionText } from './question-text.ts';

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
      /** Tenants share the time of a worker equally. */
      readonly tenantId: string;
      readonly question: QuestionText;
      /** By target of the plan: the key of the index it is put to; null: there is none. */
      readonly keys: readonly (string | null)[];
    }
  /** The answer of the question is not needed any more. */
  | { readonly kind: 'cancel'; readonly id: number };

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
  /** One element in shared memory: the id of the question that the worker works on or worked on last. */
  readonly current: Int32Array;
  readonly sourceCacheBytes: number;
  readonly pageCacheBytes: number;
  readonly rowMemoryBytes: number;
}
