// Deletes what has become old: documents of events and account activities after the configured
// period, tombstones that no index needs any more, and tokens that have expired, personal access
// tokens with all that was created with them and an event of the trail. It runs soon after
// the start and then every hour, in small transactions with pauses between them. Each of several
// nodes on one store runs: the transactions of a store follow one another, so what one has deleted
// another one does not find.
// Invariant: each transaction is complete by itself and checks what it deletes, so a run may end
// anywhere, and another one may run at the same time.
// Invariant: recorded events of the audit trail are never deleted, only their documents; the
// transaction that deletes documents of events also stores until when they may be missing.
// Invariant: a tombstone is purged only if the index of this process needs no deletion up to it,
// and a week after it at the earliest. An index of another node that was away for longer notices it
// by the store's `purgedSequence` and is filled again (src/backends/indexer.ts). A wrong clock can
// therefore cost time, but never leaves a deleted document in an index.

import { BackgroundLoop } from '../../scheduling/background-loop.ts';
import { Deadline } from '../../scheduling/deadline.ts';
import { removeExpiredTokens } from '../../service/credentials/credentials.ts';
import { loadMappings } from '../../service/documents/mapping-cache.ts';
import type { ExpiringRows, PurgeMark } from '../../service/ports/purge-records.ts';
import type { SearchBackend } from '../../service/ports/search-backend.ts';
import type { Store, WritableRecords } from '../../service/ports/store.ts';
import { hitPages, wholeTenant } from '../../service/searching/rows/hit-walk.ts';
import type { Log } from '../../telemetry/log.ts';
import { oldDocumentsPlan, RETAINED_INDEXES, type RetainedIndex } from './old-documents.ts';

/** What is purged; also the label of the metric. */
export type PurgedRows = RetainedIndex | 'tombstones' | ExpiringRows | 'personal_access_tokens';

/** Numbers of purged rows. */
export type PurgeCounts = Record<PurgedRows, number>;

/** The parts of a node that the purge uses. */
export interface PurgeParts {
  readonly store: Store;
  readonly backend: Pick<SearchBackend, 'search' | 'coveredSequence'>;
  readonly indexer: { status(): { readonly applied: number } };
}

export interface PurgeOptions {
  readonly log: Log;
  readonly clock: { now(): number };
  /** Age at which documents are deleted, in milliseconds; null: never. */
  readonly eventRetentionMs: number | null;
  /** Time from the start to the first run. */
  readonly firstMs?: number;
  /** Time from the end of a run to the next one. */
  readonly everyMs?: number;
  /** The same after a run that failed. */
  readonly retryMs?: number;
  /** Time between two transactions that deleted rows. */
  readonly pauseMs?: number;
  /** Age below which no tombstone is purged. */
  readonly tombstoneMs?: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Rows of one transaction: about 5 ms in SQLite. */
const ROWS = 100;
const SEARCH_MS = 60_000;
/** Personal access tokens of one transaction: each may have created others. */
const TOKENS = 10;
/**
 * Other expired tokens are kept for this long. A revocation that is purged by a clock which is ahead would make its token
 * valid again.
 */
const EXPIRED_MS = 30 * DAY_MS;
/**
 * Rows with an expiry, and old documents, are purged by no clock that is further beyond that of the run before: one that
 * is wrong for a while has deleted nothing that is not old. Longer than the time between two runs.
 */
const CLOCK_STEP_MS = 3 * HOUR_MS;
const EXPIRING: readonly ExpiringRows[] = ['revoked_tokens', 'refresh_tokens'];
const NO_MARK: PurgeMark = { markedSequence: 0, markedAt: 0 };

/** Ends a run between two transactions, because the job stops. */
class RunEnded extends Error {}

export class PurgeJob {
  readonly #parts: PurgeParts;
  readonly #options: Required<PurgeOptions>;
  readonly #loop = new BackgroundLoop();
  readonly #total = noCounts();
  #failed = false;

  constructor(parts: PurgeParts, options: PurgeOptions) {
    this.#parts = parts;
    this.#options = {
      firstMs: MINUTE_MS,
      everyMs: HOUR_MS,
      retryMs: 5 * MINUTE_MS,
      pauseMs: 50,
      tombstoneMs: 7 * DAY_MS,
      ...options,
    };
  }

  /** Rows purged by this process since it started. */
  get counts(): Readonly<PurgeCounts> {
    return this.#total;
  }

  /** Why old rows are not purged, in one sentence; null: they are. */
  get warning(): string | null {
    return this.#failed ? 'Old documents and tokens could not be purged; the log says why.' : null;
  }

