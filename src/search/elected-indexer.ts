// The indexer of a search that several nodes share: of those that run, the one that holds the lock feeds, the others
// follow what it has committed. When it ends or loses the lock, another one takes over.
// Invariant: the indexer runs only between taking the lock and hearing of its loss.
import { ServiceError } from '../errors.ts';
import type { SearchBackend } from '../identity/search-backend.ts';
import type { Store } from '../identity/store.ts';
import type { Feeding, Indexer, IndexerLog, IndexerStatus } from './indexer.ts';

/** Held by one process at a time. */
export interface ExclusiveLock {
  /** Waits for it as long as it takes; null once `signal` ends the wait. */
  acquire(signal: AbortSignal): Promise<Hold | null>;
}

/** The lock, had. */
export interface Hold {
  /** Settles when it is lost, or released. */
  readonly lost: Promise<void>;
  release(): Promise<void>;
}

export interface ElectedIndexerOptions {
  readonly lock: ExclusiveLock;
  /** How often a follower looks how far the feeder is. */
  readonly pollMs: number;
  readonly log: IndexerLog;
}

export class ElectedIndexer implements Feeding {
  readonly #store: Store;
  readonly #backend: SearchBackend;
  readonly #indexer: Indexer;
  readonly #options: ElectedIndexerOptions;
  #feeds = false;
  #running: Promise<unknown> | null = null;
  #ending = new AbortController();
  #followed: IndexerStatus = { applied: 0, lag: 0, error: null };

  constructor(
    store: Store,
    backend: SearchBackend,
    indexer: Indexer,
    options: ElectedIndexerOptions,
  ) {
    this.#store = store;
    this.#backend = backend;
    this.#indexer = indexer;
    this.#options = options;
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

  notify(): void {
    if (this.#feeds) this.#indexer.notify();
  }

  status(): IndexerStatus {
    return this.#feeds ? this.#indexer.status() : this.#followed;
  }

  /** Looks again and again, for the feeder may change meanwhile. Throws as Indexer.waitFor does. */
  async waitFor(sequence: number, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (this.status().applied < sequence) {
      const left = deadline - performance.now();
      if (left <= 0 || this.#ending.signal.aborted) throw late(sequence, timeoutMs);
      this.notify();
      await pause(Math.min(left, this.#options.pollMs), this.#ending.signal);
    }
  }

  /** Takes the lock, feeds until it is lost, and again. */
  async #feed(): Promise<void> {
    const { signal } = this.#ending;
    const { lock, log } = this.#options;
    while (!signal.aborted) {
      const hold = await lock.acquire(signal);
      if (hold === null) return;
      log.info({}, 'This node feeds the search');
      this.#feeds = true;
      this.#indexer.start();
      const ended = aborted(signal).then(() => false);
      const lost = await Promise.race([hold.lost.then(() => true), ended]);
      await (lost ? this.#indexer.abandon() : this.#indexer.stop());
      this.#feeds = false;
      await hold.release();
      if (!signal.aborted) log.warn({}, 'This node feeds the search no more');
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      if (!this.#feeds) this.#followed = await this.#look();
      await pause(this.#options.pollMs, signal);
    }
  }

  async #look(): Promise<IndexerStatus> {
    try {
      const applied = await this.#backend.committedSequence();
      const lag = Math.max(0, (await this.#store.read.lastSequence()) - applied);
      return { applied, lag, error: null };
    } catch (error) {
      return { ...this.#followed, error: error instanceof Error ? error.message : String(error) };
    }
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

/** Settles when the signal is given. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Settles after the time, or when the signal is given. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
