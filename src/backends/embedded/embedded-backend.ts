// The search backend inside the process: one index for each tenant and document type over the engine, fed by the
// indexer, searched in slices, built and merged in worker threads, and kept in files between starts.
// Invariant: what cannot be trusted is thrown away and fed again from the store; until then it answers `unavailable`.
import { setImmediate as turn } from 'node:timers/promises';
import { ByteCache } from '../../engine/index/byte-cache.ts';
import { CorruptSegmentError } from '../../engine/index/corrupt-segment-error.ts';
import { BULK_MERGE_POLICY, MERGE_POLICY } from '../../engine/index/merge-policy.ts';
import type { SegmentView } from '../../engine/index/segment.ts';
import { rowMemoryFigures } from '../../engine/rows/row-memory.ts';
import { ServiceError } from '../../errors.ts';
import type {
  BackendFigures,
  DocumentKey,
  IndexHoldings,
  SearchBackend,
  SearchOptions,
  SearchResult,
  TypeaheadResult,
} from '../../identity/ports/search-backend.ts';
import type { DocumentChange } from '../../identity/ports/store.ts';
import type { DocumentExplanation } from '../../query/explain/plan-clause.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { Plan, Target } from '../../query/plan.ts';
import type { IndexName } from '../../query/query.ts';
import { type BackendLog, SILENT } from '../backend-log.ts';
import { BackgroundMerges } from './building/background-merges.ts';
import { SharedRoom } from './building/build-job.ts';
import { Builder } from './building/builder.ts';
import type { EmbeddedIndex } from './embedded-index.ts';
import type { EmbeddedOptions } from './embedded-options.ts';
import { Exclusive } from './exclusive.ts';
import { IndexFiles } from './files/index-files.ts';
import { checkIndex } from './files/segment-index.ts';
import { newSegment, type OpenedSegment } from './files/stored-segment.ts';
import type { IndexSet } from './index-set.ts';
import { isLargePlan } from './searching/query-costs.ts';
import type { Answers, Question } from './searching/question.ts';
import { ResultCache } from './searching/result-cache.ts';
import type { AskedTarget } from './searching/search-job.ts';
import { SearchRunner } from './searching/search-runner.ts';

const SETTLE_MS = 2_000;
const REST_MS = 5_000;
const SOURCE_CACHE_BYTES = 64 * 2 ** 20;
const PAGE_CACHE_BYTES = 64 * 2 ** 20;
/** Documents of so many bytes make a segment that is written to its files as it is built. */
const LARGE_BYTES = 4 * 2 ** 20;

/**
 * Opens the index directory; what is damaged in it waits to be fed again.
 * @throws ServiceError `unavailable` where the directory cannot be written
 */
export async function openEmbeddedBackend(options: EmbeddedOptions): Promise<SearchBackend> {
  const lastSequence = await options.lastSequence();
  try {
    const files = new IndexFiles(options.path);
    const caches = {
      sources: new ByteCache(options.sourceCacheBytes ?? SOURCE_CACHE_BYTES),
      pages: new ByteCache(options.pageCacheBytes ?? PAGE_CACHE_BYTES),
    };
    const set = await files.load(lastSequence, options.log ?? SILENT, caches);
    return new EmbeddedBackend(options, files, set);
  } catch (error) {
    throw unwritable(`The index directory ${options.path} cannot be used`, error);
  }
}

/** A target of a plan, and the index it is put to. */
interface FoundTarget extends Pick<AskedTarget, 'found' | 'mapping'> {
  readonly target: Target;
}

/** Those of a plan's indexes. */
type PlanMappings = Readonly<Partial<Record<IndexName, Mapping>>>;

/** Whether the feeder knows that it must start again: after a loss nothing is taken before it has asked from where. */
type Feed = 'known' | 'lost' | 'told';

