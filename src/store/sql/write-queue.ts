// The writes of a store, one after the other. Writes that wait while a transaction runs join it, and
// one commit makes all of them durable (group commit): each disk sync then serves many callers. A
// write that fails is undone alone. Where others can write, too, the next transaction may wait for its
// turn while one commits.
// Invariant: the writes of a transaction run after the one before it has ended, and its writes were
// told.
// Invariant: a promise resolves only after the commit of its write, and `work` runs once.
// Invariant: the count has grown, and its listeners have run, before the promise of a write settles.
import { ServiceError } from '../../errors.ts';
import type { WritableRecords } from '../../service/ports/store.ts';
import { ProcessWrites } from './process-writes.ts';

type Work<T> = (records: WritableRecords) => Promise<T>;

/** An open transaction that runs several writes, one after the other. */
export interface GroupTransaction {
  /**
   * Runs one write. If it fails, its own changes are undone.
   * @throws what `work` throws
   */
  write<T>(work: Work<T>): Promise<T>;
  /** Why nothing of the transaction can be kept, so that no other write joins it; null while it can. */
  readonly failure: unknown;
  /** Commits the writes that have not failed. */
  commit(): Promise<void>;
  /** Never throws. */
  rollBack(): Promise<void>;
}

interface Member {
  readonly work: Work<unknown>;
  /** When it gives up waiting, by `performance.now()`. */
  readonly until: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface DoneMember {
  readonly member: Member;
  readonly value: unknown;
}

/** Most writes of a transaction. */
const GROUP_MAX = 64;
const JOIN_MS = 10;

export interface WriteQueueOptions {
  /** How long a write may wait for earlier ones. */
  readonly waitMs: number;
  /** Whether a transaction may begin, and wait to exclude others, while the one before it commits. */
  readonly beginsEarly?: boolean;
  /** No write joins a transaction that is older: the others wait for its commit. */
  readonly joinMs?: number | undefined;
  /** Counts the writes; default: a count of this queue. */
  readonly writes?: ProcessWrites | undefined;
}

export class WriteQueue {
  readonly #begin: () => Promise<GroupTransaction>;
  readonly #waitMs: number;
  readonly #beginsEarly: boolean;
  readonly #joinMs: number;
  readonly #writes: ProcessWrites;
  readonly #waiting: Member[] = [];
  #isRunning = false;
  /** Settles when no write waits any more. */
  #running: Promise<void> = Promise.resolve();
  /** Settles when the transaction before the current one has ended. */
  #committing: Promise<void> = Promise.resolve();
  #closed = false;

  /** @param begin excludes all other writers until the transaction ends */
  constructor(
    begin: () => Promise<GroupTransaction>,
    { waitMs, beginsEarly = false, joinMs = JOIN_MS, writes }: WriteQueueOptions,
  ) {
    this.#writes = writes ?? new ProcessWrites();
    this.#begin = begin;
    this.#waitMs = waitMs;
    this.#beginsEarly = beginsEarly;
    this.#joinMs = joinMs;
  }

  /**
   * Runs a write after all earlier ones.
   * @throws ServiceError `unavailable` if it had to wait for too long, or after `close`
   */
  run<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const until = performance.now() + this.#waitMs;
      const settle = { resolve: resolve as Member['resolve'], reject };
      this.#waiting.push({ work, until, ...settle });
      if (!this.#isRunning) this.#running = this.#runAll();
    });
  }

  /** Rejects all further writes. Resolves when the current transaction has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
    await this.#committing;
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (let first = this.#next(); first !== null; first = this.#next()) {
      await this.#runGroup(first);
    }
    this.#isRunning = false;
  }

  /** The next write that may run; rejects those before it that may not. */
  #next(): Member | null {
    for (let member = this.#waiting.shift(); member; member = this.#waiting.shift()) {
      const refusal = this.#refusal(member);
      if (refusal === null) return member;
      this.#end(1);
      member.reject(refusal);
    }
    return null;
  }

  #refusal({ until }: Member): ServiceError | null {
    if (this.#closed) return new ServiceError('unavailable', 'The store is closed.');
    // While a database is down each write takes time to fail; queued ones must not wait for the
    // sum.
    if (performance.now() <= until) return null;
    return new ServiceError('unavailable', 'Too many writes wait for the store.', {
      retryAfterSeconds: 1,
    });
  }

  async #runGroup(first: Member): Promise<void> {
    let transaction: GroupTransaction;
    try {
      transaction = await this.#begin();
    } catch (error) {
      this.#end(1);
      first.reject(error);
      return;
    }
    const done: DoneMember[] = [];
    await this.#committing;
    await this.#runMembers(transaction, first, done);
    const committing = this.#endGroup(transaction, done);
    if (this.#beginsEarly) this.#committing = committing;
    else await committing;
  }

  /** Ends the transaction, and settles its writes. Never throws. */
  async #endGroup(transaction: GroupTransaction, done: readonly DoneMember[]): Promise<void> {
    let fault: { readonly error: unknown } | null = null;
    try {
      if (transaction.failure !== null) throw transaction.failure;
      if (done.length > 0) await transaction.commit();
      else await transaction.rollBack();
    } catch (error) {
      fault = { error };
      await transaction.rollBack();
    }
    this.#end(done.length);
    for (const { member, value } of done) {
      if (fault === null) member.resolve(value);
      else member.reject(fault.error);
    }
  }

  /** Runs the first write and those that join it; `done` are those that have not failed. */
  async #runMembers(
    transaction: GroupTransaction,
    first: Member,
    done: DoneMember[],
  ): Promise<void> {
    const joinUntil = performance.now() + this.#joinMs;
    for (let member: Member | null = first; member !== null; ) {
      try {
        done.push({ member, value: await transaction.write(member.work) });
      } catch (error) {
        this.#end(1);
        member.reject(error);
      }
      const takesMore = done.length < GROUP_MAX && performance.now() < joinUntil;
      member = takesMore && transaction.failure === null ? this.#next() : null;
    }
  }

  #end(count: number): void {
    if (count > 0) this.#writes.end(count);
  }
}
