// What the thread that changes the indexes tells a thread that searches them, and what that one
// answers. Segments are in shared memory or in files, so a message holds no documents.
// Invariant: both sides handle messages in order.
import type { IndexName } from '../../../query/query.ts';
import type { IndexHandle } from '../files/segment-index.ts';
import type { SourcesHandle } from '../files/segment-sources.ts';

/** A segment in a form that another thread can open. */
export interface SharedSegment {
  /** Identifies these bytes: a segment that moves from memory to its files gets another one. */
  readonly id: number;
  readonly name: string;
  readonly index: IndexHandle;
  readonly sources: SourcesHandle;
}

/** A segment at one moment. */
export interface SharedView {
  /** The id of the segment. */
  readonly segment: number;
  readonly liveDocs: Uint32Array | null;
  readonly liveCount: number;
}

/** The state of one index. */
export interface SharedIndex {
  readonly tenantId: string;
  readonly index: IndexName;
  /** None: the index is dropped. */
  readonly views: readonly SharedView[];
  /** The segments among them that the thread does not have. */
  readonly news: readonly SharedSegment[];
  /** Why it cannot answer; null: it can. */
  readonly rebuildReason: string | null;
}

/** The indexes that have changed since the last list. */
export interface IndexList {
  /** Grows with each list. */
  readonly number: number;
  readonly indexes: readonly SharedIndex[];
  /** Why no index can answer, whether it exists or not; null: see each. */
  readonly rebuildReason: string | null;
}

export type FromIndexReader =
  /** New searches see this list. */
  | { readonly kind: 'listed'; readonly number: number }
  /** No search reads these segments any more, by their ids. */
  | { readonly kind: 'released'; readonly segments: readonly number[] };