class EmbeddedBackend implements SearchBackend {
  readonly #options: EmbeddedOptions;
  readonly #log: BackendLog;
  readonly #files: IndexFiles;
  readonly #set: IndexSet;
  readonly #runner: SearchRunner;
  readonly #builder: Builder;
  readonly #merger: Builder;
  readonly #merges: BackgroundMerges;
  /** Refresh, commit, and every other change of a list of segments. */
  readonly #changes = new Exclusive();
  readonly #results = new ResultCache();
  /** Of the documents of the segment that is being built. */
  readonly #room = new SharedRoom();
  #feed: Feed = 'known';
  /** The last change taken. */
  #applied = 0;
  #settling: NodeJS.Timeout | null = null;
  #dirty = false;
  #mergesDone = 0;
  #closed = false;

  constructor(options: EmbeddedOptions, files: IndexFiles, set: IndexSet) {
    this.#options = options;
    this.#log = options.log ?? SILENT;
    this.#files = files;
    this.#set = set;
    this.#runner = new SearchRunner({
      workers: options.searchWorkers ?? 0,
      mainThread: options.mainThreadSearches,
      startWorker: options.startSearchWorker,
      scheduler: options.scheduler,
      died: (error) => this.#log.warn({ err: error }, 'A search worker ended'),
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
      merged: () => {
        this.#mergesDone += 1;
        this.#dirty = true;
        this.#tellWorkers();
        this.#settle();
      },
      damaged: (error, index, parts) => this.#discard(error, [index], parts),
      failed: (error) => this.#log.warn({ err: error }, 'Merging segments failed'),
    });
    this.#merges.start();
  }

  search(tenantId: string, plan: Plan, options: SearchOptions): Promise<SearchResult> {
    const kept = plan.size === 0 && options.onFound === undefined ? 'search' : null;
    return this.#ask(tenantId, { kind: 'search', plan }, options, kept);
  }

  typeahead(tenantId: string, plan: Plan, options: SearchOptions): Promise<TypeaheadResult> {
    return this.#ask(tenantId, { kind: 'typeahead', plan }, options);
  }

  count(tenantId: string, plan: Plan, options: SearchOptions): Promise<number> {
    return this.#ask(tenantId, { kind: 'count', plan }, options, 'count');
  }

  explain(
    tenantId: string,
    plan: Plan,
    document: DocumentKey,
    options: SearchOptions,
  ): Promise<DocumentExplanation | null> {
    return this.#ask(tenantId, { kind: 'explain', plan, document }, options);
  }

  async apply(tenantId: string, changes: readonly DocumentChange[]): Promise<void> {
    this.#checkFeed();
    for (const change of changes) {
      this.#applied = Math.max(this.#applied, change.sequence);
      // A replay of what the committed state covers: a deleted document must not come back.
      if (change.sequence <= this.#set.sequence) continue;
      this.#set.make(tenantId, change.index).take(change);
    }
  }

  refresh(): Promise<void> {
    return this.#changes.run(() => this.#refresh());
  }

  commit(sequence: number): Promise<void> {
    return this.#changes.run(async () => {
      // First of all this asks whether the feeder knows what it does.
      await this.#refresh();
      await this.#write(Math.max(sequence, this.#set.sequence));
    });
  }

  async committedSequence(): Promise<number> {
    if (this.#feed === 'told') this.#feed = 'known';
    return this.#set.sequence;
  }

  /** The feeder must be at rest, or it feeds on from where it was. */
  clear(): Promise<void> {
    return this.#changes.run(async () => {
      this.#set.clear(await this.#options.lastSequence());
      this.#applied = 0;
      this.#tellWorkers();
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

  async holdings(tenantId: string): Promise<readonly IndexHoldings[]> {
    if (this.#closed) throw new ServiceError('unavailable', 'The search index is closed');
    return this.#set.holdings(tenantId);
  }

  async verify(): Promise<void> {
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
    const caches = {
      sources: this.#set.caches.sources.figures,
      results: this.#results.figures,
      rows: rowMemoryFigures(),
      positions: this.#set.caches.pages.figures,
    };
    return {
      indexes: this.#set.figures(),
      merges: this.#mergesDone,
      merging: this.#merges.underWay,
      searchWorkers: this.#options.searchWorkers ?? 0,
      caches: Object.entries(caches).map(([cache, { hits, misses, weight }]) => {
        return { cache, hits, misses, bytes: weight };
      }),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#settling !== null) clearTimeout(this.#settling);
    const merges = this.#merges.stop();
    await Promise.all([this.#builder.close(), this.#merger.close(), this.#runner.close(), merges]);
    await this.#changes.idle();
    this.#set.close();
  }

  /**
   * Runs a query over the segments of this moment.
   * @param kept what the answer is kept as; null: it is not
   */
  async #ask<Asked extends Question>(
    tenantId: string,
    question: Asked,
    options: SearchOptions,
    kept: 'search' | 'count' | null = null,
  ): Promise<Answers[Asked['kind']]> {
    if (this.#closed) throw new ServiceError('unavailable', 'The search index is closed');
    const { plan } = question;
    const mappings = options.mappings ?? (await this.#mappings(tenantId, plan));
    const asked = this.#asked(tenantId, plan, mappings);
    // The key of a kept answer is the text of its plan.
    if (kept === null || isLargePlan(plan))
      return await this.#run(tenantId, question, asked, options);
    const indexes = asked.map(({ found }) => found);
    return await this.#results.through(kept, tenantId, plan, indexes, () =>
      this.#run(tenantId, question, asked, options),
    );
  }

  async #run<Asked extends Question>(
    tenantId: string,
    question: Asked,
    asked: readonly FoundTarget[],
    options: SearchOptions,
  ): Promise<Answers[Asked['kind']]> {
    const targets = asked.map(({ target, found, mapping }) => {
      return { ...target, found, mapping, snapshot: found.snapshot() };
    });
    try {
      return await this.#runner.run(tenantId, question, targets, options);
    } catch (error) {
      if (!(error instanceof CorruptSegmentError)) throw error;
      const views = targets.flatMap(({ snapshot }) => snapshot.views);
      await this.#discard(
        error,
        asked.map(({ found }) => found),
        views,
      );
      throw rebuilding(error.message);
    }
  }

  async #mappings(tenantId: string, plan: Plan): Promise<PlanMappings> {
    const mappings: { [index in IndexName]?: Mapping } = {};
    for (const { index } of plan.targets) {
      mappings[index] = await this.#options.mapping(tenantId, index);
    }
    return mappings;
  }

  /** The plan's targets that have an index, with their mappings. */
  #asked(tenantId: string, plan: Plan, mappings: PlanMappings): FoundTarget[] {
    const asked: FoundTarget[] = [];
    for (const target of plan.targets) {
      const { index } = target;
      const found = this.#set.get(tenantId, index);
      const reason = this.#set.rebuildReason(found);
      if (reason !== null) throw rebuilding(reason);
      if (found === undefined || found.views.length === 0) continue;
      const mapping = mappings[index];
      if (mapping === undefined) throw new TypeError(`No mapping of ${index}`);
      asked.push({ target, found, mapping });
    }
    return asked;
  }

  async #refresh(): Promise<void> {
    this.#checkFeed();
    const applied = this.#applied;
    for (const index of this.#set.all()) {
      while (index.hasPending) await this.#refreshBatch(index);
    }
    this.#set.fedUntil(applied);
    this.#tellWorkers();
    this.#merges.start();
  }

  /** Search workers hold no segment that no index has, and no sources in memory that are in a file. */
  #tellWorkers(): void {
    this.#runner.follow(() => this.#set.all());
  }

  async #refreshBatch(index: EmbeddedIndex): Promise<void> {
    const batch = index.nextBatch();
    const news = await newsOf(index, batch);
    if (news.length > 0) {
      const name = `s${this.#set.newNumber()}`;
      this.#set.beingWritten.add(name);
      try {
        const opened = await this.#build(index, name, news);
        index.install(opened, news);
        if (opened !== null) this.#set.onDisk.add(opened.stored);
        this.#dirty = true;
      } finally {
        this.#set.beingWritten.delete(name);
      }
    }
    index.settle(batch);
  }

  /** Null when the changes only delete. A large segment goes to its files at once: nobody need hold it. */
  async #build(
    index: EmbeddedIndex,
    name: string,
    news: readonly DocumentChange[],
  ): Promise<OpenedSegment | null> {
    const job = index.buildJob(news, this.#room);
    if (job === null) return null;
    const { directory } = this.#files;
    const built = await this.#builder.run({
      ...{ kind: 'build', name, ...job },
      mapping: await this.#options.mapping(index.tenantId, index.index),
      paths: job.documents.bytes.length < LARGE_BYTES ? null : directory.pathsOf(name),
    });
    return newSegment(directory, name, built, this.#set.caches);
  }

  async #write(sequence: number): Promise<void> {
    this.#dirty = false;
    try {
      await this.#files.write(this.#set, sequence);
      this.#tellWorkers();
    } catch (error) {
      this.#dirty = true;
      throw unwritable('The search index could not be written', error);
    }
  }

  /** @throws ServiceError `unavailable` once after a loss, so that the feeder asks where to start */
  #checkFeed(): void {
    if (this.#closed) throw new ServiceError('unavailable', 'The search index is closed');
    if (this.#feed === 'known') return;
    this.#feed = 'told';
    throw new ServiceError('unavailable', 'The search index must be fed again from the store');
  }

  /** Throws the index away that a damaged segment belongs to. */
  #discard(
    error: CorruptSegmentError,
    asked: readonly EmbeddedIndex[],
    views: readonly SegmentView[],
  ): Promise<void> {
    return this.#changes.run(async () => {
      const damaged = asked.find((index) =>
        index.views.some(
          ({ segment }) =>
            segment.name === error.segment && views.some((view) => view.segment === segment),
        ),
      );
      if (damaged === undefined || this.#closed) return;
      this.#log.warn({ err: error, index: damaged.index }, 'A damaged index is thrown away');
      const last = await this.#options.lastSequence().catch(() => 0);
      this.#set.discard(damaged, Math.max(last, this.#applied, this.#set.sequence));
      this.#tellWorkers();
      this.#feed = 'lost';
      this.#applied = 0;
      await this.#files.write(this.#set, 0).catch((reason) => {
        this.#log.warn({ err: reason }, 'The loss of an index could not be written down');
      });
    });
  }

  /** Writes the result of merges when nothing else does, so that memory and old files are given back. */
  #settle(): void {
    if (this.#settling !== null || this.#closed) return;
    this.#settling = setTimeout(() => {
      this.#settling = null;
      this.#changes
        .run(async () => {
          if (!this.#dirty || this.#closed || this.#set.sequence === 0) return;
          await this.#write(this.#set.sequence);
        })
        .catch((error) => this.#log.warn({ err: error }, 'Merged segments could not be written'));
    }, this.#options.settleMs ?? SETTLE_MS).unref();
  }
}

/** Checks that cost the event loop no more than a moment at a time. */
const CHECKS_PER_TURN = 500;

async function newsOf(
  index: EmbeddedIndex,
  batch: readonly DocumentChange[],
): Promise<DocumentChange[]> {
  const news: DocumentChange[] = [];
  for (const [i, change] of batch.entries()) {
    if (index.isNews(change)) news.push(change);
    if (i % CHECKS_PER_TURN === CHECKS_PER_TURN - 1) await turn();
  }
  return news;
}

function unwritable(sentence: string, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const fault = new ServiceError('unavailable', sentence, {
    causes: [error instanceof Error ? error.message : String(error)],
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
