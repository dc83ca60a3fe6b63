// Messages between the backend and its builder threads. Bytes are in shared memory, so that jobs
// are copied at most once and replies never.

import type { SegmentFiles } from '../../../engine/index/segment-writer.ts';
import type { SegmentView, SourceDocument } from '../../../engine/sections/segment.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { IndexHandle } from '../files/segment-index.ts';
import type { SegmentSources, SourcesHandle } from '../files/segment-sources.ts';

/** Documents packed into one shared buffer. */
export interface PackedDocuments {
  readonly ids: readonly string[];
  readonly versions: Float64Array;
  readonly bytes: Uint8Array;
  /** Document `i`: root bytes[ends[2i - 1], ends[2i]), nested bytes[ends[2i], ends[2i + 1]). */
  readonly ends: Float64Array;
}

/** An input segment of a merge. */
export interface MergePart {
  readonly name: string;
  readonly index: IndexHandle;
  readonly sources: SourcesHandle;
  readonly liveDocs: Uint32Array | null;
  readonly liveCount: number;
}

export type BuildJob =
  | {
      readonly kind: 'build';
      readonly name: string;
      readonly mapping: Mapping;
      readonly documents: PackedDocuments;
      /** The files to write; null: the segment is small and stays in memory until a commit. */
      readonly paths: SegmentPaths | null;
    }
  | {
      readonly kind: 'merge';
      readonly name: string;
      readonly mapping: Mapping;
      readonly parts: readonly MergePart[];
      /** The files to write. */
      readonly paths: SegmentPaths;
    };

/** The file paths of a segment. */
export interface SegmentPaths {
  readonly index: string;
  readonly sources: string;
}

/** A segment that has been written to its files, whose names are not durable yet. */
export interface WrittenSegment {
  readonly sourcesBytes: number;
}

/** The result of a job. */
export type Built = SegmentFiles | WrittenSegment;

/**
 * A reply of the worker. `fault` is an error message; or with `corrupt`, the name of a damaged segment, what is
 * wrong with it.
 */
export type BuildReply =
  | { readonly id: number; readonly built: Built }
  | { readonly id: number; readonly fault: string; readonly corrupt: string | null };

/**
 * A shared buffer that is reused for all jobs. The garbage collector does not count shared memory,
 * so new buffers for each job of a large import would fill the machine.
 */
export class SharedBuffer {
  #buffer = new SharedArrayBuffer(0);

  /** Returns that many bytes, of the same buffer if it is large enough. */
  reserve(length: number): Uint8Array {
    if (this.#buffer.byteLength < length) this.#buffer = new SharedArrayBuffer(length);
    return new Uint8Array(this.#buffer, 0, length);
  }
}

/** Copies documents into shared memory. */
export function packDocuments(
  documents: readonly SourceDocument[],
  buffer: SharedBuffer,
): PackedDocuments {
  let length = 0;
  for (const { root, nested } of documents) length += root.length + nested.length;
  const bytes = buffer.reserve(length);
  const ends = new Float64Array(documents.length * 2);
  let end = 0;
  documents.forEach(({ root, nested }, i) => {
    bytes.set(root, end);
    end += root.length;
    ends[2 * i] = end;
    bytes.set(nested, end);
    end += nested.length;
    ends[2 * i + 1] = end;
  });
  return {
    ids: documents.map(({ id }) => id),
    versions: Float64Array.from(documents, ({ version }) => version),
    bytes,
    ends,
  };
}

/** The packed documents as views. */
export function unpackDocuments(packed: PackedDocuments): SourceDocument[] {
  const { bytes, ends } = packed;
  return packed.ids.map((id, i) => {
    const start = i === 0 ? 0 : (ends[2 * i - 1] ?? 0);
    const middle = ends[2 * i] ?? 0;
    return {
      id,
      version: packed.versions[i] ?? 0,
      root: bytes.subarray(start, middle),
      nested: bytes.subarray(middle, ends[2 * i + 1]),
    };
  });
}

/** An input segment in a form that another thread can open. */
export function mergePart(
  view: SegmentView,
  index: IndexHandle,
  sources: SegmentSources,
): MergePart {
  const { liveDocs, liveCount } = view;
  return { name: view.segment.name, index, sources: sources.handle, liveDocs, liveCount };
}
