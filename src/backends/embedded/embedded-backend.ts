// The embedded search backend: one index per tenant and document type, fed by the indexer, built and
// merged in worker threads, stored in files, and searched in slices, here and in the threads that read
// the indexes.
// Invariant: an index that is damaged is discarded and fed again from the store; until then it
// answers `unavailable`.
import { setImmediate as turn } from 'node:timers/promises';
import { fileFault } from '../../config/file-fault.ts';
import { BULK_MERGE_POLICY, MERGE_POLICY } from '../../engine/index/merge-policy.ts';
import { CorruptSegmentError } from '../../engine/sections/corrupt-segment-error.ts';
import { ServiceError } from '../../errors.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName } from '../../query/query.ts';
import { CooperativeScheduler } from '../../scheduling/cooperative.ts';
import {
  type BackendFigures,
  type DocumentKey,
  type IndexHoldings,
  NotCommittedError,
  type SearchBackend,
  type SearchOptions,
} from '../../service/ports/search-backend.ts';
import type { DocumentChange } from '../../service/ports/store.ts';
import { type Log, SILENT } from '../../telemetry/log.ts';
import { SharedBuffer } from './building/build-job.ts';
import { Builder } from './building/builder.ts';
import type { EmbeddedOptions } from './embedded-options.ts';
import { checkIndex } from './files/segment-index.ts';
import { BackgroundMerges } from './indexes/background-merges.ts';
import {
  type CacheSizes,
  cacheSizes,
  createCaches,
  figuresOf,
  queriesLimit,
} from './indexes/cache-sizes.ts';
import type { EmbeddedIndex } from './indexes/embedded-index.ts';
import { Exclusive } from './indexes/exclusive.ts';
import { IndexFiles } from './indexes/index-files.ts';
import { type IndexReader, IndexReaders } from './indexes/index-readers.ts';
import type { IndexSet } from './indexes/index-set.ts';
import type { IndexList } from './indexes/shared-indexes.ts';
import { newSegment, type OpenedSegment } from './indexes/stored-segment.ts';
import { EmbeddedSearch } from './searching/embedded-search.ts';
import { ResultCache } from './searching/result-cache.ts';
import { closed, rebuilding, type SearchedIndex } from './searching/searched-indexes.ts';

/** Defaults of EmbeddedOptions: `settleMs`, `restMs`, and the memory that `cacheSizes` divides. */
const SETTLE_MS = 2_000;
const REST_MS = 5_000;
const MEMORY_BYTES = 256 * 2 ** 20;
/** Segments with more bytes of documents than this are written to files while they are built. */
const LARGE_BYTES = 4 * 2 ** 20;

/**
 * Opens the index directory. Damaged indexes are discarded and must be fed again.
 * @throws ServiceError `unavailable` if the directory cannot be written
 */
export async function openEmbeddedBackend(options: EmbeddedOptions): Promise<EmbeddedBackend> {
  const lastSequence = await options.lastSequence();
  try {
    const files = new IndexFiles(options);
    const sizes = { ...cacheSizes(MEMORY_BYTES), ...options.cacheSizes };
    const caches = createCaches(sizes);
    // An index that is only read is not discarded: its reader gets the damage as an error.
    const log = options.access === 'read' ? SILENT : (options.log ?? SILENT);
    const set = await files.load(lastSequence, log, caches);
    return new EmbeddedBackend(options, files, set, sizes);
  } catch (error) {
    throw unwritable(`The index directory ${options.path} cannot be used`, error);
  }
}

/**
 * State of the feeder: `lost` after an index was discarded, `reported` once the feeder has got an
 * error for it, and `current` again when it has asked where to start. Until then changes fail.
 */
type FeedState = 'current' | 'lost' | 'reported';

