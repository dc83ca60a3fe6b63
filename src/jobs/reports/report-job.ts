// Runs saved searches in the background: starts those whose schedules are due and those that were
// requested, and delivers their results. Each node looks for work twice a second; transactions of the
// store, which happen one after the other on all nodes, decide who gets it.
// Invariant: each due time starts one run, because the transaction that adds the run also moves the
// schedule on. Times that passed while no node was running, or while the last run of the schedule
// waited, start one run together.
// Invariant: a tenant has at most one run at a time on each node, and tenants take turns.

import type { Zone } from 'luxon';
import { ServiceError } from '../../errors.ts';
import { withAbort } from '../../scheduling/abort.ts';
import { BackgroundLoop } from '../../scheduling/background-loop.ts';
import type { ScheduledSearch, SearchRun } from '../../service/ports/saved-search-records.ts';
import type { Records, Store } from '../../service/ports/store.ts';
import { nextDue } from '../../service/saved-searches/due-times.ts';
import { waitingRun } from '../../service/saved-searches/saved-searches.ts';
import { scheduleZone } from '../../service/saved-searches/scheduled-searches.ts';
import type { Search } from '../../service/searching/search.ts';
import { viewsKey } from '../../service/views/views-in-force.ts';
import type { Log } from '../../telemetry/log.ts';
import { type DeliveryChannels, DeliveryJob } from './delivery-job.ts';
import type { LeaseClock } from './lease-clock.ts';
import { executeSearch, type RunLimits } from './run-execution.ts';
import { ownerOf, RunLost, RunRecords, type TakenRun } from './run-records.ts';
import { TenantTurns } from './tenant-turns.ts';

export interface ReportParts extends DeliveryChannels {
  readonly store: Store;
  readonly search: Pick<Search, 'walk' | 'checker' | 'shownColumns'>;
}

export interface ReportOptions {
  /** Name of this process, unique among those that share the store. */
  readonly worker: string;
  readonly log: Log;
  /** The clock of the use cases, by which schedules are due. */
  readonly clock: { now(): number };
  /** The clock that all processes share, for leases and retries. */
  readonly leaseClock: LeaseClock;
  /** Zone of schedules that have none. */
  readonly zone: Zone;
  readonly limits: RunLimits;
  readonly runsKept: number;
  baseUrl(): string | null;
  /** Milliseconds between two looks for work. */
  readonly pollMs?: number;
  /** Length of the lease of a run; longer than a page of a search may take. */
  readonly leaseMs?: number;
  /** Runs at the same time on this node. */
  readonly runsMax?: number;
  /** While so many deliveries of a tenant wait, its runs wait, too. */
  readonly openDeliveriesMax?: number;
}

const DUE_SCHEDULES = 100;
/** Faults of the request itself, which another attempt would meet again. */
const FINAL: readonly string[] = [
  ...['body_malformed', 'request_invalid', 'query_malformed', 'limit_exceeded'],
  ...['deadline_exceeded', 'not_found'],
];

export class ReportJob {
  readonly #parts: ReportParts;
  readonly #options: Required<ReportOptions>;
  readonly #records: RunRecords;
  readonly #deliveries: DeliveryJob;
  readonly #loop = new BackgroundLoop();
  /** The runs of this node by tenant. */
  readonly #runs = new Map<string, Promise<void>>();
  readonly #turns = new TenantTurns();
  #failed = false;

  constructor(parts: ReportParts, options: ReportOptions) {
    this.#parts = parts;
    const defaults = { pollMs: 500, leaseMs: 30_000, runsMax: 2, openDeliveriesMax: 10_000 };
    this.#options = { ...defaults, ...options };
    const webhook = parts.webhook !== null;
    this.#records = new RunRecords(parts.store, { ...this.#options, webhook });
    this.#deliveries = new DeliveryJob(parts.store, parts, this.#options);
  }

  /** Why saved searches do not run, in one sentence; null: they do. */
  get warning(): string | null {
    return this.#failed ? 'Saved searches could not be run; the log says why.' : null;
  }

