// Loads the indexes from files at start, and writes new segments at a commit. One commit at a time.
// Invariant: until the new manifest has its name, all files of the old one exist.
import { fileFault } from '../../../config/file-fault.ts';
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import type { SegmentView } from '../../../engine/sections/segment.ts';
import type { Log } from '../../../telemetry/log.ts';
import { allDone } from '../files/all-done.ts';
import { FsDirectory, indexFile, sourcesFile } from '../files/fs-directory.ts';
import {
  decodeManifest,
  encodeManifest,
  FORMAT,
  filesOf,
  type IndexEntry,
  isIndexFile,
  MANIFEST,
  type Manifest,
  OtherFormatError,
  ownerOf,
  type SegmentEntry,
} from '../files/manifest.ts';
import type { IndexCaches } from './cache-sizes.ts';
import type { EmbeddedIndex } from './embedded-index.ts';
import { IndexSet } from './index-set.ts';
import { openStored, writeStored } from './stored-segment.ts';

/** Where the files are, and what store they are of. */
export interface IndexFileOptions {
  /** The index directory; the caller holds its lock. */
  readonly path: string;
  /**
   * `read`: no file is changed, not even those of a damaged index, and nothing may be fed. Default:
   * `write`.
   */
  readonly access?: 'read' | 'write';
  /**
   * What tells the store, as it was at a change, from every other and from one that went another
   * way before it, as a copy does that was put back; null for nothing. Default: null.
   */
  storeMark?(sequence: number): Promise<string | null>;
  /**
   * Takes the lock again of a directory that was removed while it is open, and was made again.
   * @throws ServiceError `unavailable` if another process has it
   */
  relock?(): Promise<void>;
}

/** The files of all indexes of a backend. */
export class IndexFiles {
  readonly directory: FsDirectory;
  readonly #access: 'read' | 'write';
  readonly #storeMark: NonNullable<IndexFileOptions['storeMark']>;

  constructor(options: IndexFileOptions) {
    this.directory = new FsDirectory(options.path, options.relock?.bind(options));
    this.#access = options.access ?? 'write';
    this.#storeMark = options.storeMark ?? (async () => null);
  }

  /**
   * Loads the indexes as last committed. Indexes that are missing, damaged, of another format,
   * ahead of the store or of another one are discarded and must be fed from the beginning.
   * @param lastSequence last sequence of the store
   */
  async load(lastSequence: number, log: Pick<Log, 'warn'>, caches: IndexCaches): Promise<IndexSet> {
    const set = new IndexSet(caches);
    const manifest = await this.#manifest(set, lastSequence, log);
    if (manifest === null) {
      set.clear(lastSequence);
      await this.#removeAllBut(new Set(), set);
      return set;
    }
    set.sequence = manifest.sequence;
    set.covered = manifest.covered ?? manifest.sequence;
    set.nextNumber = manifest.nextNumber;
    set.rebuildUntil = manifest.rebuildUntil;
    for (const entry of manifest.indexes) {
      const fault = this.#open(set, entry);
      if (fault === null) continue;
      const { tenantId, index } = entry;
      set.damage ??= faultOf(fault);
      log.warn({ err: fault, tenantId, index }, 'A damaged index is discarded');
      set.discard(set.getOrCreate(tenantId, index), Math.max(manifest.sequence, lastSequence));
    }
    await this.#removeAllBut(filesOf(manifest), set);
    return set;
  }

