// Carries the store's change sequence into the search backend: tail, apply, refresh, and now and
// then commit. The store is the truth, so the indexer keeps nothing of its own: after a crash, or
// when a backend lost its state, it starts again from the sequence the backend says it has durably
// taken.
// Invariant: `applied` never passes a change that the backend has not made searchable.
import { setImmediate as turn } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import type { SearchBackend } from '../identity/ports/search-backend.ts';
import type { DocumentChange, Store } from '../identity/ports/store.ts';
import { PROCESS_TIMERS, type Timers } from './timers.ts';

/** Where the indexer tells what happened; a pino logger fits. */
export interface IndexerLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface IndexerOptions {
  /** How long it sleeps when there is nothing to do and nobody calls `notify`. */
  readonly pollMs: number;
  /** Changes taken from the store at a time. */
  readonly batchSize: number;
  /**
   * Whether to wait until so many are there, as long as nobody waits for one of them: few large
   * segments cost least.
   */
  readonly fullBatches?: boolean;
  readonly log: IndexerLog;
  /** Commit after this much time with uncommitted changes. */
  readonly commitMs?: number;
  /** Commit after this many bytes of uncommitted documents. */
  readonly commitBytes?: number;
  /**
   * Small batches are made searchable at most this often, so that a trickle of writes makes few
   * segments.
   */
  readonly refreshMs?: number;
  readonly timers?: Timers;
}

export interface IndexerStatus {
  /** The last sequence that is searchable. */
  readonly applied: number;
  /** How many sequence numbers the backend is behind the store. */
  readonly lag: number;
  /** Why the last attempt failed, or null when it did not. */
  readonly error: string | null;
}

/** What the rest of the service asks of whoever feeds the search, be it this process or another. */
export type Feeding = Pick<Indexer, 'start' | 'stop' | 'notify' | 'waitFor' | 'status'>;

interface Waiter {
  readonly sequence: number;
  readonly resolve: () => void;
  readonly reject: (error: ServiceError) => void;
}

const COMMIT_MS = 5_000;
const COMMIT_BYTES = 64 * 1024 * 1024;
const REFRESH_MS = 50;
/** Changes that the store reads in a few milliseconds. */
const READ_AT_ONCE = 250;
/** How often is looked whether a batch is full. */
const GATHER_MS = 20;
const BACKOFF_FIRST_MS = 200;
const BACKOFF_LAST_MS = 5_000;

/** Feeds one backend from one store; there is one at a time for each pair. */
export class Indexer {
  readonly #store: Store;
  readonly #backend: SearchBackend;
  readonly #options: Required<IndexerOptions>;
  readonly #waiters = new Set<Waiter>();
  #loop: Promise<void> | null = null;
  #stopping = false;
  #wake: (() => void) | null = null;
  #notified = false;

  /** Searchable up to here. */
  #applied = 0;
  /**
   * The backend must be asked where to start: at first, and after a fault, for it may have lost its
   * state.
   */
  #astray = true;
  /** The batch behind `#applied`, where it is being read already. */
  #ahead: Promise<DocumentChange[]> | null = null;
  #committed = 0;
  #lastSequence = 0;
  #uncommittedBytes = 0;
  /** When the oldest uncommitted change was applied. */
  #uncommittedSince: number | null = null;
  #lastRefresh = Number.NEGATIVE_INFINITY;
  #error: string | null = null;
  #failures = 0;

