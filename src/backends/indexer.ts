// Feeds the store's changes to the search backend: reads, applies, refreshes, and commits now and
// then. The indexer has no state of its own: after a crash, or when a backend lost its state, it
// starts again from the backend's committed sequence.
// A backend with changes that the store has lost (store-history.ts) is cleared and fed from nothing.
// Invariant: `applied` never exceeds what the backend has made searchable.
// Invariant: a backend continues after `applied` only if every purged tombstone is one that it does
// not need: up to `applied`, or up to the backend's `coveredSequence`. Else documents that were
// deleted meanwhile would stay in its indexes, and it is cleared and fed from nothing. It is checked
// after each read of changes, since a process may sleep for weeks between two.

import { setImmediate as turn } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { NotCommittedError, type SearchBackend } from '../service/ports/search-backend.ts';
import type { DocumentChange, Store } from '../service/ports/store.ts';
import type { Log } from '../telemetry/log.ts';
import { StoreHistory } from './store-history.ts';
import { PROCESS_TIMERS, type Timers } from './timers.ts';

/** What an indexer feeds. */
export type FedBackend = Pick<
  SearchBackend,
  'apply' | 'refresh' | 'commit' | 'committedSequence' | 'coveredSequence' | 'clear' | 'rebuilding'
>;

export interface IndexerOptions {
  /** Milliseconds between polls when there is nothing to do and this process writes nothing. */
  readonly pollMs: number;
  /** Most changes read from the store at a time. */
  readonly batchSize: number;
  /**
   * Whether to wait for a full batch unless a caller waits for a change: few large segments cost
   * least.
   */
  readonly fullBatches?: boolean;
  /**
   * Bytes of documents that are applied before a refresh, while full batches follow one another;
   * 0: each batch is refreshed. During a rebuild too: it refreshes nothing, and commits what it has.
   */
  readonly refreshBytes?: number;
  readonly log: Log;
  /** Shared by what follows the same store in this process; an own one if omitted. */
  readonly history?: StoreHistory;
  /** Commit after this much time with uncommitted changes. */
  readonly commitMs?: number;
  /** Commit after this many bytes of uncommitted documents. */
  readonly commitBytes?: number;
  /**
   * Least time between refreshes of small batches, so that a trickle of writes makes few segments.
   */
  readonly refreshMs?: number;
  readonly timers?: Timers;
}

export interface IndexerStatus {
  /** The last sequence that is searchable. */
  readonly applied: number;
  /** How many sequence numbers the backend is behind the store. */
  readonly lag: number;
  /** Error of the last attempt, or null if it succeeded. */
  readonly error: string | null;
}

/** What feeds the search, in this process or another, as the rest of the service uses it. */
export type Feeding = Pick<Indexer, 'start' | 'stop' | 'waitFor' | 'status' | 'startOver'>;

/** What may end a pause: the next writes are waited for least. */
type WakeEvent = 'stop' | 'waiter' | 'write';

interface Waiter {
  readonly sequence: number;
  readonly resolve: () => void;
  readonly reject: (error: ServiceError) => void;
}

const COMMIT_MS = 5_000;
const COMMIT_BYTES = 64 * 1024 * 1024;
const REFRESH_MS = 50;
/** A batch of this many changes is part of a stream of writes, which one segment indexes at the least cost. */
const STREAM_CHANGES = 16;
/** In a stream refreshes are this many times as far apart, unless a caller waits for a change. */
const STREAM_REFRESHES = 4;
/** Changes that the store reads in a few milliseconds. */
const READ_AT_ONCE = 250;
/** How often to check whether a batch is full. */
const GATHER_MS = 20;
const BACKOFF_FIRST_MS = 200;
const BACKOFF_LAST_MS = 5_000;

