// A segment with its files: written by a commit, opened at start.
// Invariant: a manifest entry is returned only after all its bytes are on disk.

import type { QueryCache } from '../../../engine/index/query-cache.ts';
import { openSegment } from '../../../engine/index/segment-reader.ts';
import type { DocumentBlock } from '../../../engine/index/stored-fields.ts';
import type { ByteCache } from '../../../engine/sections/byte-cache.ts';
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import type { Segment, SegmentView } from '../../../engine/sections/segment.ts';
import type { Built } from '../building/build-job.ts';
import { allDone } from '../files/all-done.ts';
import { checksum, type FsDirectory, indexFile, sourcesFile } from '../files/fs-directory.ts';
import type { LiveDocsEntry, SegmentEntry } from '../files/manifest.ts';
import { SEGMENT_CODEC } from '../files/segment-codec.ts';
import {
  diskIndexFile,
  type IndexFile,
  type IndexHandle,
  memoryIndexFile,
  searchSource,
} from '../files/segment-index.ts';
import { SegmentSources, storedSources } from '../files/segment-sources.ts';

/** The files of a segment and their state. */
export interface StoredSegment {
  readonly name: string;
  /** In memory until both files are on disk. */
  index: IndexFile;
  readonly sources: SegmentSources;
  /** The live docs on disk, and their file. */
  liveDocs: { readonly bits: Uint32Array | null; readonly file: LiveDocsEntry | null };
}

/** A segment with the view that searches use. */
export interface OpenedSegment {
  readonly stored: StoredSegment;
  readonly view: SegmentView;
}

/** The caches of one thread that searches, shared by all its segments. */
export interface SegmentCaches {
  /** Documents. */
  readonly sources: ByteCache<DocumentBlock>;
  /** Rarely used parts of index files. */
  readonly pages: ByteCache<Uint8Array>;
  /** What searches compute. */
  readonly queries: QueryCache;
}

/**
 * Opens a segment returned by a builder: in memory, or written to its files.
 * @throws CorruptSegmentError
 */
export function newSegment(
  directory: FsDirectory,
  name: string,
  built: Built,
  caches: SegmentCaches,
): OpenedSegment {
  if ('sourcesBytes' in built) {
    const { index, sources } = directory.pathsOf(name);
    const stored = storedSources(name, sources, built.sourcesBytes);
    return openView(name, diskIndexFile(name, index), stored, caches, NO_LIVE_DOCS);
  }
  const sources = new SegmentSources(name, { kind: 'memory', bytes: built.sources });
  return openView(name, memoryIndexFile(name, built.index), sources, caches, NO_LIVE_DOCS);
}

/**
 * Opens a committed segment, without reading its sections.
 * @throws CorruptSegmentError if a file is missing, cut short or not the one committed
 */
export function openStored(
  directory: FsDirectory,
  entry: SegmentEntry,
  caches: SegmentCaches,
): OpenedSegment {
  const { name } = entry;
  const paths = directory.pathsOf(name);
  const index = diskIndexFile(name, paths.index);
  if (index.handle.bytes.length !== entry.indexBytes || index.footer !== entry.indexFooter) {
    throw new CorruptSegmentError(name, 'its index file is not the committed one');
  }
  const sources = storedSources(name, paths.sources, entry.sourcesBytes);
  try {
    return openView(name, index, sources, caches, (docCount) => {
      const bits = readLiveDocs(directory, entry, docCount);
      return { bits, file: entry.liveDocs };
    });
  } catch (error) {
    sources.release();
    throw error;
  }
}

const NO_LIVE_DOCS = () => ({ bits: null, file: null });

function openView(
  name: string,
  index: IndexFile,
  sources: SegmentSources,
  caches: SegmentCaches,
  liveDocsOf: (docCount: number) => StoredSegment['liveDocs'],
): OpenedSegment {
  const segment = openSearched(name, index.handle, sources, caches);
  const liveDocs = liveDocsOf(segment.docCount);
  return {
    stored: { name, index, sources, liveDocs },
    view: {
      segment,
      liveDocs: liveDocs.bits,
      liveCount: liveDocs.file?.liveCount ?? segment.docCount,
    },
  };
}

/** Opens a segment for searches; it must be closed by `closeSearched`. */
export function openSearched(
  name: string,
  handle: IndexHandle,
  sources: SegmentSources,
  caches: SegmentCaches,
): Segment {
  const index = searchSource(name, handle, caches.pages);
  return openSegment(name, index, sources, { ...SEGMENT_CODEC, sourceCache: caches.sources });
}

/**
 * Drops what caches hold of a segment that new searches do not see any more. Those that still run in it
 * can go on, but add nothing.
 */
export function closeSearched(segment: Segment, caches: SegmentCaches): void {
  caches.queries.drop(segment);
  segment.uncache();
}

/**
 * Writes what is not on disk yet; names are durable after the directory's `sync`.
 * @returns the segment to search from now on: a reopened one if its memory was freed
 */
export async function writeStored(
  directory: FsDirectory,
  stored: StoredSegment,
  view: SegmentView,
  { set, caches }: { readonly set: { newNumber(): number }; readonly caches: SegmentCaches },
): Promise<{ readonly entry: SegmentEntry; readonly segment: Segment }> {
  const { name, sources } = stored;
  let { segment } = view;
  if (stored.index.handle.kind === 'memory') {
    const writes = [directory.write(indexFile(name), [stored.index.handle.bytes])];
    if (sources.handle.kind === 'memory') {
      writes.push(directory.write(sourcesFile(name), [sources.handle.bytes]));
    }
    await allDone(writes);
    const paths = directory.pathsOf(name);
    sources.moveToFile(paths.sources);
    stored.index = diskIndexFile(name, paths.index);
    segment = openSearched(name, stored.index.handle, sources, caches);
  }
  if (stored.liveDocs.bits !== view.liveDocs) {
    stored.liveDocs = {
      bits: view.liveDocs,
      file: await writeLiveDocs(directory, `${name}-${set.newNumber()}.live`, view),
    };
  }
  const entry = {
    name,
    indexBytes: stored.index.handle.bytes.length,
    indexFooter: stored.index.footer,
    sourcesBytes: sources.size,
    liveDocs: stored.liveDocs.file,
  };
  return { entry, segment };
}

async function writeLiveDocs(
  directory: FsDirectory,
  file: string,
  { liveDocs, liveCount }: SegmentView,
): Promise<LiveDocsEntry | null> {
  if (liveDocs === null) return null;
  const bytes = new Uint8Array(liveDocs.buffer, liveDocs.byteOffset, liveDocs.byteLength);
  await directory.write(file, [bytes]);
  return { file, checksum: checksum(bytes), liveCount };
}

function readLiveDocs(
  directory: FsDirectory,
  { name, liveDocs }: SegmentEntry,
  docCount: number,
): Uint32Array | null {
  if (liveDocs === null) return null;
  const bytes = directory.read(liveDocs.file);
  const sound =
    bytes !== null &&
    bytes.length === Math.ceil(docCount / 32) * 4 &&
    checksum(bytes) === liveDocs.checksum;
  if (!sound) throw new CorruptSegmentError(name, 'its live docs');
  return new Uint32Array(bytes.buffer);
}
