// Checks the whole store now and then while a server runs: databases rarely read most of their pages, so that
// damage would be found when it is too late for a backup. One of all nodes checks a PostgreSQL, while it holds
// a lock.
// Invariant: at most one check runs, and none after `stop`.
import { waited, withAbort } from '../scheduling/abort.ts';
import { BackgroundLoop } from '../scheduling/background-loop.ts';
import { type RecordFaults, recordFaults } from '../service/documents/record-faults.ts';
import type { Store } from '../service/ports/store.ts';

/** What a check finds. */
export interface StoreFaults extends RecordFaults {
  /** One sentence for each fault of the file; empty if it is sound, or there is none. */
  readonly faults: readonly string[];
}

/** The result of a check. */
export interface StoreCheck extends StoreFaults {
  /** Epoch milliseconds of its end. */
  readonly checkedAt: number;
}

/** A lock that one of all nodes holds. */
export interface CheckLock {
  /** Waits for the lock; null once `signal` aborts. */
  acquire(signal: AbortSignal): Promise<{
    /** Resolves when it is lost or released. */
    readonly lost: Promise<void>;
    release(): Promise<void>;
  } | null>;
}

export interface StoreChecksOptions {
  /** Checks once, until the signal aborts. */
  check(signal: AbortSignal): Promise<StoreFaults>;
  /** Omitted: no other node has this store. */
  readonly lock?: CheckLock;
  /** Time from one check to the next. */
  readonly intervalMs: number;
  readonly clock: { now(): number };
  /** Called after each check. */
  onChecked(check: StoreCheck): void;
  /** Called for a check that could not be made; the next one is made as usual. */
  onFailed(reason: string): void;
}

/** The start of a server has other work to do. */
const FIRST_MS_MAX = 60_000;
const PAUSE_MS_MIN = 20;

export class StoreChecks {
  readonly #options: StoreChecksOptions;
  readonly #loop = new BackgroundLoop();
  #last: StoreCheck | null = null;

  constructor(options: StoreChecksOptions) {
    this.#options = options;
  }

  /** The last completed check of this node; null before the first one. */
  get last(): StoreCheck | null {
    return this.#last;
  }

  start(): void {
    const { lock } = this.#options;
    const { signal } = this.#loop;
    this.#loop.run(() =>
      lock === undefined ? this.#checkOften(signal) : this.#checkWith(lock, signal),
    );
  }

  /** Ends a running check, for good. */
  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #checkWith(lock: CheckLock, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const hold = await lock.acquire(signal);
      if (hold === null) return;
      await withAbort({ signal }, async (ended) => {
        void hold.lost.then(() => ended.abort());
        await this.#checkOften(ended.signal);
      }).finally(() => hold.release());
    }
  }

  async #checkOften(signal: AbortSignal): Promise<void> {
    const { intervalMs, clock, check, onChecked, onFailed } = this.#options;
    for (let waitMs = Math.min(intervalMs, FIRST_MS_MAX); await waited(waitMs, signal); ) {
      try {
        this.#last = { ...(await check(signal)), checkedAt: clock.now() };
        onChecked(this.#last);
      } catch (error) {
        if (!signal.aborted) onFailed((error as Error).message);
      }
      waitMs = intervalMs;
    }
  }
}

/**
 * Reads all documents, records and audit trails of a store, for at most half of the time. PostgreSQL checks its
 * pages itself when it reads them.
 * @throws Error once the signal aborts
 */
export async function checkRecords(
  store: Pick<Store, 'read'>,
  signal: AbortSignal,
): Promise<StoreFaults> {
  let begun = performance.now();
  const pause = async () => {
    const readMs = performance.now() - begun;
    if (!(await waited(Math.max(PAUSE_MS_MIN, readMs), signal))) throw new Error('It was ended');
    begun = performance.now();
  };
  return { faults: [], ...(await recordFaults(store.read, pause)) };
}