  start(): void {
    const { log, firstMs, everyMs, retryMs } = this.#options;
    const purge = async () => {
      await this.run();
      this.#failed = false;
      return everyMs;
    };
    this.#loop.repeat(firstMs, purge, (err) => {
      this.#failed = true;
      log.warn({ err, retryMs }, 'Old rows could not be purged; it is tried again');
      return retryMs;
    });
  }

  /** Stops after the current transaction. */
  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /**
   * Purges once all that is old now.
   * @returns what was purged
   * @throws ServiceError `unavailable` if the store or the search fails; what was purged stays so
   */
  async run(): Promise<Readonly<PurgeCounts>> {
    const counts = noCounts();
    try {
      const now = await this.#now();
      await this.#purgeTokens(now, counts);
      for (const rows of EXPIRING) await this.#purgeExpired(rows, now, counts);
      await this.#purgeDocuments(now, counts);
      await this.#purgeTombstones(counts);
    } catch (error) {
      // A search that the stop cancelled fails, too.
      if (!(error instanceof RunEnded) && !this.#loop.signal.aborted) throw error;
    } finally {
      const purged = Object.entries(counts).filter(([, rows]) => rows > 0);
      for (const [rows, count] of purged) this.#total[rows as PurgedRows] += count;
      if (purged.length > 0) this.#options.log.info(Object.fromEntries(purged), 'Purged old rows');
    }
    return counts;
  }

  /** The earlier of the clocks of this node and the store, and not long after that of the last run. */
  async #now(): Promise<number> {
    const { store } = this.#parts;
    const last = await store.read.purgeClock();
    const now = Math.min(
      this.#options.clock.now(),
      (await store.now()) ?? Number.POSITIVE_INFINITY,
    );
    await this.#transaction(async (records) => {
      await records.setPurgeClock(now);
      return 0;
    });
    return last === null ? now : Math.min(now, last + CLOCK_STEP_MS);
  }

  /** Deletes personal access tokens that have expired. */
  async #purgeTokens(now: number, counts: PurgeCounts): Promise<void> {
    await this.#repeat(counts, 'personal_access_tokens', TOKENS, (records) =>
      removeExpiredTokens(records, now, TOKENS),
    );
  }

  async #purgeExpired(rows: ExpiringRows, now: number, counts: PurgeCounts): Promise<void> {
    const instant = now - EXPIRED_MS;
    await this.#repeat(counts, rows, ROWS, (records) => records.purgeExpired(rows, instant, ROWS));
  }

  async #purgeDocuments(now: number, counts: PurgeCounts): Promise<void> {
    const { eventRetentionMs } = this.#options;
    if (eventRetentionMs === null) return;
    const before = now - eventRetentionMs;
    for (const { id } of await this.#parts.store.read.tenants()) {
      for (const index of RETAINED_INDEXES) {
        await this.#purgeIndex({ tenantId: id, index, before }, counts);
      }
    }
  }

  /** Deletes the documents of one index that are older than an instant. */
  async #purgeIndex(
    { tenantId, index, before }: { tenantId: string; index: RetainedIndex; before: number },
    counts: PurgeCounts,
  ): Promise<void> {
    const { store, backend, indexer } = this.#parts;
    const options = { deadline: new Deadline(SEARCH_MS), signal: this.#loop.signal };
    // A document that changed later may be young now, which this search cannot see.
    const { applied } = indexer.status();
    const mappings = await loadMappings(store.read, tenantId);
    const indexes = wholeTenant(backend, { tenantId, mappings });
    const sources = { indexes, options: () => options };
    for await (const { hits } of hitPages(oldDocumentsPlan(index, before), sources)) {
      const ids = hits.map(({ id }) => id);
      counts[index] += await this.#transaction(async (records) => {
        const rows = await records.deleteUnchangedDocuments(tenantId, index, ids, applied);
        if (index === 'events' && rows > 0) {
          await records.setEventsPurgedBefore(tenantId, before);
        }
        return rows;
      });
    }
  }

  /**
   * Purges the tombstones up to a mark, a change whose age is known, once that is old enough, and
   * then sets the next mark. So a tombstone is purged one to two weeks after the deletion.
   */
  async #purgeTombstones(counts: PurgeCounts): Promise<void> {
    const { store, backend } = this.#parts;
    const { clock, tombstoneMs } = this.#options;
    const { markedSequence, markedAt } = (await store.read.purgeMark()) ?? NO_MARK;
    const age = clock.now() - markedAt;
    // A mark of the future is from a wrong clock and replaced.
    if (age >= 0 && age < tombstoneMs) return;
    if (age >= tombstoneMs) {
      const sequence = Math.min(markedSequence, await backend.coveredSequence());
      await this.#repeat(counts, 'tombstones', ROWS, (records) =>
        records.purgeTombstones(sequence, ROWS),
      );
      if (sequence < markedSequence) return;
    }
    await this.#transaction(async (records) => {
      const markedSequence = await records.lastSequence();
      await records.setPurgeMark({ markedSequence, markedAt: clock.now() });
      return 0;
    });
  }

  /** Repeats a transaction until it finds fewer rows than it may purge. */
  async #repeat(
    counts: PurgeCounts,
    rows: PurgedRows,
    most: number,
    work: (records: WritableRecords) => Promise<number>,
  ): Promise<void> {
    for (let purged = most; purged === most; ) {
      purged = await this.#transaction(work);
      counts[rows] += purged;
    }
  }

  /**
   * Runs a transaction, then pauses if it deleted rows.
   * @returns the number of rows
   * @throws RunEnded if the job stops
   */
  async #transaction(work: (records: WritableRecords) => Promise<number>): Promise<number> {
    if (this.#loop.signal.aborted) throw new RunEnded();
    const rows = await this.#parts.store.write(work);
    if (rows > 0) await this.#loop.wait(this.#options.pauseMs);
    return rows;
  }
}

function noCounts(): PurgeCounts {
  return {
    ...{ events: 0, accountactivities: 0, tombstones: 0 },
    ...{ personal_access_tokens: 0, revoked_tokens: 0, refresh_tokens: 0 },
  };
}
