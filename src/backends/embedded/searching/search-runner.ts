// Decides where a request runs. The main thread runs requests that take less time than sending them
// to a worker; search workers run the others. Without a ready worker the main thread runs those
// too, in slices.
// Invariant: a short request never waits for a long one.

import { CooperativeScheduler, type Work } from '../../../scheduling/cooperative.ts';
import type { CacheSizes } from '../cache-sizes.ts';
import type { EmbeddedIndex } from '../embedded-index.ts';
import { QueryCosts } from './query-costs.ts';
import {
  type QueryPhaseResult,
  type QueryRequest,
  type QueryResult,
  type QueryResults,
  queryPhaseSteps,
} from './query-request.ts';
import { fetchSteps } from './query-steps.ts';
import { requestJsonSteps } from './request-json.ts';
import { type JobContent, SearchJob } from './search-job.ts';
import { SearchPool } from './search-pool.ts';
import type { StartSearchWorker } from './search-thread.ts';

export interface RunnerOptions {
  /** Number of search workers; 0: the main thread runs everything. */
  readonly workers: number;
  /** `never`: workers run every request, for tests. */
  readonly mainThread?: 'as it pays' | 'never' | undefined;
  readonly startWorker?: StartSearchWorker | undefined;
  /** Of all workers together. */
  readonly cacheSizes: CacheSizes['workers'];
  /** Scheduler of the main thread; default: its own. */
  readonly scheduler?: CooperativeScheduler | undefined;
  /** Called when a worker died. */
  onWorkerDied(error: unknown): void;
}

/**
 * Least time of a request that is worth sending to a worker while others run: sending costs both
 * threads some 0.1 ms, and a little for every row of the result.
 */
const WORTH_MS = 0.6;
const WORTH_MS_PER_HIT = 0.0004;
/**
 * As above, when no other request runs and the main thread would only wait for the worker, which
 * starts anew and has not cached the same. The next request waits for one slice at most.
 */
const ALONE_MS = 20;
/** Time for which a request of an unknown shape is tried on the main thread. */
const TRIAL_MS = 0.5;
/** Time after which a request of a shape known as short counts as long. */
const FIRST_MS = 2;

export class SearchRunner {
  readonly #scheduler: CooperativeScheduler;
  readonly #pool: SearchPool | null;
  readonly #costs = new QueryCosts();
  readonly #neverLocal: boolean;
  #running = 0;

  constructor(options: RunnerOptions) {
    const { workers, startWorker, cacheSizes, onWorkerDied } = options;
    this.#neverLocal = options.mainThread === 'never';
    this.#scheduler = options.scheduler ?? new CooperativeScheduler();
    this.#pool =
      workers === 0
        ? null
        : new SearchPool({
            count: workers,
            start: startWorker,
            cacheSizes,
            onResult: (job, result, tookMs) => this.#fetch(job, result, tookMs),
            onOrphaned: (job) => this.#scheduler.begin(this.#workOf(job)),
            onWorkerDied,
          });
  }

  /**
   * Runs a request on the snapshots of its targets, and releases them.
   * @throws ServiceError `deadline_exceeded`, `cancelled`, `unavailable`; CorruptSegmentError; what
   * the engine throws
   */
  async run<Request extends QueryRequest>(
    content: JobContent<Request>,
  ): Promise<QueryResults[Request['kind']]> {
    const job = new SearchJob(content);
    this.#running += 1;
    try {
      return (await this.#route(job)) as QueryResults[Request['kind']];
    } finally {
      this.#running -= 1;
    }
  }

  /** Sends the current state of the indexes to the workers. */
  updateIndexes(indexes: () => Iterable<EmbeddedIndex>): void {
    this.#pool?.updateIndexes(indexes);
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }

  #route(job: SearchJob): Promise<QueryResult> {
    const pool = this.#pool;
    if (pool === null) return this.#runLocally(job, FIRST_MS, () => false);
    pool.warm();
    if (job.shape.isLarge) return this.#dispatchLarge(pool, job);
    const estimate = this.#costs.estimate(job.shape.hash);
    const { size } = job.request.plan;
    const worthMs = this.#running > 1 ? WORTH_MS + size * WORTH_MS_PER_HIT : ALONE_MS;
    const isLong = estimate !== undefined && estimate >= worthMs;
    if (this.#neverLocal || (isLong && pool.isReady)) {
      this.#dispatch(pool, job);
      return job.result;
    }
    const firstMs = estimate === undefined ? TRIAL_MS : Math.max(FIRST_MS, worthMs);
    let endsHere: boolean | undefined;
    return this.#runLocally(job, firstMs, (tookMs) => {
      const isAlone = this.#running === 1;
      if (!pool.isReady || (isAlone && tookMs < ALONE_MS)) return false;
      endsHere ??= this.#costs.takeUnfinished(job.shape.hash);
      if (endsHere) return false;
      if (estimate !== undefined) job.triedMs = tookMs;
      this.#dispatch(pool, job);
      return true;
    });
  }

  #runLocally(
    job: SearchJob,
    firstMs: number,
    handOver: (tookMs: number) => boolean,
  ): Promise<QueryResult> {
    this.#scheduler.begin(this.#workOf(job, { firstMs, handOver }));
    return job.result;
  }

  /** Serializes a large plan in steps before a worker gets it. */
  #dispatchLarge(pool: SearchPool, job: SearchJob): Promise<QueryResult> {
    this.#scheduler.begin(
      workFor(job, requestJsonSteps(job.request), (json) => {
        job.requestJson = json;
        this.#dispatch(pool, job);
      }),
    );
    return job.result;
  }

  #dispatch(pool: SearchPool, job: SearchJob): void {
    job.watch();
    if (job.isSettled) job.release();
    else pool.submit(job, this.#costs.estimate(job.shape.hash) ?? 0);
  }

  /** The query phase of a job on the main thread. */
  #workOf(job: SearchJob, trial?: Trial): Work<QueryPhaseResult> {
    job.onCancelled = () => {};
    const steps = queryPhaseSteps(job.request, job.targets);
    return workFor(job, steps, (result, tookMs) => this.#fetch(job, result, tookMs), trial);
  }

  /** Runs the fetch phase on the main thread, which has the document cache. */
  #fetch(job: SearchJob, result: QueryPhaseResult, tookMs: number): void {
    this.#costs.record(job.shape.hash, tookMs, job.triedMs);
    if (result.kind !== 'search') {
      job.release();
      job.resolve(result.result);
      return;
    }
    job.options.onFound?.();
    const { rows, ...rest } = result.page;
    const steps = fetchSteps(job.targets, job.request.plan, rows, job.options.memory);
    this.#scheduler.begin(
      workFor(job, steps, (hits) => {
        job.release();
        job.resolve({ hits, ...rest });
      }),
    );
  }
}

type Trial = Pick<Work<unknown>, 'firstMs' | 'handOver'>;

function workFor<T>(
  job: SearchJob,
  steps: Generator<void, T>,
  resolve: (value: T, tookMs: number) => void,
  { firstMs, handOver }: Trial = {},
): Work<T> {
  const { signal, timeoutMs } = job.options;
  const { leftMs } = job;
  return {
    steps,
    tenantId: job.tenantId,
    signal,
    timeoutMs,
    leftMs,
    firstMs,
    handOver,
    resolve,
    reject: (error) => {
      job.release();
      job.reject(error);
    },
  };
}
