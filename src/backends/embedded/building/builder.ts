// The main thread's side of a builder worker: hands jobs over in order, starts the thread when there is a first one
// and again when it died. An idle worker does not keep the process alive; one with a job does.
// Invariant: a job is tried at most twice, and then its caller is told.
import { Worker } from 'node:worker_threads';
import { CorruptSegmentError } from '../../../engine/index/corrupt-segment-error.ts';
import { ServiceError } from '../../../errors.ts';
import { endThread } from '../../../identity/scheduling/end-thread.ts';
import type { BuildJob, BuildReply, Built } from './build-job.ts';

/** Starts a thread; tests give their own. */
export type StartWorker = () => Worker;

interface Order {
  readonly id: number;
  readonly job: BuildJob;
  attempts: number;
  readonly resolve: (built: Built) => void;
  readonly reject: (error: unknown) => void;
}

const ATTEMPTS_MAX = 2;

/** One worker thread and the jobs given to it. */
export class Builder {
  readonly #start: StartWorker;
  readonly #orders = new Map<number, Order>();
  #worker: Worker | null = null;
  #lastId = 0;
  #closed = false;

  constructor(start: StartWorker = startWorker) {
    this.#start = start;
  }

  /** @throws ServiceError `unavailable` where the thread died twice over it or the builder is closed; CorruptSegmentError */
  run(job: BuildJob): Promise<Built> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closed());
      this.#lastId += 1;
      const order: Order = { id: this.#lastId, job, attempts: 1, resolve, reject };
      this.#orders.set(order.id, order);
      this.#send(order);
    });
  }

  /** Ends the thread; jobs still running fail. An idle thread holds nothing, so its end is not awaited. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#worker = null;
    const isIdle = this.#orders.size === 0;
    for (const order of this.#orders.values()) order.reject(closed());
    this.#orders.clear();
    if (worker === null) return;
    const ended = endThread(worker);
    if (!isIdle) await ended;
  }

  #send(order: Order): void {
    this.#worker ??= this.#started();
    this.#worker.ref();
    this.#worker.postMessage({ id: order.id, job: order.job });
  }

  #started(): Worker {
    const worker = this.#start();
    let reason: unknown = null;
    worker.on('message', (reply: BuildReply) => this.#settle(reply));
    worker.on('error', (error) => {
      reason = error;
    });
    worker.on('exit', (code) => this.#died(worker, reason ?? `exit code ${code}`));
    return worker;
  }

  #settle(reply: BuildReply): void {
    const order = this.#orders.get(reply.id);
    this.#orders.delete(reply.id);
    if (this.#orders.size === 0) this.#worker?.unref();
    if (order === undefined) return;
    if ('built' in reply) order.resolve(reply.built);
    else if (reply.corrupt !== null)
      order.reject(new CorruptSegmentError(reply.corrupt, reply.fault));
    else order.reject(new Error(`A segment could not be built: ${reply.fault}`));
  }

  #died(worker: Worker, reason: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    const [running, ...waiting] = this.#orders.values();
    if (running === undefined) return;
    running.attempts += 1;
    if (running.attempts <= ATTEMPTS_MAX) {
      this.#send(running);
    } else {
      this.#orders.delete(running.id);
      const fault = new ServiceError('unavailable', 'The thread that builds the index died twice');
      fault.cause = reason;
      running.reject(fault);
    }
    for (const order of waiting) this.#send(order);
  }
}

function startWorker(): Worker {
  // Compiled: `.js`. Under a Node that runs the sources directly this file ends in `.ts`, and so does the worker.
  const suffix = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./builder-worker.${suffix}`, import.meta.url));
}

function closed(): ServiceError {
  return new ServiceError('unavailable', 'The search index is closed');
}
