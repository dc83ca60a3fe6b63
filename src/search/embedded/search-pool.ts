// The search workers: started when there is work for them, ended when there was none for a while, started again when one
// dies. What no thread is free for waits here, and the main thread may take it.
// Invariant: a job is in one place: waiting, with one thread, or with the main thread.
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import type { EmbeddedIndex } from './embedded-index.ts';
import type { Finding } from './question.ts';
import type { SearchJob } from './search-job.ts';
import { type SearchWorkerData, SLOTS } from './search-messages.ts';
import { SearchThread, type StartSearchWorker } from './search-thread.ts';

export interface PoolOptions {
  readonly count: number;
  readonly start?: StartSearchWorker | undefined;
  /** A thread found what a job asks for, after so much work. */
  found(job: SearchJob, finding: Finding, tookMs: number): void;
  /** A thread died over this job, which must be done elsewhere. */
  orphaned(job: SearchJob): void;
  /** A thread died. */
  died(error: unknown): void;
}

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
  readonly #bounds: Omit<SearchWorkerData, 'control'>;
  readonly #threads = new Set<SearchThread>();
  readonly #ending = new Set<Promise<void>>();
  #waiting: SearchJob[] = [];
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

  /** Whether a thread would begin with a job at once; where all are at work and there may be another, it is started. */
  takesAtOnce(): boolean {
    if (this.#waiting.length > 0) return false;
    for (const thread of this.#threads) if (thread.isReady && thread.load === 0) return true;
    if (this.#threads.size < this.#options.count) this.#startOne();
    return false;
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Gives the job to a thread that is free, or keeps it for whoever is next. */
  submit(job: SearchJob): void {
    job.onUnwanted = () => this.#dropWaiting(job);
    this.#waiting.push(job);
    this.#handOut(1);
  }

  /** Lets threads that are at work have their next job beforehand, so that they need not wait for this one. */
  handOutAhead(): void {
    this.#handOut(SLOTS);
  }

  /** The job that waits longest, or one that a thread has and has not begun; it is the caller's now. */
  take(): SearchJob | null {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) return waiting;
    for (const thread of this.#threads) {
      const job = thread.takeBack();
      if (job !== null) return job;
    }
    return null;
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
    for (const job of this.#waiting.splice(0)) {
      job.reject(error);
      job.release();
    }
    for (const thread of this.#threads) {
      for (const job of thread.jobs()) job.reject(error);
      this.#finish(thread);
    }
    await Promise.all(this.#ending);
  }

  /** @param loadMax questions that a thread may have then */
  #handOut(loadMax: number): void {
    while (this.#waiting.length > 0) {
      let best: SearchThread | null = null;
      for (const thread of this.#threads) {
        if (!thread.isReady || thread.load >= loadMax) continue;
        if (best === null || thread.load < best.load) best = thread;
      }
      if (best === null) break;
      const job = this.#waiting.shift();
      if (job !== undefined) best.ask(job);
    }
    if (this.#waiting.length === 0 || this.#threads.size === this.#options.count) return;
    this.#startOne();
    // Without any thread, and with none to come for a while, there is only the main one.
    if (this.#threads.size > 0) return;
    for (const job of this.#waiting.splice(0)) this.#options.orphaned(job);
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
        this.#handOut(1);
      },
      found,
      ended: (jobs, error) => this.#died(thread, jobs, error),
    });
    return thread;
  }

  #died(thread: SearchThread, jobs: readonly SearchJob[], error: unknown): void {
    this.#threads.delete(thread);
    this.#restartAt = performance.now() + RESTART_MS;
    this.#options.died(error);
    const [begun, ...others] = jobs;
    for (const job of others) this.#options.orphaned(job);
    this.#handOut(1);
    if (begun === undefined) return;
    if (!isOutOfMemory(error)) {
      this.#options.orphaned(begun);
      return;
    }
    // The main thread would come to the same end, and everything with it.
    const fault = new ServiceError('unavailable', 'The query took more memory than there is', {
      causes: ['The thread that ran the query ran out of memory: narrow it or ask for less'],
    });
    fault.cause = error;
    begun.reject(fault);
    begun.release();
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

  #dropWaiting(job: SearchJob): void {
    const at = this.#waiting.indexOf(job);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    job.release();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function startWorker(data: SearchWorkerData): Worker {
  // Compiled: `.js`. Under a Node that runs the sources directly this file ends in `.ts`, and so does the worker.
  const suffix = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./search-worker.${suffix}`, import.meta.url), { workerData: data });
}
