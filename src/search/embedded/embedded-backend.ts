// The search backend inside the process: one index for each tenant and document type over the engine, fed by the
// indexer, searched in slices, built and merged in worker threads, and kept in files between starts.
// Invariant: what cannot be trusted is thrown away and fed again from the store; until then it answers `unavailable`.
import { setImmediate as turn } from 'node:timers/promises';
import { CorruptSegmentError } from '../../engine/index/corrupt-segment-error.ts';
import type { SegmentView } from '../../engine/index/segment.ts';
import { SourceCache } from '../../engine/index/source-cache.ts';
import { rowSetFigures } from '../../engine/search/row-set-cache.ts';
import { ServiceError } from '../../errors.ts';
import type {
  BackendFigures,
  DocumentKey,
  SearchBackend,
  SearchOptions,
  SearchResult,
  TypeaheadResult,
} from '../../identity/search-backend.ts';
import type { DocumentChange } from '../../identity/store.ts';
import type { Mapping } from '../../query/mapping.ts';
import type { IndexName, Plan } from '../../query/plan.ts';
import type { DocumentExplanation } from '../../query/plan-clause.ts';
import { type Clock, CooperativeScheduler } from '../cooperative.ts';
import { BackgroundMerges } from './background-merges.ts';
import { Builder, type StartWorker } from './builder.ts';
import type { EmbeddedIndex } from './embedded-index.ts';
import { Exclusive } from './exclusive.ts';
import { explainSteps } from './explain-steps.ts';
import { IndexFiles } from './index-files.ts';
import type { IndexSet } from './index-set.ts';
import type { OpenTarget } from './open-target.ts';
import { countSteps, searchSteps, typeaheadSteps } from './query-steps.ts';
import { ResultCache } from './result-cache.ts';

/** Where the backend tells what happened; a pino logger fits. */
export interface BackendLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface EmbeddedOptions {
  /** The index directory; the caller holds its lock. */
  readonly path: string;
  /** What the fields of an index are at this moment. */
  mapping(tenantId: string, index: IndexName): Mapping | Promise<Mapping>;
  /** The store's last sequence: an index that lost its state is whole again when it has been fed that far. */
  lastSequence(): Promise<number>;
  readonly log?: BackendLog;
  readonly clock?: Clock;
  readonly startWorker?: StartWorker;
  /** How long after the last merge its result is written, when no commit comes first. */
  readonly settleMs?: number;
  /** What sources read lately may take in memory. */
  readonly sourceCacheBytes?: number;
}

const SETTLE_MS = 2_000;
const SOURCE_CACHE_BYTES = 64 * 2 ** 20;
const SILENT: BackendLog = { info: () => {}, warn: () => {} };

/**
 * Opens the index directory; what is damaged in it waits to be fed again.
 * @throws ServiceError `unavailable` where the directory cannot be written
 */
export async function openEmbeddedBackend(options: EmbeddedOptions): Promise<SearchBackend> {
  const lastSequence = await options.lastSequence();
  try {
    const files = new IndexFiles(options.path);
    const sourceCache = new SourceCache(options.sourceCacheBytes ?? SOURCE_CACHE_BYTES);
    const set = await files.load(lastSequence, options.log ?? SILENT, sourceCache);
    return new EmbeddedBackend(options, files, set);
  } catch (error) {
    throw unwritable(`The index directory ${options.path} cannot be used`, error);
  }
}

/** A target of a plan, and the index it is put to. */
type AskedTarget = Omit<OpenTarget, 'snapshot'> & { readonly found: EmbeddedIndex };

/** Whether the feeder knows that it must start again: after a loss nothing is taken before it has asked from where. */
type Feed = 'known' | 'lost' | 'told';

