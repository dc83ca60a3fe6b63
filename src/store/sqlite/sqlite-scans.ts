// Runs queries that may read every row of a tenant in a thread of their own: SQLite is synchronous,
// so in the main thread such a query would block the event loop. The handover costs some 0.1 ms.
// Invariant: a query sees everything that was committed before its handover.
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { endThread } from '../../scheduling/end-thread.ts';
import { programBeside } from '../../scheduling/program-beside.ts';
import type { SqlValue } from '../sql/statement.ts';
import { ScanGate } from './scan-gate.ts';

/** Start parameters of the thread. */
export interface ScanWorkerData {
  readonly path: string;
  /** Milliseconds to wait for a lock. */
  readonly busyMs: number;
}

/** What the thread starts with. */
export interface ScanWorkerStart extends ScanWorkerData {
  /** Memory of its `ScanGate`. */
  readonly gate: SharedArrayBuffer;
}

/** A query for the thread. */
export interface ScanOrder {
  readonly id: number;
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The thread's answer to a query; `closed`: its connection is closed. */
export type ScanReply =
  | 'closed'
  | { readonly id: number; readonly rows: readonly object[] }
  | { readonly id: number; readonly fault: string; readonly isUnavailable: boolean };

/** Starts a thread; tests pass their own. */
export type StartScanWorker = (data: ScanWorkerStart) => Worker;

/** The longest that a thread that ends waits for a scan: less than a hung thread may (`compose/serving-threads.ts`). */
const EXIT_MS = 25_000;

interface PendingScan {
  resolve(rows: readonly object[]): void;
  reject(error: Error): void;
}

/** One thread with its own connection to the database file, started for the first query. */
export class SqliteScans {
  readonly #data: ScanWorkerData;
  readonly #start: StartScanWorker;
  readonly #pending = new Map<number, PendingScan>();
  #worker: Worker | null = null;
  #gate: ScanGate | null = null;
  #lastId = 0;
  #closed = false;

  constructor(data: ScanWorkerData, start: StartScanWorker = startWorker) {
    this.#data = data;
    this.#start = start;
  }

  /**
   * Returns the rows of a query.
   * @throws ServiceError `unavailable` as SqliteConnection does, and if the thread died or is
   * closed
   */
  all(sql: string, values: readonly SqlValue[]): Promise<readonly object[]> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(unavailable('The database is closed.'));
      this.#worker ??= this.#startThread();
      if (this.#pending.size === 0) process.on('exit', this.#closeGate);
      this.#lastId += 1;
      this.#pending.set(this.#lastId, { resolve, reject });
      // An idle thread does not keep the process alive; one with a query does.
      this.#worker.ref();
      const order: ScanOrder = { id: this.#lastId, sql, values };
      this.#worker.postMessage(order);
    });
  }

  /** Closes the thread's connection after all queries were answered. */
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

  #startThread(): Worker {
    const gate = ScanGate.memory();
    this.#gate = new ScanGate(gate);
    const worker = this.#start({ ...this.#data, gate });
    let reason: unknown = null;
    worker.on('message', (reply: ScanReply) => this.#settle(reply));
    worker.on('error', (error) => {
      reason = error;
    });
    worker.on('exit', () => this.#onExit(reason));
    return worker;
  }

  #settle(reply: ScanReply): void {
    if (reply === 'closed') return;
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#onIdle();
    if ('rows' in reply) pending?.resolve(reply.rows);
    else pending?.reject(reply.isUnavailable ? unavailable(reply.fault) : new Error(reply.fault));
  }

  #onIdle(): void {
    process.off('exit', this.#closeGate);
    if (!this.#closed) this.#worker?.unref();
  }

  /** Called when this thread ends while scans are pending. */
  readonly #closeGate = (): void => {
    this.#gate?.close(EXIT_MS);
  };

  /** Rejects pending queries; the next query starts another thread. */
  #onExit(reason: unknown): void {
    this.#worker = null;
    const fault = unavailable('The thread that reads the database ended.');
    fault.cause = reason;
    for (const { reject } of this.#pending.values()) reject(fault);
    this.#pending.clear();
    process.off('exit', this.#closeGate);
  }
}

function startWorker(data: ScanWorkerStart): Worker {
  return new Worker(programBeside(import.meta.url, 'sqlite-scan-worker'), { workerData: data });
}

function unavailable(sentence: string): ServiceError {
  return new ServiceError('unavailable', sentence, { retryAfterSeconds: 1 });
}