/** Feeds one backend from one store; only one may run for each pair. */
export class Indexer {
  readonly #store: Store;
  readonly #backend: FedBackend;
  readonly #options: Required<IndexerOptions>;
  readonly #waiters = new Set<Waiter>();
  /** Calls of `startOver` that the next step answers. */
  #startsOver: (() => void)[] = [];
  #loop: Promise<void> | null = null;
  #stopping = false;
  #wake: ((event: WakeEvent) => void) | null = null;
  /** Ends the calls of the store after its writes. */
  #unsubscribe: () => void = () => {};
  #notified = false;

  /** The last searchable sequence. */
  #applied = 0;
  /** The last sequence that the backend has; more than `#applied` between two refreshes. */
  #sent = 0;
  #unrefreshedBytes = 0;
  /**
   * The start must be read from the backend: at first, and after a fault, as it may have lost its
   * state.
   */
  #mustLocate = true;
  /** The batch after `#sent`, if it is being read already. */
  #nextBatch: Promise<DocumentChange[]> | null = null;
  /** The restores of the store that the backend was fed after. */
  #restores = 0;
  #committed = 0;
  #lastSequence = 0;
  #uncommittedBytes = 0;
  /** When the oldest uncommitted change was applied. */
  #uncommittedSince: number | null = null;
  #lastRefresh = Number.NEGATIVE_INFINITY;
  /** The last batch was part of a stream of writes. */
  #isStream = false;
  #error: string | null = null;
  #failures = 0;