class EmbeddedBackend implements SearchBackend {
  readonly #options: EmbeddedOptions;
  readonly #log: BackendLog;
  readonly #files: IndexFiles;
  readonly #set: IndexSet;
  readonly #scheduler: CooperativeScheduler;
  readonly #builder: Builder;
  readonly #merger: Builder;
  readonly #merges: BackgroundMerges;
  /** Refresh, commit, and every other change of a list of segments. */
  readonly #changes = new Exclusive();
  readonly #results = new ResultCache();
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
    this.#scheduler = new CooperativeScheduler(
      options.clock === undefined ? {} : { clock: options.clock },
    );
    this.#builder = new Builder(options.startWorker);
    this.#merger = new Builder(options.startWorker);
    this.#merges = new BackgroundMerges({
      set,
      changes: this.#changes,
      builder: this.#merger,
      mapping: (tenantId, index) => options.mapping(tenantId, index),
      merged: () => {
        this.#mergesDone += 1;
        this.#dirty = true;
        this.#settle();
      },
      damaged: (error, index, parts) => this.#discard(error, [index], parts),
      failed: (error) => this.#log.warn({ err: error }, 'Merging segments failed'),
    });
  }

  async search(tenantId: string, plan: Plan, options: SearchOptions): Promise<SearchResult> {
    const { onFound } = options;
    const steps = (targets: readonly OpenTarget[]) => searchSteps(targets, plan, onFound);
    const kept = plan.size === 0 && onFound === undefined ? 'search' : null;
    return this.#ask(tenantId, plan, options, steps, kept);
  }

  async typeahead(tenantId: string, plan: Plan, options: SearchOptions): Promise<TypeaheadResult> {
    return this.#ask(tenantId, plan, options, (targets) => typeaheadSteps(targets, plan));
  }

  async count(tenantId: string, plan: Plan, options: SearchOptions): Promise<number> {
    return this.#ask(tenantId, plan, options, countSteps, 'count');
  }

  async explain(
    tenantId: string,
    plan: Plan,
    document: DocumentKey,
    options: SearchOptions,
  ): Promise<DocumentExplanation | null> {
    return this.#ask(tenantId, plan, options, (targets) => explainSteps(targets, plan, document));
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
      await this.#files.write(this.#set);
    });
  }

  async rebuilding(): Promise<boolean> {
    return this.#set.rebuildUntil !== null;
  }

  async unreadyReason(): Promise<string | null> {
    if (this.#closed) return 'The search index is closed';
    return this.#set.unreadyReason();
  }

  figures(): BackendFigures {
    const caches = {
      sources: this.#set.sourceCache.figures,
      results: this.#results.figures,
      row_sets: rowSetFigures(),
    };
    return {
      indexes: this.#set.figures(),
      merges: this.#mergesDone,
      caches: Object.entries(caches).map(([cache, { hits, misses, weight }]) => {
        return { cache, hits, misses, bytes: weight };
      }),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#settling !== null) clearTimeout(this.#settling);
    const merges = this.#merges.stop();
    await Promise.all([this.#builder.close(), this.#merger.close(), merges]);
    await this.#changes.idle();
    this.#set.close();
  }

  /**
   * Runs a query over the segments of this moment.
   * @param kept what the answer is kept as; null: it is not
   */
  async #ask<T>(
    tenantId: string,
    plan: Plan,
    options: SearchOptions,
    steps: (targets: readonly OpenTarget[]) => Generator<void, T>,
    kept: 'search' | 'count' | null = null,
  ): Promise<T> {
    if (this.#closed) throw new ServiceError('unavailable', 'The search index is closed');
    const asked = await this.#mapped(tenantId, plan);
    if (kept === null) return this.#run(asked, options, steps);
    const indexes = asked.map(({ found }) => found);
    return this.#results.through(kept, tenantId, plan, indexes, () =>
      this.#run(asked, options, steps),
    );
  }

  async #run<T>(
    asked: readonly AskedTarget[],
    options: SearchOptions,
    steps: (targets: readonly OpenTarget[]) => Generator<void, T>,
  ): Promise<T> {
    const targets = asked.map(({ found, ...target }) => ({
      ...target,
      snapshot: found.snapshot(),
    }));
    try {
      return await this.#scheduler.run(steps(targets), options);
    } catch (error) {
      if (!(error instanceof CorruptSegmentError)) throw error;
      const views = targets.flatMap(({ snapshot }) => snapshot.views);
      await this.#discard(
        error,
        asked.map(({ found }) => found),
        views,
      );
      throw rebuilding(error.message);
    } finally {
      for (const { snapshot } of targets) snapshot.release();
    }
  }

  /** The plan's targets that have an index, with their mappings. */
  async #mapped(tenantId: string, plan: Plan): Promise<AskedTarget[]> {
    const asked: AskedTarget[] = [];
    for (const target of plan.targets) {
      const { index } = target;
      const reason = this.#set.rebuildReason(tenantId, index);
      if (reason !== null) throw rebuilding(reason);
      const found = this.#set.get(tenantId, index);
      if (found === undefined || found.views.length === 0) continue;
      asked.push({ ...target, found, mapping: await this.#options.mapping(tenantId, index) });
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
    this.#merges.start();
  }

  async #refreshBatch(index: EmbeddedIndex): Promise<void> {
    const batch = index.nextBatch();
    const news = await newsOf(index, batch);
    if (news.length > 0) {
      const name = `s${this.#set.newNumber()}`;
      const job = index.buildJob(news);
      const built =
        job === null
          ? null
          : await this.#builder.run({
              kind: 'build',
              name,
              mapping: await this.#options.mapping(index.tenantId, index.index),
              ...job,
            });
      index.install(name, built, news);
      this.#dirty = true;
    }
    index.settle(batch);
  }

  async #write(sequence: number): Promise<void> {
    this.#dirty = false;
    try {
      await this.#files.write(this.#set, sequence);
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
