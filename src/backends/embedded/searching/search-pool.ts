// The search workers: started when there is work for them, ended when there was none for a while, started again when one
// dies. A thread works on several questions in turns; what would be too many for the threads waits here.
// Invariant: a job is in one place: waiting, with one thread, or with the main thread.
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../errors.ts';
import type { EmbeddedIndex } from '../embedded-index.ts';
import type { Finding } from './question.ts';
import type { SearchJob } from './search-job.ts';
import type { SearchWorkerData } from './search-messages.ts';
import { SearchThread, type StartSearchWorker } from './search-thread.ts';
import { WaitingJobs } from './waiting-jobs.ts';

export interface PoolOptions {
  readonly count: number;
  readonly start?: StartSearchWorker | undefined;
  /** A thread found what a job asks for, after so much work. */
  found(job: SearchJob, finding: Finding, tookMs: number): void;
  /** No thread can do this job. */
  orphaned(job: SearchJob): void;
  /** A thread died. */
  died(error: unknown): void;
}

/** Questions that one thread has at a time, in all and of one tenant: each holds in memory what it has found so far. */
const LOAD_MAX = 16;
const TENANT_LOAD_MAX = 4;
/** When nobody asked anything for so long the threads are ended, and what they held is given back. */
const IDLE_MS = 60_000;
/** So long after a death no thread is started: one that cannot live must not take the processor. */
const RESTART_MS = 1_000;
/** A thread that has so much to free begins anew, since it collects garbage when it likes. */
const GONE_BYTES_MAX = 256 * 2 ** 20;

/** What all workers together may keep in memory, beside the segments that all threads share. They read hardly any sources. */
const SOURCE_CACHE_BYTES = 8 * 2 ** 20;
const PAGE_CACHE_BYTES = 16 * 2 ** 20;
const ROW_MEMORY_BYTES = 32 * 2 ** 20;

export class SearchPool {
  readonly #options: PoolOptions;
  readonly #bounds: Omit<SearchWorkerData, 'current'>;
  readonly #threads = new Set<SearchThread>();
  readonly #ending = new Set<Promise<void>>();
  readonly #waiting = new WaitingJobs();
  #restartAt = 0;
  /** When somebody asked last. */
  #usedAt = 0;
  #idle: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#bounds = {
      sourceCacheBytes: Math.floor(SOURCE_CACHE_BYTES / options.count),
      pageCacheBytes: Math.floor(PAGE_CACHE_BYTES / options.count),
      rowMemoryBytes: Math.floor(ROW_MEMORY_BYTES / options.count),
    };
  }

  /** Somebody asks, here or elsewhere: there should be a thread by the time that one is needed. */
  warm(): void {
    this.#usedAt = performance.now();
    if (this.#threads.size === 0) this.#startOne();
  }

  /** Whether there is a thread that takes questions; one takes a while to start. */
  get isReady(): boolean {
    for (const thread of this.#threads) if (thread.isReady) return true;
    return false;
  }

  /**
   * Gives the job to a thread, now or later.
   * @param expectedMs what it is expected to take; 0 where nobody knows
   */
  submit(job: SearchJob, expectedMs: number): void {
    job.onUnwanted = () => {
      if (this.#waiting.remove(job)) job.release();
    };
    this.#waiting.add(job, expectedMs);
    this.#handOut();
  }

  /** Tells all threads what has become of the indexes. */
  follow(indexes: () => Iterable<EmbeddedIndex>): void {
    for (const thread of this.#threads) {
      thread.follow(indexes());
      this.#renew(thread);
    }
  }

  /** Ends all threads; jobs that have no answer fail. */
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
      this.#finish(thread);
    }
    await Promise.all(this.#ending);
  }

  #handOut(): void {
    for (;;) {
      const job = this.#waiting.next((tenantId) => this.#loadOf(tenantId));
      if (job === null) break;
      this.#roomFor(job.tenantId)?.ask(job);
    }
    if (this.#threads.size < this.#options.count && this.#isBusy()) this.#startOne();
    // Without any thread, and with none to come for a while, there is only the main one.
    if (this.#threads.size > 0) return;
    for (const job of this.#waiting.drain()) this.#options.orphaned(job);
  }

  /** Whether there is work for one more thread. */
  #isBusy(): boolean {
    if (this.#waiting.length > 0) return true;
    for (const { load } of this.#threads) if (load < 2) return false;
    return true;
  }

  /** Questions of a tenant with all threads; infinite where none has room for another. */
  #loadOf(tenantId: string): number {
    if (this.#roomFor(tenantId) === null) return Number.POSITIVE_INFINITY;
    let load = 0;
    for (const thread of this.#threads) load += thread.loadOf(tenantId);
    return load;
  }

  /** The thread with the least to do of those that may have another question of the tenant. */
  #roomFor(tenantId: string): SearchThread | null {
    let best: SearchThread | null = null;
    for (const thread of this.#threads) {
      if (!thread.isReady || thread.load >= LOAD_MAX) continue;
      if (thread.loadOf(tenantId) >= TENANT_LOAD_MAX) continue;
      if (best === null || thread.load < best.load) best = thread;
    }
    return best;
  }

  #startOne(): void {
    const now = performance.now();
    if (this.#closed || now < this.#restartAt) return;
    for (const thread of this.#threads) if (!thread.isReady) return;
    try {
      this.#threads.add(this.#started());
    } catch (error) {
      this.#restartAt = now + RESTART_MS;
      this.#options.died(error);
    }
    this.#idle ??= setInterval(() => this.#endIdle(), IDLE_MS / 2).unref();
  }

  #started(): SearchThread {
    const { start = startWorker, found } = this.#options;
    const thread: SearchThread = new SearchThread(start, this.#bounds, {
      room: () => {
        this.#renew(thread);
        this.#handOut();
      },
      found,
      ended: (jobs, error) => this.#died(thread, jobs, error),
    });
    return thread;
  }

  #died(thread: SearchThread, jobs: readonly SearchJob[], error: unknown): void {
    this.#threads.delete(thread);
    this.#options.died(error);
    const [begun, ...others] = jobs;
    const isTooLarge = isOutOfMemory(error);
    if (!isTooLarge) this.#restartAt = performance.now() + RESTART_MS;
    for (const job of others) this.submit(job, 0);
    if (begun === undefined) return;
    // The main thread would come to the same end, and everything with it.
    if (isTooLarge) rejectAsTooLarge(begun, error);
    else this.#options.orphaned(begun);
  }

  #renew(thread: SearchThread): void {
    if (thread.goneBytes > GONE_BYTES_MAX && thread.load === 0) this.#finish(thread);
  }

  #endIdle(): void {
    if (performance.now() - this.#usedAt < IDLE_MS) return;
    for (const thread of this.#threads) {
      if (thread.isReady && thread.load === 0) this.#finish(thread);
    }
  }

  #finish(thread: SearchThread): void {
    this.#threads.delete(thread);
    const ending = thread.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function rejectAsTooLarge(job: SearchJob, cause: unknown): void {
  const fault = new ServiceError('unavailable', 'The query took more memory than there is', {
    causes: ['The thread that ran the query ran out of memory: narrow it or ask for less'],
  });
  fault.cause = cause;
  job.reject(fault);
  job.release();
}

function startWorker(data: SearchWorkerData): Worker {
  // Compiled: `.js`. Under a Node that runs the sources directly this file ends in `.ts`, and so does the worker.
  const suffix = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./search-worker.${suffix}`, import.meta.url), { workerData: data });
}
