// The pool of search workers: starts threads on demand, ends idle ones, and replaces those that
// died. A thread runs several requests in turns; requests beyond its limit wait here.
// Invariant: a job is in one place: waiting, in one thread, or on the main thread.
import { Worker } from 'node:worker_threads';
import type { CacheFigures } from '../../../engine/sections/byte-cache.ts';
import { ServiceError } from '../../../errors.ts';
import { programBeside } from '../../../scheduling/program-beside.ts';
import type { CacheSizes } from '../indexes/cache-sizes.ts';
import type { EmbeddedIndex } from '../indexes/embedded-index.ts';
import type { QueryPhaseResult } from './query-request.ts';
import type { SearchJob } from './search-job.ts';
import type { SearchWorkerData } from './search-messages.ts';
import { SearchThread, type StartSearchWorker, type UnfinishedJobs } from './search-thread.ts';
import { WaitingJobs } from './waiting-jobs.ts';

export interface PoolOptions {
  readonly count: number;
  /** Of all threads together. */
  readonly cacheSizes: CacheSizes['workers'];
  readonly start?: StartSearchWorker | undefined;
  /** Called with the query phase result of a job. */
  onResult(job: SearchJob, result: QueryPhaseResult): void;
  /** Called with a job that no thread can run. */
  onOrphaned(job: SearchJob): void;
  /** Called when a thread died. */
  onWorkerDied(error: unknown): void;
}

/**
 * Most requests of one thread, in total and per tenant: each keeps its partial results in memory.
 */
const LOAD_MAX = 16;
const TENANT_LOAD_MAX = 4;
/** Time without requests after which the threads are ended, to free their memory. */
const IDLE_MS = 60_000;
/** Delay before a dead thread is replaced, so that a crash loop does not use up the processor. */
const RESTART_MS = 1_000;
/** A thread with more dropped bytes than this is replaced, as its garbage is collected late. */
const DROPPED_BYTES_MAX = 256 * 2 ** 20;

/** Figures without any thread. */
export const NO_CACHES: CacheFigures = { hits: 0, misses: 0, bytes: 0, bytesMax: 0 };

