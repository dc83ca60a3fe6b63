// Reads all documents, records and audit trails of PostgreSQL now and then, and tells of damaged ones: PostgreSQL
// checks its pages, but reads most of them rarely. One of all nodes does it while it holds a lock.
// Invariant: a check reads for at most half of the time, and none runs after `stop`.
import { setTimeout as sleep } from 'node:timers/promises';
import { withAbort } from '../scheduling/abort.ts';
import { type RecordFaults, recordFaults } from '../service/documents/record-faults.ts';
import type { Store } from '../service/ports/store.ts';

/** A lock that one of all nodes holds. */
export interface CheckLock {
  /** Waits for the lock; null once `signal` aborts. */
  acquire(signal: AbortSignal): Promise<{
    /** Resolves when it is lost or released. */
    readonly lost: Promise<void>;
    release(): Promise<void>;
  } | null>;
}

export interface RecordChecksOptions {
  readonly store: Pick<Store, 'read'>;
  readonly lock: CheckLock;
  /** Time from one check to the next. */
  readonly intervalMs: number;
  /** Called after each check. */
  onChecked(check: RecordFaults): void;
  /** Called for a check that could not be made; the next one is made as usual. */
  onFailed(reason: string): void;
}

/** The start of a server has other work to do. */
const FIRST_MS_MAX = 60_000;
const PAUSE_MS_MIN = 20;
/** The longest delay of a timer: 24.8 days. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Ends a check because the lock is lost or the node stops. */
class CheckEnded extends Error {}

export class RecordChecks {
  readonly #options: RecordChecksOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #last: RecordFaults | null = null;

  constructor(options: RecordChecksOptions) {
    this.#options = options;
  }

  /** The last completed check of this node; null before the first one. */
  get last(): RecordFaults | null {
    return this.#last;
  }

  start(): void {
    this.#running = this.#loop();
  }

  /** Ends a running check, for good. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #loop(): Promise<void> {
    const { lock, intervalMs } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const hold = await lock.acquire(signal);
      if (hold === null) return;
      await withAbort({ signal }, async (ended) => {
        void hold.lost.then(() => ended.abort());
        let waitMs = Math.min(intervalMs, FIRST_MS_MAX);
        while (await waited(waitMs, ended.signal)) {
          await this.#check(ended.signal);
          waitMs = intervalMs;
        }
      }).finally(() => hold.release());
    }
  }

  async #check(ended: AbortSignal): Promise<void> {
    const { store, onChecked, onFailed } = this.#options;
    let begun = performance.now();
    const pause = async () => {
      const readMs = performance.now() - begun;
      if (!(await waited(Math.max(PAUSE_MS_MIN, readMs), ended))) throw new CheckEnded();
      begun = performance.now();
    };
    try {
      this.#last = await recordFaults(store.read, pause);
      onChecked(this.#last);
    } catch (error) {
      if (!(error instanceof CheckEnded)) onFailed(String(error));
    }
  }
}

/** @returns false if the signal aborted meanwhile */
async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  await sleep(Math.min(ms, TIMER_MS_MAX), undefined, { signal, ref: false }).catch(() => {});
  return !signal.aborted;
}