  /** Makes the indexes durable as of `sequence`. The segment lists must not change meanwhile. */
  async write(set: IndexSet, sequence = set.sequence): Promise<void> {
    if (this.#access === 'read') throw new Error('the index was opened for reading');
    const indexes: IndexEntry[] = [];
    for (const index of set.all()) {
      // In parallel: while the event loop is busy, each step of a file waits for a turn.
      const segments = await allDone(index.views.map((view) => this.#writeView(set, index, view)));
      const { tenantId, rebuildUntil } = index;
      const owner = { tenantId, index: index.index };
      const owned = segments.map((entry) => ({ ...entry, owner: ownerOf(owner, entry) }));
      indexes.push({ ...owner, segments: owned, rebuildUntil });
    }
    await this.directory.sync();
    const { nextNumber, rebuildUntil } = set;
    const covered = Math.max(set.covered, sequence);
    const storeMark = await this.#storeMark(covered);
    const position = { sequence, covered, storeMark, nextNumber, rebuildUntil };
    const manifest = { format: FORMAT, ...position, indexes };
    await this.directory.write(MANIFEST, [encodeManifest(manifest)]);
    await this.directory.sync();
    set.sequence = sequence;
    await this.#removeAllBut(filesOf(manifest), set);
  }

  async #writeView(set: IndexSet, index: EmbeddedIndex, view: SegmentView): Promise<SegmentEntry> {
    const stored = index.storedOf(view);
    const { caches } = set;
    const written = await writeStored(this.directory, stored, view, { set, caches });
    set.onDisk.add(stored);
    if (written.segment !== view.segment) index.reopen(written.segment);
    return written.entry;
  }

  async #manifest(
    set: IndexSet,
    lastSequence: number,
    log: Pick<Log, 'warn'>,
  ): Promise<Manifest | null> {
    try {
      const bytes = this.directory.read(MANIFEST);
      if (bytes === null) return null;
      const manifest = decodeManifest(bytes);
      const { covered = manifest.sequence, storeMark } = manifest;
      const sequence = Math.max(manifest.sequence, covered, ...rebuildsOf(manifest));
      if (sequence <= lastSequence) {
        if (storeMark === undefined) return manifest;
        if ((await this.#storeMark(covered)) === storeMark) return manifest;
        const other = 'the index was built from another store, or from later changes of this one';
        throw new CorruptSegmentError('manifest', other);
      }
      const ends = `its last change is ${lastSequence}, that of the index ${sequence}`;
      throw new CorruptSegmentError('manifest', `the store is older than the index, ${ends}`);
    } catch (error) {
      if (!(error instanceof OtherFormatError)) set.damage = faultOf(error);
      log.warn({ err: error }, 'The search index is discarded');
      return null;
    }
  }

  /** Opens all segments of an index; returns the error if one of them cannot be opened. */
  #open(set: IndexSet, entry: IndexEntry): unknown {
    const index = set.getOrCreate(entry.tenantId, entry.index);
    index.rebuildUntil = entry.rebuildUntil;
    try {
      for (const segment of entry.segments) {
        if (segment.owner !== undefined && segment.owner !== ownerOf(entry, segment)) {
          throw new CorruptSegmentError(segment.name, 'it belongs to another tenant or index');
        }
        const opened = openStored(this.directory, segment, set.caches);
        index.open(opened);
        set.onDisk.add(opened.stored);
      }
      return null;
    } catch (error) {
      return error;
    }
  }

  async #removeAllBut(files: ReadonlySet<string>, set: IndexSet): Promise<void> {
    if (this.#access === 'read') return;
    const keep = new Set(files);
    const segments = new Set(set.beingWritten);
    for (const stored of set.onDisk) {
      if (stored.sources.inUse) segments.add(stored.name);
      else set.onDisk.delete(stored);
    }
    for (const name of segments) keep.add(indexFile(name)).add(sourcesFile(name));
    const unused = this.directory.list().filter((name) => isIndexFile(name) && !keep.has(name));
    await allDone(unused.map((name) => this.directory.remove(name)));
  }
}

function faultOf(error: unknown): string {
  const { path } = error as NodeJS.ErrnoException;
  return path === undefined ? String((error as Error).message) : `${path}: ${fileFault(error)}`;
}

/** The changes up to which indexes are being filled again. */
function rebuildsOf({ rebuildUntil, indexes }: Manifest): number[] {
  return [{ rebuildUntil }, ...indexes].map((one) => one.rebuildUntil ?? 0);
}
