// Decides where a request runs. Each begins on the main thread, which gives it to a search worker when
// it has taken long: the worker starts it anew. While it computes what will be cached it may stay, or
// the next request would begin that anew. Without a ready worker the main thread runs it to its end,
// in slices.
// Invariant: a short request never waits for a long one.
import type { CacheFigures } from '../../../engine/sections/byte-cache.ts';
import { CooperativeScheduler, type Work } from '../../../scheduling/cooperative.ts';
import type { CacheSizes } from '../indexes/cache-sizes.ts';
import type { EmbeddedIndex } from '../indexes/embedded-index.ts';
import { FillAllowance } from './fill-allowance.ts';
import {
  type QueryPhaseResult,
  type QueryRequest,
  type QueryResult,
  type QueryResults,
  queryPhase,
} from './query-request.ts';
import { fetchSteps } from './query-steps.ts';
import { requestJsonSteps } from './request-json.ts';
import { type JobContent, SearchJob } from './search-job.ts';
import { NO_CACHES, SearchPool } from './search-pool.ts';
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

/** Time on the main thread after which a request goes to a worker while others run. */
const LONG_MS = 5;
/**
 * As above, when no other request runs and the main thread would only wait for the worker, which has
 * not cached the same. The next request waits for one slice at most.
 */
const ALONE_MS = 20;

export class SearchRunner {
  readonly #scheduler: CooperativeScheduler;
  readonly #pool: SearchPool | null;
  readonly #neverLocal: boolean;
  readonly #fillAllowance = new FillAllowance(() => performance.now());
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
            onResult: (job, result) => this.#fetch(job, result),
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

  /** What the workers cache. */
  get figures(): CacheFigures {
    return this.#pool?.figures ?? NO_CACHES;
  }

  /** Makes the workers drop what the indexes have no longer. */
  dropRemoved(indexes: () => Iterable<EmbeddedIndex>): void {
    this.#pool?.dropRemoved(indexes);
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }

  #route(job: SearchJob): Promise<QueryResult> {
    const pool = this.#pool;
    pool?.warm();
    if (pool === null) this.#scheduler.begin(this.#workOf(job));
    else if (job.isLarge) this.#dispatchLarge(pool, job);
    else if (this.#neverLocal) this.#dispatch(pool, job);
    else this.#scheduler.begin(this.#workOf(job, (tookMs) => this.#handOver(pool, job, tookMs)));
    return job.result;
  }

  /** Sends a request that takes long to a worker; false if it goes on here. */
  #handOver(pool: SearchPool, job: SearchJob, tookMs: number): boolean {
    if (!pool.isReady || tookMs < (this.#running > 1 ? LONG_MS : ALONE_MS)) return false;
    this.#dispatch(pool, job);
    return true;
  }

  /** Serializes a large plan in steps before a worker gets it. */
  #dispatchLarge(pool: SearchPool, job: SearchJob): void {
    this.#scheduler.begin(
      workFor(job, requestJsonSteps(job.request), (json) => {
        job.requestJson = json;
        this.#dispatch(pool, job);
      }),
    );
  }

  #dispatch(pool: SearchPool, job: SearchJob): void {
    job.watch();
    if (job.isSettled) {
      job.release();
    } else {
      // path: in a worker
      pool.submit(job);
    }
  }

  /** The query phase of a job on the main thread. */
  #workOf(job: SearchJob, handOver?: (tookMs: number) => boolean): Work<QueryPhaseResult> {
    job.onCancelled = () => {};
    const { steps, isComputing } = queryPhase(job.request, job.targets);
    let beforeMs = 0;
    let fillMs = 0;
    let mayFill: boolean | null = null;
    const unlessItFills = (tookMs: number): boolean => {
      const sliceMs = tookMs - beforeMs;
      beforeMs = tookMs;
      if (isComputing()) {
        mayFill ??= this.#running === 1 || this.#fillAllowance.isLeft;
        if (mayFill) {
          fillMs += sliceMs;
          if (this.#running > 1) this.#fillAllowance.take(sliceMs);
        }
      }
      return handOver?.(tookMs - fillMs) === true;
    };
    return workFor(job, steps, (result) => this.#fetch(job, result), unlessItFills);
  }

  /** Runs the fetch phase on the main thread, which has the document cache. */
  #fetch(job: SearchJob, result: QueryPhaseResult): void {
    if (result.kind !== 'search') {
      job.release();
      job.resolve(result.result);
      return;
    }
    const begunAt = performance.now();
    const { rows, ...rest } = result.page;
    const steps = fetchSteps(job.targets, job.request.plan, rows, job.options.memory);
    this.#scheduler.begin(
      workFor(job, steps, (hits) => {
        job.release();
        job.resolve({ hits, fetchMs: performance.now() - begunAt, ...rest });
      }),
    );
  }
}

function workFor<T>(
  job: SearchJob,
  steps: Generator<void, T>,
  resolve: (value: T) => void,
  handOver?: (tookMs: number) => boolean,
): Work<T> {
  const { signal, deadline } = job.options;
  return {
    steps,
    tenantId: job.tenantId,
    signal,
    deadline,
    handOver,
    resolve,
    reject: (error) => {
      job.release();
      job.reject(error);
    },
  };
}