export class SearchPool {
  readonly #options: PoolOptions;
  readonly #cacheSizes: SearchWorkerData['cacheSizes'];
  readonly #threads = new Set<SearchThread>();
  readonly #ending = new Set<Promise<void>>();
  readonly #waiting = new WaitingJobs();
  #restartAt = 0;
  /** Time of the last request. */
  #usedAt = 0;
  #idle: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    const { documents, positions, queries } = options.cacheSizes;
    this.#cacheSizes = {
      documents: Math.floor(documents / options.count),
      positions: Math.floor(positions / options.count),
      queries: Math.floor(queries / options.count),
    };
  }

  /**
   * Called for each request, run by a worker or not, so that a thread is ready when one is needed.
   */
  warm(): void {
    this.#usedAt = performance.now();
    if (this.#threads.size === 0) this.#startThread();
  }

  /** True if a thread is ready for requests; starting one takes a while. */
  get isReady(): boolean {
    for (const thread of this.#threads) if (thread.isReady) return true;
    return false;
  }

  /** What the threads cache. */
  get figures(): CacheFigures {
    let sum = NO_CACHES;
    for (const { figures } of this.#threads) {
      sum = {
        hits: sum.hits + figures.hits,
        misses: sum.misses + figures.misses,
        bytes: sum.bytes + figures.bytes,
        bytesMax: sum.bytesMax + figures.bytesMax,
      };
    }
    return sum;
  }

  /** Sends the job to a thread, now or later. */
  submit(job: SearchJob): void {
    job.onCancelled = () => {
      if (this.#waiting.remove(job)) job.release();
    };
    this.#waiting.add(job);
    this.#dispatch();
  }

  /** Makes all threads drop what the indexes have no longer. */
  dropRemoved(indexes: () => Iterable<EmbeddedIndex>): void {
    for (const thread of this.#threads) {
      thread.dropRemoved(indexes());
      this.#replaceBloated(thread);
    }
  }

  /** Ends all threads; jobs without a result fail. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#idle !== null) clearInterval(this.#idle);
    const error = new ServiceError('unavailable', 'The search index is closed');
    for (const job of this.#waiting.drain()) {
      job.reject(error);
      job.release();
    }
    for (const thread of this.#threads) {
      for (const job of thread.jobs()) job.reject(error);
      this.#endThread(thread);
    }
    await Promise.all(this.#ending);
  }

  #dispatch(): void {
    for (;;) {
      const job = this.#waiting.next((tenantId) => this.#loadOf(tenantId));
      if (job === null) break;
      this.#threadFor(job.tenantId)?.run(job);
    }
    if (this.#threads.size < this.#options.count && this.#isBusy()) this.#startThread();
    // Without any thread, and with none starting for a while, the main thread runs the jobs.
    if (this.#threads.size > 0) return;
    for (const job of this.#waiting.drain()) this.#options.onOrphaned(job);
  }

  /** True if there is work for one more thread. */
  #isBusy(): boolean {
    if (this.#waiting.length > 0) return true;
    for (const { load } of this.#threads) if (load < 2) return false;
    return true;
  }

  /** Requests of a tenant in all threads; infinite if no thread can take another one. */
  #loadOf(tenantId: string): number {
    if (this.#threadFor(tenantId) === null) return Number.POSITIVE_INFINITY;
    let load = 0;
    for (const thread of this.#threads) load += thread.loadOf(tenantId);
    return load;
  }

  /** The thread with the fewest requests, of those that can take another one of the tenant. */
  #threadFor(tenantId: string): SearchThread | null {
    let best: SearchThread | null = null;
    for (const thread of this.#threads) {
      if (!thread.isReady || thread.load >= LOAD_MAX) continue;
      if (thread.loadOf(tenantId) >= TENANT_LOAD_MAX) continue;
      if (best === null || thread.load < best.load) best = thread;
    }
    return best;
  }

  #startThread(): void {
    const now = performance.now();
    if (this.#closed || now < this.#restartAt) return;
    for (const thread of this.#threads) if (!thread.isReady) return;
    try {
      this.#threads.add(this.#createThread());
    } catch (error) {
      this.#restartAt = now + RESTART_MS;
      this.#options.onWorkerDied(error);
    }
    this.#idle ??= setInterval(() => this.#endIdle(), IDLE_MS / 2).unref();
  }

  #createThread(): SearchThread {
    const { start = startWorker, onResult } = this.#options;
    const thread: SearchThread = new SearchThread(start, this.#cacheSizes, {
      onCapacity: () => {
        this.#replaceBloated(thread);
        this.#dispatch();
      },
      onResult,
      onExit: (unfinished, error) => this.#onExit(thread, unfinished, error),
    });
    return thread;
  }

  #onExit(thread: SearchThread, { running, others }: UnfinishedJobs, error: unknown): void {
    this.#threads.delete(thread);
    this.#options.onWorkerDied(error);
    const isTooLarge = isOutOfMemory(error);
    if (!isTooLarge) this.#restartAt = performance.now() + RESTART_MS;
    for (const job of others) {
      // A job that was cancelled or timed out meanwhile has nobody who waits for it.
      if (job.isSettled) job.release();
      else this.submit(job);
    }
    if (running === null) return;
    // The main thread would run out of memory as well, which would end the process.
    if (isTooLarge) rejectAsTooLarge(running, error);
    else this.#options.onOrphaned(running);
  }

  #replaceBloated(thread: SearchThread): void {
    if (thread.droppedBytes > DROPPED_BYTES_MAX && thread.load === 0) this.#endThread(thread);
  }

  #endIdle(): void {
    if (performance.now() - this.#usedAt < IDLE_MS) return;
    for (const thread of this.#threads) {
      if (thread.isReady && thread.load === 0) this.#endThread(thread);
    }
  }

  #endThread(thread: SearchThread): void {
    this.#threads.delete(thread);
    const ending = thread.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function rejectAsTooLarge(job: SearchJob, cause: unknown): void {
  const fault = new ServiceError('unavailable', 'The query ran out of memory', {
    causes: ['The search worker ran out of memory: narrow the query or request less'],
  });
  fault.cause = cause;
  job.reject(fault);
  job.release();
}

function startWorker(data: SearchWorkerData): Worker {
  return new Worker(programBeside(import.meta.url, 'search-worker'), { workerData: data });
}
