// The one file that says what the index is: which segments each index of each tenant has, their checksums, and the
// change sequence all of it covers. Replacing it is the commit.
// Invariant: a manifest that does not read back exactly is no manifest; the index is then rebuilt from the store.
import { CorruptSegmentError } from '../../../engine/index/corrupt-segment-error.ts';
import type { IndexName } from '../../../query/query.ts';
import { checksum, indexFile, sourcesFile } from './fs-directory.ts';

export const MANIFEST = 'manifest.json';

/** Raised when what stands on the disk changes its shape; another number is not read but rebuilt. */
export const FORMAT = 2;

/** A file of one bit a row; a new state of it is a new file. */
export interface LiveDocsEntry {
  readonly file: string;
  readonly checksum: number;
  readonly liveCount: number;
}

/** A segment on the disk: `NAME.index`, `NAME.sources` and perhaps a file of live docs. */
export interface SegmentEntry {
  readonly name: string;
  readonly indexBytes: number;
  /** The checksum in the footer of the index file: whether it is the one that was committed. */
  readonly indexFooter: number;
  readonly sourcesBytes: number;
  /** null: all rows are live. */
  readonly liveDocs: LiveDocsEntry | null;
}

export interface IndexEntry {
  readonly tenantId: string;
  readonly index: IndexName;
  readonly segments: readonly SegmentEntry[];
  /** The index lost its state and cannot answer before this change has been fed to it; null: it can. */
  readonly rebuildUntil: number | null;
}

export interface Manifest {
  readonly format: number;
  /** The last change this state covers. */
  readonly sequence: number;
  /** The number in the next new file's name. */
  readonly nextNumber: number;
  /** As in an index entry, for all of them: the manifest before this one was lost. */
  readonly rebuildUntil: number | null;
  readonly indexes: readonly IndexEntry[];
}

/** One line of JSON and its checksum. */
export function encodeManifest(manifest: Manifest): Uint8Array {
  const line = JSON.stringify(manifest);
  const bytes = new TextEncoder().encode(line);
  return new TextEncoder().encode(`${line}\n${checksum(bytes).toString(16)}\n`);
}

/** @throws CorruptSegmentError where it is damaged or of another format */
export function decodeManifest(bytes: Uint8Array): Manifest {
  const end = bytes.indexOf(0x0a);
  const line = bytes.slice(0, Math.max(end, 0));
  const sum = new TextDecoder().decode(bytes.slice(end + 1)).trim();
  if (end < 0 || checksum(line).toString(16) !== sum) {
    throw new CorruptSegmentError('manifest', 'checksum');
  }
  const manifest = JSON.parse(new TextDecoder().decode(line)) as Manifest;
  if (manifest.format !== FORMAT) {
    throw new CorruptSegmentError('manifest', `format ${manifest.format} instead of ${FORMAT}`);
  }
  return manifest;
}

/** Whether a name in the directory is one of ours; the lock beside them is not. */
export const isIndexFile = (name: string): boolean =>
  /^s\d+(-\d+)?\.(index|sources|live)$|\.tmp$/.test(name);

/** The names of all files a manifest speaks of, its own included. */
export function filesOf(manifest: Manifest): Set<string> {
  const files = new Set([MANIFEST]);
  for (const { segments } of manifest.indexes) {
    for (const segment of segments) {
      files.add(indexFile(segment.name));
      files.add(sourcesFile(segment.name));
      if (segment.liveDocs !== null) files.add(segment.liveDocs.file);
    }
  }
  return files;
}
