// The manifest: the segments of each index of each tenant with their checksums, and the change
// sequence they cover. Replacing it is the commit.
// Invariant: a manifest with a wrong checksum is ignored; the index is then rebuilt from the store.
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import type { IndexName } from '../../../query/query.ts';
import { checksum, indexFile, sourcesFile } from './fs-directory.ts';

export const MANIFEST = 'manifest.json';

/** Increased with every change of the files' format; an index of another format is rebuilt. */
export const FORMAT = 2;

/** A file of live docs, one bit per row; each new state is a new file. */
export interface LiveDocsEntry {
  readonly file: string;
  readonly checksum: number;
  readonly liveCount: number;
}

/** A segment on disk: `NAME.index`, `NAME.sources` and perhaps a file of live docs. */
export interface SegmentEntry {
  readonly name: string;
  readonly indexBytes: number;
  /** The checksum in the footer of the index file, which identifies its content. */
  readonly indexFooter: number;
  readonly sourcesBytes: number;
  /** null: all rows are live. */
  readonly liveDocs: LiveDocsEntry | null;
  /** What `ownerOf` returns. Manifests of earlier versions lack it. */
  readonly owner?: number;
}

export interface IndexEntry {
  readonly tenantId: string;
  readonly index: IndexName;
  readonly segments: readonly SegmentEntry[];
  /** The index lost its state and must not answer until this change has been fed; null: it may. */
  readonly rebuildUntil: number | null;
}

export interface Manifest {
  readonly format: number;
  /** Sequence of the last change covered. */
  readonly sequence: number;
  /**
   * No index needs a deletion up to this change (index-set.ts). Manifests of earlier versions lack
   * it: theirs is the sequence.
   */
  readonly covered?: number;
  /** `storeMark` of the embedded options at `covered`. Manifests of earlier versions lack it. */
  readonly storeMark?: string | null;
  /** Number of the next new file name. */
  readonly nextNumber: number;
  /** As in an index entry, for all of them: the previous manifest was lost. */
  readonly rebuildUntil: number | null;
  readonly indexes: readonly IndexEntry[];
}

/** The checksum of the tenant and index of a segment, and of what identifies its files. */
export function ownerOf(
  { tenantId, index }: Pick<IndexEntry, 'tenantId' | 'index'>,
  { name, indexFooter, sourcesBytes }: SegmentEntry,
): number {
  const parts = [tenantId, index, name, indexFooter, sourcesBytes];
  return checksum(new TextEncoder().encode(JSON.stringify(parts)));
}

/** One line of JSON and its checksum. */
export function encodeManifest(manifest: Manifest): Uint8Array {
  const line = JSON.stringify(manifest);
  const bytes = new TextEncoder().encode(line);
  return new TextEncoder().encode(`${line}\n${checksum(bytes).toString(16)}\n`);
}

/** The index of another version: not damaged, but to be built again. */
export class OtherFormatError extends CorruptSegmentError {}

/** @throws CorruptSegmentError if it is damaged; OtherFormatError if it is of another format */
export function decodeManifest(bytes: Uint8Array): Manifest {
  const end = bytes.indexOf(0x0a);
  const line = bytes.slice(0, Math.max(end, 0));
  const sum = new TextDecoder().decode(bytes.slice(end + 1)).trim();
  if (end < 0 || checksum(line).toString(16) !== sum) {
    throw new CorruptSegmentError('manifest', 'checksum');
  }
  const manifest = JSON.parse(new TextDecoder().decode(line)) as Manifest;
  if (manifest.format !== FORMAT) {
    throw new OtherFormatError('manifest', `format ${manifest.format} instead of ${FORMAT}`);
  }
  const wrong = MEMBERS.find((member) => !member.isRight(manifest));
  if (wrong !== undefined) throw new CorruptSegmentError('manifest', wrong.name);
  return manifest;
}

const isNumber = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

/** Checks of the members: whoever changes a manifest can also compute its checksum. */
const MEMBERS: readonly { readonly name: string; isRight(manifest: Manifest): boolean }[] = [
  { name: 'its sequence', isRight: ({ sequence }) => isNumber(sequence) },
  { name: 'its next number', isRight: ({ nextNumber }) => isNumber(nextNumber) },
  {
    name: 'its list of indexes',
    isRight: ({ indexes }) =>
      Array.isArray(indexes) && indexes.every((entry) => Array.isArray(entry?.segments)),
  },
  // A store with changes has documents, if only those of events.
  {
    name: 'its list of indexes, which is empty',
    isRight: ({ sequence, indexes }) => sequence === 0 || indexes.length > 0,
  },
];

/** True if a name in the directory is an index file; the lock file is not. */
export const isIndexFile = (name: string): boolean =>
  /^s\d+(-\d+)?\.(index|sources|live)$|\.tmp$/.test(name);

/** True if a name in the directory is a file of a segment, which has documents. */
export const isSegmentFile = (name: string): boolean => /^s\d+\.index$/.test(name);

/** The names of all files of a manifest, its own included. */
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
