// Main thread's side of a builder worker: sends jobs in order, starts the thread for the first one
// and again after it died. An idle worker does not keep the process alive; one with a job does. Jobs
// that take less time than a thread takes to start are run here, so that a service with few changes
// has no such thread.
// Invariant: a job is sent at most twice before it is rejected.
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import { ServiceError } from '../../../errors.ts';
import { endThread } from '../../../scheduling/end-thread.ts';
import { programBeside } from '../../../scheduling/program-beside.ts';
import type { BuildJob, BuildReply, Built } from './build-job.ts';
import { runJob } from './run-job.ts';

/** Starts a worker thread; replaced in tests. */
export type StartWorker = () => Worker;

interface PendingJob {
  readonly id: number;
  readonly job: BuildJob;
  attempts: number;
  readonly resolve: (built: Built) => void;
  readonly reject: (error: unknown) => void;
}

const ATTEMPTS_MAX = 2;
/** The largest job that is run here, in a few milliseconds. A thread takes ten times as long to start. */
const SMALL = { bytes: 32 * 1024, fields: 200 } as const;

/** One worker thread and its pending jobs. */
export class Builder {
  readonly #start: StartWorker;
  readonly #pending = new Map<number, PendingJob>();
  #worker: Worker | null = null;
  #lastId = 0;
  #closed = false;

  constructor(start: StartWorker = startWorker) {
    this.#start = start;
  }

  /**
   * @throws ServiceError `unavailable` if the thread died twice running it or the builder is
   * closed; CorruptSegmentError
   */
  run(job: BuildJob): Promise<Built> {
    return isSmall(job) ? this.#runHere(job) : this.#runInThread(job);
  }

  /** In its own turn of the event loop, so that the segments of many small indexes do not block it. */
  async #runHere(job: BuildJob): Promise<Built> {
    await setImmediate();
    if (this.#closed) throw closed();
    return runJob(job);
  }

  #runInThread(job: BuildJob): Promise<Built> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closed());
      this.#lastId += 1;
      const pending: PendingJob = { id: this.#lastId, job, attempts: 1, resolve, reject };
      this.#pending.set(pending.id, pending);
      this.#send(pending);
    });
  }

  /** Ends the thread; pending jobs fail. Does not wait for an idle thread, which holds nothing. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#worker = null;
    const isIdle = this.#pending.size === 0;
    for (const pending of this.#pending.values()) pending.reject(closed());
    this.#pending.clear();
    if (worker === null) return;
    const ended = endThread(worker);
    if (!isIdle) await ended;
  }

  #send(pending: PendingJob): void {
    try {
      this.#worker ??= this.#startThread();
    } catch (error) {
      // The machine has no room for a thread.
      this.#pending.delete(pending.id);
      const fault = new ServiceError(
        'unavailable',
        'No thread could be started to build the index',
      );
      fault.cause = error;
      pending.reject(fault);
      return;
    }
    this.#worker.ref();
    this.#worker.postMessage({ id: pending.id, job: pending.job });
  }

  #startThread(): Worker {
    const worker = this.#start();
    let reason: unknown = null;
    worker.on('message', (reply: BuildReply) => this.#settle(reply));
    worker.on('error', (error) => {
      reason = error;
    });
    worker.on('exit', (code) => this.#onExit(worker, reason ?? `exit code ${code}`));
    return worker;
  }

  #settle(reply: BuildReply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#worker?.unref();
    if (pending === undefined) return;
    if ('built' in reply) pending.resolve(reply.built);
    else if (reply.corrupt !== null)
      pending.reject(new CorruptSegmentError(reply.corrupt, reply.fault));
    else pending.reject(new Error(`A segment could not be built: ${reply.fault}`));
  }

  #onExit(worker: Worker, reason: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    const [first, ...waiting] = this.#pending.values();
    if (first === undefined) return;
    first.attempts += 1;
    if (first.attempts <= ATTEMPTS_MAX) {
      this.#send(first);
    } else {
      this.#pending.delete(first.id);
      const fault = new ServiceError('unavailable', 'The thread that builds the index died twice');
      fault.cause = reason;
      first.reject(fault);
    }
    for (const pending of waiting) this.#send(pending);
  }
}

function isSmall(job: BuildJob): boolean {
  if (job.kind === 'merge' || job.paths !== null) return false;
  const { documents, mapping } = job;
  return documents.bytes.length <= SMALL.bytes && mapping.fields.size <= SMALL.fields;
}

function startWorker(): Worker {
  return new Worker(programBeside(import.meta.url, 'builder-worker'));
}

function closed(): ServiceError {
  return new ServiceError('unavailable', 'The search index is closed');
}
