// A segment together with what the disk knows of it: written by a commit, opened by a start.
// Invariant: an entry is given out only after every byte it speaks of is on the disk.
import { CorruptSegmentError } from '../../engine/index/corrupt-segment-error.ts';
import type { SegmentView } from '../../engine/index/segment.ts';
import { openSegment } from '../../engine/index/segment-reader.ts';
import type { SegmentFiles } from '../../engine/index/segment-writer.ts';
import type { SourceCache } from '../../engine/index/source-cache.ts';
import { checksum, type FsDirectory } from './fs-directory.ts';
import { indexFile, type LiveDocsEntry, type SegmentEntry, sourcesFile } from './manifest.ts';
import { SegmentSources, storedSources } from './segment-sources.ts';

/** What a segment is made of, beside the view that searches see. */
export interface StoredSegment {
  readonly name: string;
  readonly index: Uint8Array;
  readonly sources: SegmentSources;
  /** Whether both files are on the disk. */
  durable: boolean;
  /** The live docs that are on the disk, and where. */
  liveDocs: { readonly bits: Uint32Array | null; readonly file: LiveDocsEntry | null };
}

/** A segment that came out of a builder, in memory for now. */
export function newSegment(
  name: string,
  built: SegmentFiles,
  sourceCache: SourceCache,
): { stored: StoredSegment; view: SegmentView } {
  const { index } = built;
  const sources = new SegmentSources(name, { kind: 'memory', bytes: built.sources });
  const segment = openSegment(name, index, sources, {
    ...{ checksum, sourceCache },
    index: 'verified',
  });
  return {
    stored: {
      name,
      index,
      sources,
      durable: false,
      liveDocs: { bits: null, file: null },
    },
    view: { segment, liveDocs: null, liveCount: segment.docCount },
  };
}

/**
 * Reads a committed segment, but nothing of its sources.
 * @throws CorruptSegmentError where a file is missing, cut short or changed
 */
export function openStored(
  directory: FsDirectory,
  entry: SegmentEntry,
  sourceCache: SourceCache,
): { stored: StoredSegment; view: SegmentView } {
  const { name } = entry;
  const index = directory.read(indexFile(name));
  if (index === null) throw new CorruptSegmentError(name, 'its index file is missing');
  if (index.length !== entry.indexBytes || footerOf(index) !== entry.indexFooter) {
    throw new CorruptSegmentError(name, 'its index file is another one');
  }
  const sources = storedSources(name, directory.pathOf(sourcesFile(name)), entry.sourcesBytes);
  try {
    const segment = openSegment(name, index, sources, { checksum, sourceCache });
    const bits = readLiveDocs(directory, entry, segment.docCount);
    return {
      stored: {
        name,
        index,
        sources,
        durable: true,
        liveDocs: { bits, file: entry.liveDocs },
      },
      view: {
        segment,
        liveDocs: bits,
        liveCount: entry.liveDocs?.liveCount ?? segment.docCount,
      },
    };
  } catch (error) {
    sources.release();
    throw error;
  }
}

/** Puts on the disk what is not there yet; names are durable after the directory's `sync`. */
export async function writeStored(
  directory: FsDirectory,
  stored: StoredSegment,
  view: SegmentView,
  numbers: { newNumber(): number },
): Promise<SegmentEntry> {
  const { name, index, sources } = stored;
  if (!stored.durable) {
    await directory.write(indexFile(name), [index]);
    if (sources.handle.kind === 'memory') {
      await directory.write(sourcesFile(name), [sources.handle.bytes]);
    }
    sources.moveToFile(directory.pathOf(sourcesFile(name)));
    stored.durable = true;
  }
  if (stored.liveDocs.bits !== view.liveDocs) {
    stored.liveDocs = {
      bits: view.liveDocs,
      file: await writeLiveDocs(directory, `${name}-${numbers.newNumber()}.live`, view),
    };
  }
  return {
    name,
    indexBytes: index.length,
    indexFooter: footerOf(index),
    sourcesBytes: sources.size,
    liveDocs: stored.liveDocs.file,
  };
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

/** The last four bytes: the checksum that the engine put there and compares on opening. */
function footerOf(index: Uint8Array): number {
  const at = index.byteOffset + index.length - 4;
  return new DataView(index.buffer).getUint32(at, true);
}
