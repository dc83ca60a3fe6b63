// The transactions of a run: take it, keep its lease, store its parts, and end it.
// Invariant: only the process of the current attempt changes a run; each transaction checks that, so
// one that was stopped or cut off for longer than its lease changes nothing more.
import { randomUUID } from 'node:crypto';
import { ALL_SCOPES, mayDo } from '../../auth/access.ts';
import type { Reader } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import { recordAuditEvent } from '../../service/audit/audit-event.ts';
import type {
  DueTimes,
  RunPart,
  SavedSearch,
  SearchDelivery,
  SearchRun,
  TypeResult,
} from '../../service/ports/saved-search-records.ts';
import type { Records, Store, WritableRecords } from '../../service/ports/store.ts';
import { viewsInForce } from '../../service/views/views-in-force.ts';
import { completionOf, resultsPath } from './completion.ts';
import { dueTimes, isDue } from './lease-clock.ts';

/** A run that this process executes. */
export interface TakenRun {
  readonly tenantId: string;
  readonly run: SearchRun;
  readonly search: SavedSearch;
}

/** The run belongs to another attempt, or was deleted. */
export class RunLost extends Error {}

/** How a run ends. */
export type RunEnd =
  | {
      readonly state: 'COMPLETED';
      readonly results: readonly TypeResult[];
      /** See `SearchRun.views`. */
      readonly views: string | null;
    }
  | { readonly state: 'FAILED'; readonly reason: string };

export interface RunRecordOptions {
  /** Name of this process, unique among those that share the store. */
  readonly worker: string;
  /** The clock of the use cases, for what people read. */
  readonly clock: { now(): number };
  /** The clock that all processes share, for leases and retries. */
  readonly leaseClock: { now(): number };
  readonly leaseMs: number;
  /** Runs of a saved search that are kept; more only while their deliveries wait. */
  readonly runsKept: number;
  /** Whether runs are posted to a webhook. */
  readonly webhook: boolean;
  /** Base of links, without a slash at its end; null: links are paths. */
  baseUrl(): string | null;
}

/** An attempt that ends with its process is repeated this often. */
const ATTEMPTS_MAX = 5;
const RETRY_MS = 5_000;

export class RunRecords {
  readonly #store: Store;
  readonly #options: RunRecordOptions;

  constructor(store: Store, options: RunRecordOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** When runs may be taken. */
  due(): DueTimes {
    const { leaseClock, leaseMs } = this.#options;
    return dueTimes(leaseClock, Math.max(leaseMs, RETRY_MS * 2 ** ATTEMPTS_MAX));
  }

  /** Takes a run; null if another process has it, or if it ended because it may not run. */
  async take(tenantId: string, id: string): Promise<TakenRun | null> {
    const { worker, leaseMs } = this.#options;
    return this.#store.write(async (records) => {
      const run = await records.searchRun(tenantId, id);
      const due = this.due();
      if (run === null || !isDue(run.openAt, due)) return null;
      const search = await records.savedSearch(tenantId, run.savedSearchId);
      if (search === null) return null;
      const attempt = run.attempt + 1;
      const started = this.#time();
      const taken = { ...run, started, state: 'RUNNING', attempt, worker } as const;
      const next = { tenantId, search, run: { ...taken, openAt: due.now + leaseMs } };
      if (run.attempt >= ATTEMPTS_MAX) {
        const reason = `Each of ${ATTEMPTS_MAX} attempts failed: ${run.reason ?? 'its process ended'}`;
        await this.#end(records, { tenantId, search, run }, { state: 'FAILED', reason });
        return null;
      }
      if (await this.#refuse(records, next)) return null;
      await records.putSearchRun(tenantId, next.run);
      return next;
    });
  }