  constructor(store: Store, backend: SearchBackend, options: IndexerOptions) {
    this.#store = store;
    this.#backend = backend;
    this.#options = {
      commitMs: COMMIT_MS,
      commitBytes: COMMIT_BYTES,
      refreshMs: REFRESH_MS,
      timers: PROCESS_TIMERS,
      fullBatches: false,
      ...options,
    };
  }

  start(): void {
    if (this.#loop !== null) return;
    this.#stopping = false;
    this.#loop = this.#run();
  }

  /** Ends the loop, commits what is searchable, and fails those who still wait. */
  async stop(): Promise<void> {
    await this.#halt();
    // After a fault the backend may have lost what was applied, and a commit would hide that.
    const uncommitted = !this.#astray && this.#applied > this.#committed;
    this.#astray = true;
    if (!uncommitted) return;
    try {
      await this.#commit();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'The last commit of the search index failed');
    }
  }

  /** Ends without a commit, for another process may be feeding by now; it may be started again. */
  async abandon(): Promise<void> {
    await this.#halt();
    this.#astray = true;
  }

  /** Says that the store has new changes. */
  notify(): void {
    this.#notified = true;
    this.#wake?.();
  }

  /** @throws ServiceError `unavailable` when `sequence` is not searchable after `timeoutMs` */
  waitFor(sequence: number, timeoutMs: number): Promise<void> {
    if (sequence <= this.#applied) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        cancelTimer();
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        sequence,
        resolve: () => {
          settle();
          resolve();
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      const late = () => waiter.reject(this.#late(sequence, timeoutMs));
      const cancelTimer = this.#options.timers.after(timeoutMs, late);
      this.#waiters.add(waiter);
      this.notify();
    });
  }

  status(): IndexerStatus {
    const applied = this.#applied;
    return { applied, lag: Math.max(0, this.#lastSequence - applied), error: this.#error };
  }

  async #halt(): Promise<void> {
    this.#stopping = true;
    this.#wake?.();
    await this.#loop;
    this.#loop = null;
    for (const waiter of this.#waiters) {
      waiter.reject(new ServiceError('unavailable', 'The service is stopping'));
    }
    this.#waiters.clear();
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#notified = false;
      let idleMs: number;
      try {
        idleMs = await this.#step();
        if (this.#error !== null) this.#options.log.info(this.status(), 'Indexing goes on');
        this.#error = null;
        this.#failures = 0;
      } catch (error) {
        idleMs = await this.#failed(error);
      }
      if (idleMs > 0) await this.#sleep(idleMs, this.#error === null);
    }
  }

  /** One batch; how long to rest before the next one. */
  async #step(): Promise<number> {
    await this.#locate();
    const { batchSize, pollMs } = this.#options;
    if (this.#ahead === null && (await this.#gathers())) return GATHER_MS;
    const changes = await (this.#ahead ?? this.#changes(this.#applied));
    this.#ahead = null;
    const last = changes.at(-1);
    if (last === undefined) {
      this.#lastSequence = this.#applied;
      await this.#commitWhenDue();
      return pollMs;
    }
    const full = changes.length >= batchSize;
    this.#lastSequence = full
      ? Math.max(last.sequence, await this.#store.read.lastSequence())
      : last.sequence;
    for (const [tenantId, part] of byTenant(changes)) await this.#backend.apply(tenantId, part);
    const refreshed = this.#backend.refresh();
    const left = this.#lastSequence - last.sequence;
    if (this.#options.fullBatches && left >= batchSize) this.#readAhead(last.sequence);
    await refreshed;
    this.#searchable(last.sequence, bytesOf(changes));
    await this.#commitWhenDue();
    return full ? 0 : 1;
  }

  /** Whether more changes are to come first. */
  async #gathers(): Promise<boolean> {
    const { fullBatches, batchSize } = this.#options;
    if (!fullBatches || this.#waiters.size > 0) return false;
    this.#lastSequence = await this.#store.read.lastSequence();
    return this.#lastSequence - this.#applied < batchSize;
  }

  /** Reads the next batch while the backend is busy with this one. */
  #readAhead(after: number): void {
    const ahead = this.#changes(after);
    // Whoever awaits it hears of a fault; nobody may.
    ahead.catch(() => {});
    this.#ahead = ahead;
  }

  /**
   * A batch, read in parts with turns of the event loop between them: the store reads in one go.
   */
  async #changes(from: number): Promise<DocumentChange[]> {
    const { batchSize } = this.#options;
    const changes: DocumentChange[] = [];
    for (;;) {
      const after = changes.at(-1)?.sequence ?? from;
      const wanted = Math.min(READ_AT_ONCE, batchSize - changes.length);
      const part = await this.#store.read.changesAfter(after, wanted);
      changes.push(...part);
      if (part.length < wanted || changes.length >= batchSize) return changes;
      await turn();
    }
  }

  /**
   * Where to go on: behind the last change applied, or, when that is not certain, where the backend
   * says.
   */
  async #locate(): Promise<void> {
    const committed = await this.#backend.committedSequence();
    if (committed < this.#committed) {
      this.#options.log.warn({ from: committed }, 'The search index starts again from the store');
      this.#astray = true;
    }
    if (this.#astray) {
      this.#astray = false;
      this.#applied = committed;
      this.#ahead = null;
      this.#uncommittedSince = null;
      this.#uncommittedBytes = 0;
      this.#answerWaiters();
    }
    this.#committed = committed;
  }

  #searchable(sequence: number, bytes: number): void {
    const now = this.#options.timers.now();
    this.#applied = sequence;
    this.#lastRefresh = now;
    this.#uncommittedBytes += bytes;
    this.#uncommittedSince ??= now;
    this.#answerWaiters();
  }

  #answerWaiters(): void {
    for (const waiter of [...this.#waiters]) {
      if (waiter.sequence <= this.#applied) waiter.resolve();
    }
  }

  async #commitWhenDue(): Promise<void> {
    const { timers, commitMs, commitBytes } = this.#options;
    if (this.#uncommittedSince === null) return;
    const due = timers.now() - this.#uncommittedSince >= commitMs;
    if (due || this.#uncommittedBytes >= commitBytes) await this.#commit();
  }

  async #commit(): Promise<void> {
    const sequence = this.#applied;
    await this.#backend.commit(sequence);
    this.#committed = sequence;
    this.#uncommittedSince = null;
    this.#uncommittedBytes = 0;
  }

  /** Keeps the reason and answers how long to back off. */
  async #failed(error: unknown): Promise<number> {
    this.#astray = true;
    this.#error = error instanceof Error ? error.message : String(error);
    const backoffMs = Math.min(BACKOFF_FIRST_MS * 2 ** this.#failures, BACKOFF_LAST_MS);
    this.#failures += 1;
    this.#options.log.warn({ err: error, backoffMs }, 'Indexing failed and will be tried again');
    try {
      this.#lastSequence = await this.#store.read.lastSequence();
    } catch {
      // The store is what failed: the lag stays as last known.
    }
    return backoffMs;
  }

  /** Rests; a notification ends it early, but not before small batches may be refreshed again. */
  async #sleep(ms: number, wakeable: boolean): Promise<void> {
    const { timers, refreshMs, pollMs } = this.#options;
    if (!wakeable) return this.#pause(ms, false);
    const soonest = this.#lastRefresh + refreshMs - timers.now();
    if (soonest > 0) await this.#pause(Math.min(soonest, pollMs), false);
    if (!this.#notified && ms > 1) await this.#pause(ms, true);
  }

  /** A pause that `stop` always ends, and `notify` when `wakeable`. */
  #pause(ms: number, wakeable: boolean): Promise<void> {
    if (this.#stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancelTimer();
        this.#wake = null;
        resolve();
      };
      const cancelTimer = this.#options.timers.after(ms, end);
      this.#wake = () => {
        if (wakeable || this.#stopping) end();
      };
    });
  }

  #late(sequence: number, timeoutMs: number): ServiceError {
    const { applied, error } = this.status();
    return new ServiceError(
      'unavailable',
      `The change is stored but was not searchable within ${timeoutMs} ms`,
      {
        causes: [
          error ?? `Change ${sequence} waits behind ${Math.max(0, sequence - applied)} others`,
        ],
        retryAfterSeconds: 1,
      },
    );
  }
}

function byTenant(changes: readonly DocumentChange[]): Map<string, DocumentChange[]> {
  const tenants = new Map<string, DocumentChange[]>();
  for (const change of changes) {
    const part = tenants.get(change.tenantId);
    if (part === undefined) tenants.set(change.tenantId, [change]);
    else part.push(change);
  }
  return tenants;
}

function bytesOf(changes: readonly DocumentChange[]): number {
  let bytes = 0;
  for (const { document } of changes) {
    if (document !== null) bytes += document.root.length + document.nested.length;
  }
  return bytes;
}
