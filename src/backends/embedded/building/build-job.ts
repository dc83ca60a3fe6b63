// What the adapter and its worker threads say to each other. Bytes lie in shared memory, so a job copies at most
// once and an answer never.
import type { SegmentView, SourceDocument } from '../../../engine/index/segment.ts';
import type { SegmentFiles } from '../../../engine/index/segment-writer.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { IndexHandle } from '../files/segment-index.ts';
import type { SegmentSources, SourcesHandle } from '../files/segment-sources.ts';

/** Documents side by side in one piece of shared memory. */
export interface PackedDocuments {
  readonly ids: readonly string[];
  readonly versions: Float64Array;
  readonly bytes: Uint8Array;
  /** Document `i`: root bytes[ends[2i - 1], ends[2i]), nested bytes[ends[2i], ends[2i + 1]). */
  readonly ends: Float64Array;
}

/** A segment that goes into a merge. */
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
      /** The files to write; null: the segment is small and stays in memory for now. */
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

/** Where the files of a segment are. */
export interface SegmentPaths {
  readonly index: string;
  readonly sources: string;
}

/** A segment whose files are on the disk but have no durable names yet. */
export interface WrittenSegment {
  readonly sourcesBytes: number;
}

/** What becomes of a job. */
export type Built = SegmentFiles | WrittenSegment;

/** What the worker posts; `fault` is a sentence, `corrupt` names the part that failed its checksum. */
export type BuildReply =
  | { readonly id: number; readonly built: Built }
  | { readonly id: number; readonly fault: string; readonly corrupt: string | null };

/**
 * Shared memory that is used for one job after the other. Shared memory is not counted by the garbage collector, so what a
 * large import leaves behind of it would fill the machine.
 */
export class SharedRoom {
  #buffer = new SharedArrayBuffer(0);

  /** Room for so many bytes, the same as before where it is large enough. */
  take(length: number): Uint8Array {
    if (this.#buffer.byteLength < length) this.#buffer = new SharedArrayBuffer(length);
    return new Uint8Array(this.#buffer, 0, length);
  }
}

/** Copies documents into shared memory. */
export function packDocuments(
  documents: readonly SourceDocument[],
  room: SharedRoom,
): PackedDocuments {
  let length = 0;
  for (const { root, nested } of documents) length += root.length + nested.length;
  const bytes = room.take(length);
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

/** The documents again, as views. */
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

/** A view as another thread can open it. */
export function mergePart(
  view: SegmentView,
  index: IndexHandle,
  sources: SegmentSources,
): MergePart {
  const { liveDocs, liveCount } = view;
  return { name: view.segment.name, index, sources: sources.handle, liveDocs, liveCount };
}
