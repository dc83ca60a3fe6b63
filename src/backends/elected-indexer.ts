// The indexer of a search that several nodes share: the node that holds the lock feeds, the others
// follow what it has committed. When it ends, loses the lock or cannot reach the search, another
// one takes over.
// Invariant: the indexer runs only while the node holds the lock, until it learns of a loss or
// releases it.

import { ServiceError } from '../errors.ts';
import { withAbort } from '../scheduling/abort.ts';
import type { SearchBackend } from '../service/ports/search-backend.ts';
import type { Log } from '../telemetry/log.ts';
import type { Feeding, Indexer, IndexerStatus } from './indexer.ts';
import type { StoreHistory } from './store-history.ts';
import { PROCESS_TIMERS, type Timers } from './timers.ts';

/** A lock that one process holds at a time. */
export interface ExclusiveLock {
  /** Waits for the lock without a timeout; null once `signal` aborts. */
  acquire(signal: AbortSignal): Promise<Hold | null>;
}

/** A lock that is held. */
export interface Hold {
  /** Resolves when it is lost or released. */
  readonly lost: Promise<void>;
  release(): Promise<void>;
}

export interface ElectedIndexerOptions {
  readonly lock: ExclusiveLock;
  /** How often a follower reads the committed sequence. */
  readonly pollMs: number;
  /** A feeder that cannot reach the search for this long releases the lock. */
  readonly silenceMs?: number;
  readonly log: Log;
  readonly timers?: Timers;
}

const SILENCE_MS = 10_000;
/** How often a feeder pings the search in that time. */
const PINGS = 10;

export class ElectedIndexer implements Feeding {
  readonly #history: StoreHistory;
  readonly #backend: SearchBackend;
  readonly #indexer: Indexer;
  readonly #options: Required<ElectedIndexerOptions>;
  #feeds = false;
  #running: Promise<unknown> | null = null;
  #ending = new AbortController();
  #followedStatus: IndexerStatus = { applied: 0, lag: 0, error: null };

  /** @param history that of the indexer */
  constructor(
    history: StoreHistory,
    backend: SearchBackend,
    indexer: Indexer,
    options: ElectedIndexerOptions,
  ) {
    this.#history = history;
    this.#backend = backend;
    this.#indexer = indexer;
    this.#options = { silenceMs: SILENCE_MS, timers: PROCESS_TIMERS, ...options };
  }

  /** Whether this process feeds. */
  get feeds(): boolean {
    return this.#feeds;
  }

  start(): void {
    if (this.#running !== null) return;
    this.#ending = new AbortController();
    this.#running = Promise.all([this.#feed(), this.#follow()]);
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
    this.#running = null;
  }

  /** As Indexer.startOver. @throws ServiceError `unavailable` if another node feeds */
  async startOver(): Promise<void> {
    if (this.#feeds) return this.#indexer.startOver();
    throw new ServiceError(
      'unavailable',
      'Another node feeds the search: do this on the node whose GET /admin/v1/status has feeds.',
    );
  }

  status(): IndexerStatus {
    return this.#feeds ? this.#indexer.status() : this.#followedStatus;
  }

  /** Polls the status, as the feeder may change meanwhile. Throws as Indexer.waitFor does. */
  async waitFor(sequence: number, timeoutMs: number): Promise<void> {
    const { timers, pollMs } = this.#options;
    const deadline = timers.now() + timeoutMs;
    while (this.status().applied < sequence) {
      const left = deadline - timers.now();
      if (left <= 0 || this.#ending.signal.aborted) throw late(sequence, timeoutMs);
      await this.#pause(Math.min(left, pollMs), this.#ending.signal);
    }
  }

  /**
   * Takes the lock, feeds until it is lost or released, and repeats. A node that cannot reach the
   * search does not request the lock, so that another node gets it, or none while the search is
   * down.
   */
  async #feed(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#waitForAnswer(signal);
      const hold = await this.#options.lock.acquire(signal);
      if (hold === null) return;
      // The search may have become unreachable during the wait for the lock.
      if (await this.#answers()) await this.#feedUnder(hold, signal);
      await hold.release();
    }
  }

  async #feedUnder(hold: Hold, signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    log.info({}, 'This node feeds the search');
    this.#feeds = true;
    this.#indexer.start();
    const reason = await withAbort({ signal }, async (over) => {
      const first = await Promise.race([
        hold.lost.then(() => 'The lock in the database was lost'),
        this.#waitForSilence(over.signal).then(() => 'The search does not answer this node'),
        aborted(over.signal).then(() => null),
      ]);
      over.abort();
      return first;
    });
    if (reason === null) {
      await this.#indexer.stop();
    } else {
      const abandoned = this.#indexer.abandon();
      // A pending request must not delay the next feeder: its versions are older than those fed
      // next.
      await hold.release();
      await abandoned;
      log.warn({ reason }, 'This node no longer feeds the search');
    }
    this.#feeds = false;
  }

  async #waitForAnswer(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.#answers())) await this.#pause(this.#pingMs, signal);
  }

  /** Resolves when the search has not answered for `silenceMs`, or when the signal aborts. */
  async #waitForSilence(signal: AbortSignal): Promise<void> {
    const { timers, silenceMs } = this.#options;
    let lastAnswer = timers.now();
    while (!signal.aborted) {
      await this.#pause(this.#pingMs, signal);
      if (await this.#answers()) lastAnswer = timers.now();
      else if (timers.now() - lastAnswer >= silenceMs) return;
    }
  }

  get #pingMs(): number {
    return this.#options.silenceMs / PINGS;
  }

  #answers(): Promise<boolean> {
    return this.#backend.ping().then(
      () => true,
      () => false,
    );
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      if (!this.#feeds) this.#followedStatus = await this.#readStatus();
      await this.#pause(this.#options.pollMs, signal);
    }
  }

  async #readStatus(): Promise<IndexerStatus> {
    try {
      const applied = await this.#backend.committedSequence();
      const lag = Math.max(0, (await this.#history.check()) - applied);
      return { applied, lag, error: null };
    } catch (error) {
      return {
        ...this.#followedStatus,
        error: error instanceof Error ? error.message : String(error),
      };
    }
  }

  /** Resolves after the time, or when the signal aborts. */
  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = (): void => {
        cancelTimer();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancelTimer = this.#options.timers.after(ms, end);
      signal.addEventListener('abort', end, { once: true });
    });
  }
}

function late(sequence: number, timeoutMs: number): ServiceError {
  return new ServiceError(
    'unavailable',
    `The change is stored but was not searchable within ${timeoutMs} ms`,
    {
      causes: [`Change ${sequence} was not fed yet by the node that feeds the search`],
      retryAfterSeconds: 1,
    },
  );
}

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