export class EmbeddedBackend implements SearchBackend {
  readonly #options: EmbeddedOptions;
  readonly #log: Log;
  readonly #files: IndexFiles;
  readonly #set: IndexSet;
  readonly #sizes: CacheSizes;
  readonly #search: EmbeddedSearch;
  readonly #readers: IndexReaders;
  readonly #builder: Builder;
  readonly #merger: Builder;
  readonly #merges: BackgroundMerges;
  /** Runs refreshes, commits and all other changes of segment lists one after the other. */
  readonly #changes = new Exclusive();
  /** Buffer for the documents of the segment that is being built. */
  readonly #buildBuffer = new SharedBuffer();
  #feed: FeedState = 'current';
  /** Sequence of the last change applied. */
  #applied = 0;
  #writeTimer: NodeJS.Timeout | null = null;
  #dirty = false;
  /** The last attempt to write files failed. */
  #isUnwritten = false;
  #mergesDone = 0;
  #closed = false;

  constructor(options: EmbeddedOptions, files: IndexFiles, set: IndexSet, sizes: CacheSizes) {
    this.#options = options;
    this.#log = options.log ?? SILENT;
    this.#files = files;
    this.#set = set;
    this.#sizes = sizes;
    this.#readers = new IndexReaders(set);
    this.#search = new EmbeddedSearch({
      indexes: {
        get: (tenantId, { index }) => this.#searched(tenantId, index),
        onDamaged: (error, tenantId) => this.discardDamaged(error, tenantId),
      },
      scheduler: options.scheduler ?? new CooperativeScheduler(),
      results: new ResultCache(set.caches.results),
    });
    this.#builder = new Builder(options.startWorker);
    this.#merger = new Builder(options.startWorker);
    this.#merges = new BackgroundMerges({
      set,
      changes: this.#changes,
      builder: this.#merger,
      directory: files.directory,
      policy: options.use === 'bulk' ? BULK_MERGE_POLICY : MERGE_POLICY,
      restMs: options.restMs ?? REST_MS,
      mapping: (tenantId, index) => options.mapping(tenantId, index),
      onMerged: () => {
        this.#mergesDone += 1;
        this.#dirty = true;
        this.#onSegmentsChanged();
        this.#scheduleWrite();
      },
      onDamaged: (error, { tenantId }) => this.discardDamaged(error, tenantId),
      onFailed: (error) => this.#log.warn({ err: error }, 'Merging segments failed'),
    });
    this.#onSegmentsChanged();
    if (options.access !== 'read') this.#merges.start();
  }

  search(tenantId: string, plan: Plan, options: SearchOptions) {
    return this.#search.search(tenantId, plan, options);
  }

  typeahead(tenantId: string, plan: Plan, options: SearchOptions) {
    return this.#search.typeahead(tenantId, plan, options);
  }

  count(tenantId: string, plan: Plan, options: SearchOptions) {
    return this.#search.count(tenantId, plan, options);
  }

  explain(tenantId: string, plan: Plan, document: DocumentKey, options: SearchOptions) {
    return this.#search.explain(tenantId, plan, document, options);
  }

  /**
   * Lets another thread search these indexes.
   * @param post sends it the list of segments, whenever it changes
   */
  addReader(post: (list: IndexList) => void): IndexReader {
    return this.#readers.add(post);
  }

  async apply(tenantId: string, changes: readonly DocumentChange[]): Promise<void> {
    this.#checkFeed();
    for (const change of changes) {
      this.#applied = Math.max(this.#applied, change.sequence);
      // Skips replayed changes that the committed state covers: deleted documents must stay
      // deleted.
      if (change.sequence <= this.#set.sequence) continue;
      this.#set.getOrCreate(tenantId, change.index).addPending(change);
    }
  }

  refresh(): Promise<void> {
    return this.#changes.run(() => this.#refresh());
  }

  commit(sequence: number): Promise<void> {
    return this.#changes.run(async () => {
      // The refresh comes first, as it checks the state of the feeder.
      await this.#refresh();
      await this.#write(Math.max(sequence, this.#set.sequence));
    });
  }

  async committedSequence(): Promise<number> {
    if (this.#feed === 'reported') this.#feed = 'current';
    return this.#set.sequence;
  }

  async coveredSequence(): Promise<number> {
    return Math.max(this.#set.covered, this.#set.sequence);
  }

  /** A feeder must ask again where to start, or it continues from where it was. */
  clear(): Promise<void> {
    return this.#changes.run(async () => {
      this.#set.clear(await this.#options.lastSequence());
      this.#applied = 0;
      this.#onSegmentsChanged();
      await this.#readers.listed();
      await this.#files.write(this.#set);
    });
  }

  async rebuilding(): Promise<boolean> {
    return this.#set.rebuildUntil !== null;
  }

  async ping(): Promise<void> {
    if (this.#closed) throw closed();
  }

  async unreadyReason(): Promise<string | null> {
    if (this.#closed) return 'The search index is closed';
    return this.#set.unreadyReason();
  }

  warnings(): readonly string[] {
    if (!this.#isUnwritten) return [];
    return [
      'The search index cannot be written: searches go on, and the next start would feed the last changes again; the log of this node says why.',
    ];
  }

  async holdings(tenantId: string): Promise<readonly IndexHoldings[]> {
    if (this.#closed) throw closed();
    return this.#set.holdings(tenantId);
  }

  async verify(): Promise<void> {
    const { damage } = this.#set;
    if (damage !== null) throw rebuilding(damage);
    for (const index of this.#set.all()) {
      const snapshot = index.snapshot();
      try {
        for (const stored of snapshot.stored) {
          for (const _ of checkIndex(stored.name, stored.index.handle)) await turn();
        }
      } catch (error) {
        if (!(error instanceof CorruptSegmentError)) throw error;
        await this.discardDamaged(error, index.tenantId);
        throw rebuilding(error.message);
      } finally {
        snapshot.release();
      }
    }
  }

  figures(): BackendFigures {
    return {
      indexes: this.#set.figures(),
      merges: this.#mergesDone,
      merging: this.#merges.merging,
      caches: figuresOf(this.#set.caches),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#writeTimer !== null) clearTimeout(this.#writeTimer);
    const merges = this.#merges.stop();
    await Promise.all([this.#builder.close(), this.#merger.close(), merges]);
    // A change may wait for a thread that reads.
    this.#readers.close();
    await this.#changes.idle();
    this.#set.close();
  }

  #searched(tenantId: string, name: IndexName): SearchedIndex {
    if (this.#closed) throw closed();
    const index = this.#set.get(tenantId, name);
    return {
      rebuildReason: this.#set.rebuildReason(index),
      open: () => (index === undefined || index.views.length === 0 ? null : index.snapshot()),
    };
  }

  async #refresh(): Promise<void> {
    this.#checkFeed();
    const applied = this.#applied;
    for (const index of this.#set.all()) {
      try {
        while (index.hasPending) await this.#refreshBatch(index);
      } catch (error) {
        // Nothing else may ever read what feeding reads of a segment.
        if (error instanceof CorruptSegmentError) await this.#discard(error, index.tenantId);
        throw error;
      }
    }
    this.#set.markFedUntil(applied);
    this.#onSegmentsChanged();
    this.#merges.start();
    await this.#readers.listed();
  }

  /** Bounds what searches cache by the data, and tells the threads that read. */
  #onSegmentsChanged(): void {
    this.#set.caches.queries.limit(queriesLimit(this.#sizes.queries, this.#set.bytes));
    this.#readers.send();
  }

  async #refreshBatch(index: EmbeddedIndex): Promise<void> {
    const batch = index.nextBatch();
    const newer = await newerChanges(index, batch);
    if (newer.length > 0) {
      const name = `s${this.#set.newNumber()}`;
      this.#set.beingWritten.add(name);
      let installed = false;
      try {
        const opened = await this.#build(index, name, newer);
        index.install(opened, newer);
        installed = true;
        if (opened !== null) this.#set.onDisk.add(opened.stored);
        this.#dirty = true;
      } finally {
        this.#set.beingWritten.delete(name);
        // On a full disk its files would take what the next attempt needs.
        if (!installed) await this.#files.directory.removeSegment(name);
      }
    }
    index.removePending(batch);
  }

  /**
   * Null if the changes only delete. A large segment is written to files at once, so that it is
   * never held in memory.
   */
  async #build(
    index: EmbeddedIndex,
    name: string,
    changes: readonly DocumentChange[],
  ): Promise<OpenedSegment | null> {
    const job = index.buildJob(changes, this.#buildBuffer);
    if (job === null) return null;
    const { directory } = this.#files;
    const built = await this.#builder.run({
      kind: 'build',
      name,
      ...job,
      mapping: await this.#options.mapping(index.tenantId, index.index),
      paths: job.documents.bytes.length < LARGE_BYTES ? null : directory.pathsOf(name),
    });
    return newSegment(directory, name, built, this.#set.caches);
  }

  async #write(sequence: number): Promise<void> {
    this.#dirty = false;
    try {
      await this.#files.write(this.#set, sequence);
      this.#isUnwritten = false;
      this.#onSegmentsChanged();
    } catch (error) {
      this.#dirty = true;
      this.#isUnwritten = true;
      throw unwritable('The search index could not be written', error, NotCommittedError);
    }
  }

  /**
   * @throws ServiceError `unavailable` once after a loss, so that the feeder asks where to start
   */
  #checkFeed(): void {
    if (this.#closed) throw closed();
    if (this.#feed === 'current') return;
    this.#feed = 'reported';
    throw new ServiceError('unavailable', 'The search index must be fed again from the store');
  }

  /** Discards the index of a tenant that has a damaged segment, unless it has it no longer. */
  discardDamaged(
    error: Pick<CorruptSegmentError, 'segment' | 'message'>,
    tenantId: string,
  ): Promise<void> {
    return this.#changes.run(() => this.#discard(error, tenantId));
  }

  /** Inside the queue of changes. */
  async #discard(
    error: Pick<CorruptSegmentError, 'segment' | 'message'>,
    tenantId: string,
  ): Promise<void> {
    const damaged = [...this.#set.all()].find(
      (index) =>
        index.tenantId === tenantId &&
        index.views.some(({ segment }) => segment.name === error.segment),
    );
    if (damaged === undefined || this.#closed) return;
    if (this.#options.access !== 'read') {
      this.#log.warn({ err: error, index: damaged.index }, 'A damaged index is discarded');
    }
    const last = await this.#options.lastSequence().catch(() => 0);
    this.#set.discard(damaged, Math.max(last, this.#applied, this.#set.sequence));
    this.#onSegmentsChanged();
    this.#feed = 'lost';
    this.#applied = 0;
    if (this.#options.access === 'read') return;
    await this.#files.write(this.#set, 0).catch((reason) => {
      this.#log.warn(
        { err: reason },
        'The manifest could not be written after an index was discarded',
      );
    });
  }

  /**
   * Schedules a write of merged segments, so that memory and old files are freed without a commit.
   */
  #scheduleWrite(): void {
    if (this.#writeTimer !== null || this.#closed) return;
    this.#writeTimer = setTimeout(() => {
      this.#writeTimer = null;
      this.#changes
        .run(async () => {
          if (!this.#dirty || this.#closed || this.#set.sequence === 0) return;
          await this.#write(this.#set.sequence);
        })
        .catch((error) => this.#log.warn({ err: error }, 'Merged segments could not be written'));
    }, this.#options.settleMs ?? SETTLE_MS).unref();
  }
}

/** Number of checks before the event loop gets a turn. */
const CHECKS_PER_TURN = 500;

/** The changes that are newer than the documents of the index. */
async function newerChanges(
  index: EmbeddedIndex,
  batch: readonly DocumentChange[],
): Promise<DocumentChange[]> {
  const newer: DocumentChange[] = [];
  for (const [i, change] of batch.entries()) {
    if (index.isNewer(change)) newer.push(change);
    if (i % CHECKS_PER_TURN === CHECKS_PER_TURN - 1) await turn();
  }
  return newer;
}

function unwritable(sentence: string, error: unknown, Fault = ServiceError): ServiceError {
  if (error instanceof ServiceError) return error;
  const fault = new Fault('unavailable', sentence, {
    causes: [fileFault(error)],
  });
  fault.cause = error;
  return fault;
}