  constructor(store: Store, backend: FedBackend, options: IndexerOptions) {
    this.#store = store;
    this.#backend = backend;
    this.#options = {
      commitMs: COMMIT_MS,
      commitBytes: COMMIT_BYTES,
      refreshMs: REFRESH_MS,
      timers: PROCESS_TIMERS,
      fullBatches: false,
      refreshBytes: 0,
      history: new StoreHistory(store.read, options.log),
      ...options,
    };
  }

  start(): void {
    if (this.#loop !== null) return;
    this.#stopping = false;
    this.#restores = this.#options.history.restores;
    this.#unsubscribe = this.#store.onWrite(() => this.#notify('write'));
    this.#loop = this.#run();
  }

  /** Ends the loop, commits what is searchable, and rejects pending waits. */
  async stop(): Promise<void> {
    await this.#halt();
    // After a fault the backend may have lost what was applied, and a commit would hide that.
    const uncommitted = !this.#mustLocate && this.#applied > this.#committed;
    this.#mustLocate = true;
    if (!uncommitted) return;
    try {
      await this.#commit();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'The last commit of the search index failed');
    }
  }

  /** Ends without a commit, because another process may feed by now; can be started again. */
  async abandon(): Promise<void> {
    await this.#halt();
    this.#mustLocate = true;
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
      this.#notify('waiter');
    });
  }

  /**
   * Clears the backend and feeds it from nothing, unless it is being filled already. Resolves once it is
   * cleared; the next batch may be on its way by then.
   */
  startOver(): Promise<void> {
    return new Promise((resolve) => {
      this.#startsOver.push(resolve);
      this.#notify('write');
    });
  }

  status(): IndexerStatus {
    const applied = this.#applied;
    return { applied, lag: Math.max(0, this.#lastSequence - applied), error: this.#error };
  }

  /** Ends the pause between two batches. */
  #notify(event: WakeEvent): void {
    this.#notified = true;
    this.#wake?.(event);
  }

  async #halt(): Promise<void> {
    this.#stopping = true;
    this.#unsubscribe();
    this.#wake?.('stop');
    await this.#loop;
    this.#loop = null;
    for (const waiter of this.#waiters) {
      waiter.reject(new ServiceError('unavailable', 'The service is stopping'));
    }
    this.#waiters.clear();
    for (const resolve of this.#startsOver.splice(0)) resolve();
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
        idleMs = await this.#recordFailure(error);
      }
      if (idleMs <= 0) continue;
      if (this.#error === null) await this.#sleep(idleMs);
      else await this.#pause(idleMs, ['stop']);
    }
  }

  /** Feeds one batch; returns the pause before the next one. */
  async #step(): Promise<number> {
    const isStartingOver = this.#startsOver.length > 0;
    if (isStartingOver && !(await this.#backend.rebuilding())) {
      this.#options.log.warn({}, 'The search index is filled again from the store, as was asked');
      await this.#backend.clear();
      this.#mustLocate = true;
    }
    await this.#locateStart();
    if (isStartingOver) for (const resolve of this.#startsOver.splice(0)) resolve();
    const { batchSize, pollMs } = this.#options;
    if (this.#nextBatch === null && (await this.#waitsForMore())) return GATHER_MS;
    const changes = await (this.#nextBatch ?? this.#changes(this.#sent));
    this.#nextBatch = null;
    if (await this.#startOverAfterPurge()) return 0;
    const stored = await this.#options.history.check();
    if (await this.#startOverAfterRestore(stored)) return 0;
    this.#isStream = !this.#options.fullBatches && changes.length >= STREAM_CHANGES;
    const last = changes.at(-1);
    if (last === undefined) {
      if (this.#sent > this.#applied) await this.#refresh();
      this.#lastSequence = this.#applied;
      await this.#commitWhenDue();
      return pollMs;
    }
    const full = changes.length >= batchSize;
    this.#lastSequence = full ? Math.max(last.sequence, stored) : last.sequence;
    const left = this.#lastSequence - last.sequence;
    if (this.#options.fullBatches && left >= batchSize) this.#readAhead(last.sequence);
    for (const [tenantId, part] of byTenant(changes)) await this.#backend.apply(tenantId, part);
    this.#sent = last.sequence;
    this.#unrefreshedBytes += bytesOf(changes);
    if (left >= batchSize && (await this.#refreshesLater())) return 0;
    await this.#refresh();
    await this.#commitWhenDue();
    return full ? 0 : 1;
  }

  /** Whether more may be applied before the next refresh. */
  async #refreshesLater(): Promise<boolean> {
    if (this.#unrefreshedBytes >= this.#options.refreshBytes) return false;
    return !(await this.#backend.rebuilding());
  }

  /** Whether to wait for more changes first. */
  async #waitsForMore(): Promise<boolean> {
    const { fullBatches, batchSize } = this.#options;
    if (!fullBatches || this.#waiters.size > 0) return false;
    this.#lastSequence = await this.#store.read.lastSequence();
    const unread = this.#lastSequence - this.#sent;
    // Fewer than none: the store went back.
    return unread >= 0 && unread < batchSize;
  }

  /** Reads the next batch while the backend is busy with this one. */
  #readAhead(after: number): void {
    const ahead = this.#changes(after);
    // The error is reported where the batch is awaited, which may be nowhere.
    ahead.catch(() => {});
    this.#nextBatch = ahead;
  }

  /**
   * Reads a batch in parts with turns of the event loop between them, as the store reads
   * synchronously.
   */
  async #changes(from: number): Promise<DocumentChange[]> {
    const { batchSize } = this.#options;
    const changes: DocumentChange[] = [];
    for (;;) {
      const after = changes.at(-1)?.sequence ?? from;
      const limit = Math.min(READ_AT_ONCE, batchSize - changes.length);
      const part = await this.#store.read.changesAfter(after, limit);
      changes.push(...part);
      if (part.length < limit || changes.length >= batchSize) return changes;
      await turn();
    }
  }

  /**
   * Sets the start: after the last change applied, or, if that is uncertain, the committed
   * sequence.
   */
  async #locateStart(): Promise<void> {
    const committed = await this.#backend.committedSequence();
    if (committed < this.#committed) {
      this.#options.log.warn({ from: committed }, 'The search index starts again from the store');
      this.#mustLocate = true;
    }
    if (this.#mustLocate) {
      this.#mustLocate = false;
      this.#applied = committed;
      this.#sent = committed;
      this.#unrefreshedBytes = 0;
      this.#nextBatch = null;
      this.#uncommittedSince = null;
      this.#uncommittedBytes = 0;
      this.#answerWaiters();
    }
    this.#committed = committed;
  }

  /** Clears a backend that missed deletions whose tombstones were purged; false: it missed none. */
  async #startOverAfterPurge(): Promise<boolean> {
    const purged = await this.#store.read.purgedSequence();
    if (purged <= this.#sent || purged <= (await this.#backend.coveredSequence())) return false;
    this.#options.log.warn(
      { applied: this.#sent, purged },
      'The search index was away for too long, and deletions that it missed are no longer recorded: it is filled again from the store',
    );
    this.#mustLocate = true;
    await this.#backend.clear();
    return true;
  }

  /**
   * Clears a backend that has changes which the store has lost: new ones get the same numbers. False: it
   * has none.
   * @param last the last change of the store
   */
  async #startOverAfterRestore(last: number): Promise<boolean> {
    const { restores } = this.#options.history;
    if (restores === this.#restores && last >= this.#sent) return false;
    this.#options.log.warn(
      { applied: this.#sent, last },
      'The search index has changes that the store has lost: it is filled again from it',
    );
    this.#mustLocate = true;
    await this.#backend.clear();
    this.#restores = restores;
    return true;
  }

  /** Makes searchable what the backend has. */
  async #refresh(): Promise<void> {
    await this.#backend.refresh();
    const now = this.#options.timers.now();
    this.#applied = this.#sent;
    this.#lastRefresh = now;
    this.#uncommittedBytes += this.#unrefreshedBytes;
    this.#unrefreshedBytes = 0;
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
    if (!due && this.#uncommittedBytes < commitBytes) return;
    try {
      await this.#commit();
    } catch (error) {
      if (!(error instanceof NotCommittedError)) throw error;
      // Feeding goes on, as nothing is lost; the next commit is tried when it would be due.
      this.#options.log.warn(
        { err: error, reason: reasonOf(error) },
        'The search index could not be committed, and will be later',
      );
      this.#uncommittedSince = timers.now();
      this.#uncommittedBytes = 0;
    }
  }

  async #commit(): Promise<void> {
    const sequence = this.#applied;
    await this.#backend.commit(sequence);
    this.#committed = sequence;
    this.#uncommittedSince = null;
    this.#uncommittedBytes = 0;
  }

  /** Records the error and returns the backoff. */
  async #recordFailure(error: unknown): Promise<number> {
    this.#mustLocate = true;
    this.#error = reasonOf(error);
    const backoffMs = Math.min(BACKOFF_FIRST_MS * 2 ** this.#failures, BACKOFF_LAST_MS);
    this.#failures += 1;
    const details = { err: error, reason: this.#error, backoffMs };
    this.#options.log.warn(details, 'Indexing failed and will be tried again');
    try {
      this.#lastSequence = await this.#store.read.lastSequence();
    } catch {
      // The store failed: the lag keeps its last value.
    }
    return backoffMs;
  }

  /** Sleeps; a write ends it early, but not before the next refresh is allowed. */
  async #sleep(ms: number): Promise<void> {
    const { timers, refreshMs, pollMs } = this.#options;
    const soonest = this.#lastRefresh + refreshMs - timers.now();
    if (soonest > 0) await this.#pause(Math.min(soonest, pollMs), ['stop']);
    if (this.#isStream && this.#waiters.size === 0) {
      await this.#pause(refreshMs * (STREAM_REFRESHES - 1), ['stop', 'waiter']);
    }
    if (!this.#notified && ms > 1) await this.#pause(ms, ['stop', 'waiter', 'write']);
  }

  /** A pause that these events end. */
  #pause(ms: number, endedBy: readonly WakeEvent[]): Promise<void> {
    if (this.#stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancelTimer();
        this.#wake = null;
        resolve();
      };
      const cancelTimer = this.#options.timers.after(ms, end);
      this.#wake = (event) => {
        if (endedBy.includes(event)) end();
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

/** The message with its causes: `OpenSearch is not available` alone does not say why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ServiceError))
    return error instanceof Error ? error.message : String(error);
  return [error.message, ...(error.details.causes ?? [])].join(': ');
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
