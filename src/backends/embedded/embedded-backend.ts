// The embedded search backend: one index per tenant and document type, fed by the indexer, searched
// in slices, built and merged in worker threads, and stored in files.
// Invariant: an index that is damaged is discarded and fed again from the store; until then it
// answers `unavailable`.
import { setImmediate as turn } from 'node:timers/promises';
import { fileFault } from '../../config/file-fault.ts';
import { BULK_MERGE_POLICY, MERGE_POLICY } from '../../engine/index/merge-policy.ts';
import { ByteCache } from '../../engine/sections/byte-cache.ts';
import { CorruptSegmentError } from '../../engine/sections/corrupt-segment-error.ts';
import type { SegmentView } from '../../engine/sections/segment.ts';
import { ServiceError } from '../../errors.ts';
import type { Plan, Target } from '../../query/plan.ts';
import type { DocumentExplanation } from '../../query/plan-clause.ts';
import {
  type BackendFigures,
  type DocumentKey,
  type IndexHoldings,
  type Mappings,
  NotCommittedError,
  type SearchBackend,
  type SearchOptions,
  type SearchResult,
  type TypeaheadResult,
} from '../../service/ports/search-backend.ts';
import type { DocumentChange } from '../../service/ports/store.ts';
import { type Log, SILENT } from '../../telemetry/log.ts';
import { SharedBuffer } from './building/build-job.ts';
import { Builder } from './building/builder.ts';
import type { EmbeddedOptions } from './embedded-options.ts';
import { checkIndex } from './files/segment-index.ts';
import { BackgroundMerges } from './indexes/background-merges.ts';
import { type CacheSizes, cacheSizes, createCaches, queriesLimit } from './indexes/cache-sizes.ts';
import type { EmbeddedIndex } from './indexes/embedded-index.ts';
import { Exclusive } from './indexes/exclusive.ts';
import { IndexFiles } from './indexes/index-files.ts';
import type { IndexSet } from './indexes/index-set.ts';
import { newSegment, type OpenedSegment } from './indexes/stored-segment.ts';
import type { QueryRequest, QueryResults } from './searching/query-request.ts';
import { requestHash } from './searching/request-hash.ts';
import { ResultCache } from './searching/result-cache.ts';
import type { JobContent, JobTarget } from './searching/search-job.ts';
import { SearchRunner } from './searching/search-runner.ts';

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
export async function openEmbeddedBackend(options: EmbeddedOptions): Promise<SearchBackend> {
  const lastSequence = await options.lastSequence();
  try {
    const files = new IndexFiles(options);
    const sizes = { ...cacheSizes(MEMORY_BYTES), ...options.cacheSizes };
    const caches = {
      ...createCaches(sizes),
      results: new ByteCache<unknown, string>(sizes.results),
    };
    // An index that is only read is not discarded: its reader gets the damage as an error.
    const log = options.access === 'read' ? SILENT : (options.log ?? SILENT);
    const set = await files.load(lastSequence, log, caches);
    return new EmbeddedBackend(options, files, set, sizes);
  } catch (error) {
    throw unwritable(`The index directory ${options.path} cannot be used`, error);
  }
}

/** A target of a plan with its index and mapping. */
interface ResolvedTarget extends Pick<JobTarget, 'embeddedIndex' | 'mapping'> {
  readonly target: Target;
}

/**
 * State of the feeder: `lost` after an index was discarded, `reported` once the feeder has got an
 * error for it, and `current` again when it has asked where to start. Until then changes fail.
 */
type FeedState = 'current' | 'lost' | 'reported';