  /** Extends the lease. @throws RunLost */
  async renew(taken: TakenRun): Promise<void> {
    const { leaseClock, leaseMs } = this.#options;
    await this.#store.write(async (records) => {
      const run = await this.#current(records, taken);
      await records.putSearchRun(taken.tenantId, { ...run, openAt: leaseClock.now() + leaseMs });
    });
  }

  /** @throws RunLost */
  async addPart(taken: TakenRun, part: Pick<RunPart, 'type' | 'part' | 'bytes'>): Promise<void> {
    await this.#store.write(async (records) => {
      const { id: runId, attempt } = await this.#current(records, taken);
      await records.addRunPart(taken.tenantId, { ...part, runId, attempt });
    });
  }

  /** Ends a run, with its deliveries and its event. @throws RunLost */
  async end(taken: TakenRun, end: RunEnd): Promise<void> {
    await this.#store.write(async (records) => {
      const run = await this.#current(records, taken);
      const current = { ...taken, run };
      if (end.state === 'COMPLETED' && (await this.#refuse(records, current))) return;
      await this.#end(records, current, end);
    });
  }

  /**
   * Lets another attempt run it: later after a failure, at once when this process stops.
   * @throws RunLost
   */
  async release(taken: TakenRun, failure: string | null): Promise<void> {
    await this.#store.write(async (records) => {
      const run = await this.#current(records, taken);
      const { tenantId } = taken;
      if (failure === null) {
        // A stop is no failed attempt: the next one gets the same number, without these parts.
        const attempt = run.attempt - 1;
        await records.keepRunParts(tenantId, { id: run.id, attempt });
        await records.putSearchRun(tenantId, { ...run, state: 'WAITING', attempt, openAt: 0 });
        return;
      }
      const openAt = this.#options.leaseClock.now() + RETRY_MS * 2 ** run.attempt;
      await records.putSearchRun(tenantId, { ...run, state: 'WAITING', reason: failure, openAt });
    });
  }

  async #current(records: Records, { tenantId, run }: TakenRun): Promise<SearchRun> {
    const current = await records.searchRun(tenantId, run.id);
    const isSame = current?.attempt === run.attempt && current.worker === run.worker;
    if (current?.state === 'RUNNING' && isSame) return current;
    throw new RunLost('The run belongs to another process');
  }

  /** Ends a run whose owner may not search. @returns whether it did */
  async #refuse(records: WritableRecords, taken: TakenRun): Promise<boolean> {
    const reason = await ownerOrRefusal(records, taken.tenantId, taken.run.ownerId);
    if (typeof reason !== 'string') return false;
    await this.#end(records, taken, { state: 'REFUSED', reason });
    return true;
  }

  async #end(
    records: WritableRecords,
    { tenantId, run, search }: TakenRun,
    end: RunEnd | { readonly state: 'REFUSED'; readonly reason: string },
  ): Promise<void> {
    const ended: SearchRun = {
      ...run,
      ...{ state: end.state, reason: 'reason' in end ? end.reason : null },
      ...(end.state === 'COMPLETED' && { results: end.results, views: end.views }),
      ...{ ended: this.#time(), openAt: null },
    };
    await records.putSearchRun(tenantId, ended);
    // Another attempt than this one, of which there is none, keeps no parts.
    const kept = end.state === 'COMPLETED' ? run.attempt : 0;
    await records.keepRunParts(tenantId, { id: run.id, attempt: kept });
    for (const delivery of await this.#deliveriesOf(records, tenantId, ended)) {
      await records.putSearchDelivery(tenantId, delivery);
    }
    if (!isEmpty(ended) || ended.emailEmptyResults) {
      await this.#recordEvent(records, { tenantId, run: ended, search });
    }
    await deleteOldRuns(records, tenantId, run.savedSearchId, this.#options.runsKept);
  }

  async #deliveriesOf(
    records: Records,
    tenantId: string,
    run: SearchRun,
  ): Promise<readonly SearchDelivery[]> {
    const openAt = this.#options.leaseClock.now();
    const delivery: Omit<SearchDelivery, 'id' | 'channel' | 'recipientId'> = {
      ...{ runId: run.id, savedSearchId: run.savedSearchId, address: null, state: 'WAITING' },
      ...{ attempts: 0, created: this.#time(), delivered: null, reason: null, openAt },
    };
    const recipients = await recipientsOf(records, tenantId, run);
    const mails = recipients.map((recipientId) => {
      return { ...delivery, id: randomUUID(), channel: 'EMAIL', recipientId } as const;
    });
    if (!this.#options.webhook) return mails;
    const hook = { ...delivery, id: randomUUID(), channel: 'WEBHOOK', recipientId: null } as const;
    return [...mails, hook];
  }

  /**
   * The completion event of the contract, section 8. A run without results has none, unless it is
   * one whose empty results are wanted.
   */
  async #recordEvent(records: WritableRecords, { tenantId, run, search }: TakenRun): Promise<void> {
    const owner = await records.authUser(tenantId, run.ownerId);
    const completion = completionOf({ run, search, owner });
    const { searchResults, ...texts } = completion;
    const actor = { name: completion.ownerName, id: run.ownerId, origin: null };
    await recordAuditEvent(
      records,
      tenantId,
      { actor, now: run.ended ?? run.created },
      {
        act: 'SAVED_SEARCH_COMPLETE',
        target: search.name || search.id,
        status: run.state === 'COMPLETED' ? 'PASSED' : 'FAILED',
        attributes: {
          ...{ savedSearchId: search.id, runId: run.id, ...texts },
          ...(run.scheduleId === null ? {} : { scheduledSearchId: run.scheduleId }),
          ...(run.due === null ? {} : { due: run.due }),
          ...(run.reason === null ? {} : { reason: run.reason }),
          // The audit trail is kept for ever, so it holds values of documents only where the owner
          // has chosen to show them.
          searchResults: JSON.stringify(searchResults),
          signedS3Url: `${this.#options.baseUrl() ?? ''}${resultsPath(run)}`,
        },
      },
    );
  }

  #time(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

/** Deletes the ended runs of a search but the last ones and those with deliveries that wait. */
export async function deleteOldRuns(
  records: WritableRecords,
  tenantId: string,
  savedSearchId: string,
  runsKept: number,
): Promise<void> {
  const runs = await records.searchRuns(tenantId, savedSearchId);
  const old = runs.filter(({ openAt }) => openAt === null).slice(runsKept);
  for (const { id } of old) {
    // A delivery sends the results of its run.
    if (await records.hasOpenDeliveries(tenantId, id)) continue;
    await records.deleteSearchRun(tenantId, id);
  }
}

/** Records that tell who the owner of a run is now. */
type OwnerRecords = Pick<Records, 'tenantById' | 'userStatus' | 'view'>;

/** The owner of a run as of now, or why they may not search, in one sentence. */
async function ownerOrRefusal(
  records: OwnerRecords,
  tenantId: string,
  ownerId: string,
): Promise<Reader | string> {
  if ((await records.tenantById(tenantId)) === null) return 'The tenant does not exist any more.';
  const status = await records.userStatus(tenantId, ownerId);
  if (status === null) return 'The owner is no auth user of the tenant.';
  const { enabled, capabilities, view } = status;
  if (!enabled) return 'The owner is disabled.';
  const owner: Reader = {
    ...{ tenantId, identityId: ownerId, capabilities, scopes: [ALL_SCOPES], ownerCapabilities: [] },
    views: await viewsInForce(records, tenantId, view === null ? [] : [view]),
    current: () => ownerOf(records, tenantId, ownerId),
  };
  return mayDo(owner, 'search') ? owner : 'The owner has no user level that may search.';
}

/**
 * The owner of a run as of now.
 * @throws ServiceError `forbidden` if they may not search, `unavailable`
 */
export async function ownerOf(
  records: OwnerRecords,
  tenantId: string,
  ownerId: string,
): Promise<Reader> {
  const owner = await ownerOrRefusal(records, tenantId, ownerId);
  if (typeof owner === 'string') throw new ServiceError('forbidden', owner);
  return owner;
}

/** Whether a run completed without results. */
function isEmpty({ state, results }: SearchRun): boolean {
  return state === 'COMPLETED' && results.every(({ count }) => count === 0);
}

/**
 * Those who get an e-mail: for a schedule, those who are its recipients now, while it is enabled and
 * has not expired.
 */
async function recipientsOf(
  records: Records,
  tenantId: string,
  run: SearchRun,
): Promise<readonly string[]> {
  if (run.state !== 'COMPLETED') return [];
  // Whoever asks for a run without a schedule waits for its e-mail.
  if (run.scheduleId === null) return run.recipients;
  if (isEmpty(run) && !run.emailEmptyResults) return [];
  const schedule = await records.scheduledSearch(tenantId, run.scheduleId);
  if (schedule === null || !schedule.enabled) return [];
  const { expiration } = schedule.schedule;
  const isExpired =
    expiration !== null && Date.parse(run.due ?? run.created) > Date.parse(expiration);
  return isExpired ? [] : schedule.recipients;
}
