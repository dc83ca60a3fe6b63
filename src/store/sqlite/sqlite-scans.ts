// Queries that may look at every row of a tenant, in a thread of their own: SQLite answers within
// the call, so in the main thread such a query would hold the event loop for as long as it takes.
// Handing over costs some 0.1 ms.
// Invariant: a query sees everything that was committed before it was handed over.
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { endThread } from '../../identity/scheduling/end-thread.ts';
import type { SqlValue } from '../statement.ts';

/** What the thread is started with. */
export interface ScanWorkerData {
  readonly path: string;
  /** Milliseconds it waits for a lock. */
  readonly busyMs: number;
}

/** A query for the thread. */
export interface ScanOrder {
  readonly id: number;
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The thread's answer to an order; `closed`: its connection is closed. */
export type ScanReply =
  | 'closed'
  | { readonly id: number; readonly rows: readonly object[] }
  | { readonly id: number; readonly fault: string; readonly isUnavailable: boolean };

/** Starts a thread; tests give their own. */
export type StartScanWorker = (data: ScanWorkerData) => Worker;

interface Waiting {
  resolve(rows: readonly object[]): void;
  reject(error: Error): void;
}

/** One thread with its own connection to the database file, started when there is a first query. */
export class SqliteScans {
  readonly #data: ScanWorkerData;
  readonly #start: StartScanWorker;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #lastId = 0;
  #closed = false;

  constructor(data: ScanWorkerData, start: StartScanWorker = startWorker) {
    this.#data = data;
    this.#start = start;
  }

  /**
   * The rows of a query.
   * @throws ServiceError `unavailable` as SqliteConnection does, and where the thread died or is
   * closed
   */
  all(sql: string, values: readonly SqlValue[]): Promise<readonly object[]> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(unavailable('The database is closed.'));
      this.#worker ??= this.#started();
      this.#lastId += 1;
      this.#waiting.set(this.#lastId, { resolve, reject });
      // An idle thread does not keep the process alive; one with a query does.
      this.#worker.ref();
      const order: ScanOrder = { id: this.#lastId, sql, values };
      this.#worker.postMessage(order);
    });
  }

  /** Closes the thread's connection when it has answered what it was asked. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (worker === null) return;
    const closed = new Promise((resolve) => {
      worker.once('exit', resolve);
      worker.on('message', (reply: ScanReply) => reply === 'closed' && resolve(null));
    });
    worker.ref();
    worker.postMessage('close');
    await closed;
    void endThread(worker);
  }

  #started(): Worker {
    const worker = this.#start(this.#data);
    let reason: unknown = null;
    worker.on('message', (reply: ScanReply) => this.#settle(reply));
    worker.on('error', (error) => {
      reason = error;
    });
    worker.on('exit', () => this.#ended(reason));
    return worker;
  }

  #settle(reply: ScanReply): void {
    if (reply === 'closed') return;
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    if ('rows' in reply) waiting?.resolve(reply.rows);
    else waiting?.reject(reply.isUnavailable ? unavailable(reply.fault) : new Error(reply.fault));
  }

  /** The next query starts another thread. */
  #ended(reason: unknown): void {
    this.#worker = null;
    const fault = unavailable('The thread that reads the database ended.');
    fault.cause = reason;
    for (const { reject } of this.#waiting.values()) reject(fault);
    this.#waiting.clear();
  }
}

function startWorker(data: ScanWorkerData): Worker {
  // Compiled: `.js`. Under a Node that runs the sources directly this file ends in `.ts`, and so
  // does the worker.
  const suffix = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const url = new URL(`./sqlite-scan-worker.${suffix}`, import.meta.url);
  return new Worker(url, { workerData: data });
}

function unavailable(sentence: string): ServiceError {
  return new ServiceError('unavailable', sentence, { retryAfterSeconds: 1 });
}