  start(): void {
    const { log, pollMs } = this.#options;
    const look = async () => {
      await this.look();
      this.#failed = false;
      return pollMs;
    };
    this.#loop.repeat(0, look, (err) => {
      if (!this.#failed) log.warn({ err }, 'Saved searches could not be run; it is tried again');
      this.#failed = true;
      return pollMs;
    });
  }

  /** Ends the runs and deliveries of this node, which others or the next start repeat. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all([...this.#runs.values(), this.#deliveries.stop()]);
  }

  /** Looks for work once, and starts it. */
  async look(): Promise<void> {
    await this.#options.leaseClock.refresh();
    await this.#startDueSchedules();
    await this.#startRuns();
    await this.#deliveries.look();
  }

  async #startDueSchedules(): Promise<void> {
    const { store } = this.#parts;
    const { clock, zone } = this.#options;
    for (let found = DUE_SCHEDULES; found === DUE_SCHEDULES && !this.#loop.signal.aborted; ) {
      const due = await store.read.dueSchedules(clock.now(), DUE_SCHEDULES);
      found = due.length;
      for (const { tenantId, schedule: listed } of due) {
        await store.write(async (records) => {
          const schedule = await records.scheduledSearch(tenantId, listed.id);
          const now = clock.now();
          if (schedule === null || schedule.nextDue === null || schedule.nextDue > now) return;
          const next = nextDue(schedule.schedule, now, scheduleZone(schedule.schedule, zone));
          await records.putScheduledSearch(tenantId, { ...schedule, nextDue: next });
          if (await isWaiting(records, tenantId, schedule)) return;
          const run = waitingRun({
            ...{ savedSearchId: schedule.savedSearchId, scheduleId: schedule.id },
            ...{ ownerId: schedule.ownerId, recipients: schedule.recipients },
            emailEmptyResults: schedule.emailEmptyResults,
            displayQueryDetails: schedule.displayQueryDetails,
            due: new Date(schedule.nextDue).toISOString(),
            created: new Date(now).toISOString(),
          });
          await records.putSearchRun(tenantId, run);
        });
      }
    }
  }

  async #startRuns(): Promise<void> {
    const { runsMax, openDeliveriesMax } = this.#options;
    if (this.#runs.size >= runsMax) return;
    const { read } = this.#parts.store;
    const open = await read.openRuns(this.#records.due());
    const runs = new Map(open.map(({ tenantId, run }) => [tenantId, run]));
    for (const tenantId of this.#runs.keys()) runs.delete(tenantId);
    for (const tenantId of this.#turns.inOrder(runs.keys(), this.#runs.keys())) {
      if (this.#runs.size >= runsMax || this.#loop.signal.aborted) return;
      if ((await read.openDeliveryCount(tenantId)) >= openDeliveriesMax) continue;
      this.#turns.take(tenantId);
      const run = runs.get(tenantId) as SearchRun;
      const done = this.#run(tenantId, run).finally(() => this.#runs.delete(tenantId));
      this.#runs.set(tenantId, done);
    }
  }

  async #run(tenantId: string, { id }: SearchRun): Promise<void> {
    const { log } = this.#options;
    try {
      const taken = await this.#records.take(tenantId, id);
      if (taken === null) return;
      const { signal } = this.#loop;
      await withAbort({ signal }, (ending) => this.#execute(taken, ending));
    } catch (err) {
      if (err instanceof RunLost) log.info({ run: id }, 'A run was taken up by another process');
      else log.warn({ err, run: id }, 'A run could not be ended; it is repeated after its lease');
    }
  }

  async #execute(taken: TakenRun, ending: AbortController): Promise<void> {
    const { tenantId, search } = taken;
    const { signal } = ending;
    const renewal = this.#keepLease(taken, ending);
    try {
      const reader = await ownerOf(this.#parts.store.read, tenantId, taken.run.ownerId);
      const results = await executeSearch(this.#parts.search, search, this.#options.limits, {
        ...{ reader, signal },
        writePart: (type, part, bytes) => this.#records.addPart(taken, { type, part, bytes }),
      });
      const views = viewsKey(reader.views);
      await this.#records.end(taken, { state: 'COMPLETED', results, views });
    } catch (error) {
      if (error instanceof RunLost) throw error;
      if (this.#loop.signal.aborted) await this.#records.release(taken, null);
      else if (isFinal(error)) {
        await this.#records.end(taken, { state: 'FAILED', reason: reasonOf(error) });
      } else {
        this.#options.log.warn({ err: error, run: taken.run.id }, 'A run failed; it is repeated');
        await this.#records.release(taken, reasonOf(error));
      }
    } finally {
      clearInterval(renewal);
    }
  }

  /** Renews the lease while the run lasts, and cancels the run when it is lost. */
  #keepLease(taken: TakenRun, ending: AbortController): NodeJS.Timeout {
    const { log, leaseMs } = this.#options;
    const renew = () =>
      this.#records.renew(taken).catch((err: unknown) => {
        if (err instanceof RunLost) ending.abort(err);
        else log.warn({ err, run: taken.run.id }, 'The lease of a run could not be renewed');
      });
    return setInterval(renew, leaseMs / 3).unref();
  }
}

/** Whether the last run of a schedule has not begun yet. */
async function isWaiting(
  records: Pick<Records, 'searchRuns'>,
  tenantId: string,
  { id, savedSearchId }: ScheduledSearch,
): Promise<boolean> {
  const runs = await records.searchRuns(tenantId, savedSearchId);
  return runs.some(({ scheduleId, state }) => scheduleId === id && state === 'WAITING');
}

function isFinal(error: unknown): boolean {
  return error instanceof ServiceError && FINAL.includes(error.code);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [cause] = error instanceof ServiceError ? (error.details.causes ?? []) : [];
  return cause ?? error.message;
}