class EmbeddedBackend implements SearchBackend {
  readonly #options: EmbeddedOptions;
  readonly #log: Log;
  readonly #files: IndexFiles;
  readonly #set: IndexSet;
  readonly #sizes: CacheSizes;
  readonly #runner: SearchRunner;
  readonly #builder: Builder;
  readonly #merger: Builder;
  readonly #merges: BackgroundMerges;
  /** Runs refreshes, commits and all other changes of segment lists one after the other. */
  readonly #changes = new Exclusive();
  readonly #results: ResultCache;
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
    this.#results = new ResultCache(set.caches.results);
    this.#runner = new SearchRunner({
      cacheSizes: sizes.workers,
      workers: options.searchWorkers ?? 0,
      mainThread: options.mainThreadSearches,
      startWorker: options.startSearchWorker,
      scheduler: options.scheduler,
      onWorkerDied: (error) => this.#log.warn({ err: error }, 'A search worker ended'),
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
      onDamaged: (error, index, parts) => this.#discard(error, [index], parts),
      onFailed: (error) => this.#log.warn({ err: error }, 'Merging segments failed'),
    });
    this.#onSegmentsChanged();
    if (options.access !== 'read') this.#merges.start();
  }

  search(tenantId: string, plan: Plan, options: SearchOptions): Promise<SearchResult> {
    const cacheAs = plan.size === 0 ? 'search' : null;
    return this.#execute(tenantId, { kind: 'search', plan }, options, cacheAs);
  }

  typeahead(tenantId: string, plan: Plan, options: SearchOptions): Promise<TypeaheadResult> {
    return this.#execute(tenantId, { kind: 'typeahead', plan }, options);
  }

  count(tenantId: string, plan: Plan, options: SearchOptions): Promise<number> {
    return this.#execute(tenantId, { kind: 'count', plan }, options, 'count');
  }

  explain(
    tenantId: string,
    plan: Plan,
    document: DocumentKey,
    options: SearchOptions,
  ): Promise<DocumentExplanation | null> {
    return this.#execute(tenantId, { kind: 'explain', plan, document }, options);
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
      await this.#files.write(this.#set);
    });
  }

  async rebuilding(): Promise<boolean> {
    return this.#set.rebuildUntil !== null;
  }

  async ping(): Promise<void> {
    if (this.#closed) throw new ServiceError('unavailable', 'The search index is closed');
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
    if (this.#closed) throw new ServiceError('unavailable', 'The search index is closed');
    return this.#set.holdings(tenantId);
  }

  async verify(): Promise<void> {
    const { damage } = this.#set;
    if (damage !== null) throw rebuilding(damage);
    for (const index of this.#set.all()) {
      const snapshot = index.snapshot();
      try {
        for (const stored of snapshot.stored) {
          checkIndex(stored.name, stored.index.handle);
          await turn();
        }
      } catch (error) {
        if (!(error instanceof CorruptSegmentError)) throw error;
        await this.#discard(error, [index], snapshot.views);
        throw rebuilding(error.message);
      } finally {
        snapshot.release();
      }
    }
  }

  figures(): BackendFigures {
    const { sources, results, queries, pages } = this.#set.caches;
    const caches = { sources, results, queries, positions: pages, workers: this.#runner };
    return {
      indexes: this.#set.figures(),
      merges: this.#mergesDone,
      merging: this.#merges.merging,
      searchWorkers: this.#options.searchWorkers ?? 0,
      caches: Object.entries(caches).map(([cache, { figures }]) => ({ cache, ...figures })),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#writeTimer !== null) clearTimeout(this.#writeTimer);
    const merges = this.#merges.stop();
    await Promise.all([this.#builder.close(), this.#merger.close(), this.#runner.close(), merges]);
    await this.#changes.idle();
    this.#set.close();
  }

  /**
   * Runs a request on a snapshot of the segments.
   * @param cacheAs the kind of result to cache; null: not cached
   */
  async #execute<Request extends QueryRequest>(
    tenantId: string,
    request: Request,
    options: SearchOptions,
    cacheAs: 'search' | 'count' | null = null,
  ): Promise<QueryResults[Request['kind']]> {
    if (this.#closed) throw new ServiceError('unavailable', 'The search index is closed');
    const { plan } = request;
    const targets = this.#resolveTargets(tenantId, plan, options.mappings);
    const { hash, isLarge } = requestHash(tenantId, request);
    const job = { tenantId, request, options, isLarge };
    // The key of a cached result is the text of its plan, so that of a large one is not made.
    if (cacheAs === null || isLarge) return await this.#run(job, targets);
    const indexes = targets.map(({ embeddedIndex }) => embeddedIndex);
    const requested = { plan, requestHash: hash };
    return await this.#results.through(cacheAs, tenantId, requested, indexes, () =>
      this.#run(job, targets),
    );
  }

  async #run<Request extends QueryRequest>(
    job: Omit<JobContent<Request>, 'targets'>,
    resolved: readonly ResolvedTarget[],
  ): Promise<QueryResults[Request['kind']]> {
    const targets = resolved.map(({ target, embeddedIndex, mapping }) => {
      return { embeddedIndex, mapping, snapshot: embeddedIndex.snapshot(), ...target };
    });
    try {
      return await this.#runner.run({ targets, ...job });
    } catch (error) {
      if (!(error instanceof CorruptSegmentError)) throw error;
      const views = targets.flatMap(({ snapshot }) => snapshot.views);
      await this.#discard(
        error,
        resolved.map(({ embeddedIndex }) => embeddedIndex),
        views,
      );
      throw rebuilding(error.message);
    }
  }

  /** The targets of a plan that have an index, with their mappings. */
  #resolveTargets(tenantId: string, plan: Plan, mappings: Mappings): ResolvedTarget[] {
    const resolved: ResolvedTarget[] = [];
    for (const target of plan.targets) {
      const { index } = target;
      const embeddedIndex = this.#set.get(tenantId, index);
      const reason = this.#set.rebuildReason(embeddedIndex);
      if (reason !== null) throw rebuilding(reason);
      if (embeddedIndex === undefined || embeddedIndex.views.length === 0) continue;
      resolved.push({ target, embeddedIndex, mapping: mappings[index] });
    }
    return resolved;
  }

  async #refresh(): Promise<void> {
    this.#checkFeed();
    const applied = this.#applied;
    for (const index of this.#set.all()) {
      while (index.hasPending) await this.#refreshBatch(index);
    }
    this.#set.markFedUntil(applied);
    this.#onSegmentsChanged();
    this.#merges.start();
  }

  /**
   * Bounds what searches cache by the data, and makes search workers drop segments that were removed,
   * and sources that are in a file now.
   */
  #onSegmentsChanged(): void {
    this.#set.caches.queries.limit(queriesLimit(this.#sizes.queries, this.#set.bytes));
    this.#runner.dropRemoved(() => this.#set.all());
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
    if (this.#closed) throw new ServiceError('unavailable', 'The search index is closed');
    if (this.#feed === 'current') return;
    this.#feed = 'reported';
    throw new ServiceError('unavailable', 'The search index must be fed again from the store');
  }

  /** Discards the index that a damaged segment belongs to. */
  #discard(
    error: CorruptSegmentError,
    indexes: readonly EmbeddedIndex[],
    views: readonly SegmentView[],
  ): Promise<void> {
    return this.#changes.run(async () => {
      const damaged = indexes.find((index) =>
        index.views.some(
          ({ segment }) =>
            segment.name === error.segment && views.some((view) => view.segment === segment),
        ),
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

function rebuilding(reason: string): ServiceError {
  return new ServiceError('unavailable', 'The search index is being rebuilt', {
    causes: [reason],
    retryAfterSeconds: 5,
  });
}
