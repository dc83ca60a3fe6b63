// Delivers the results of runs by e-mail and webhook, with retries. A delivery is marked before each
// attempt and after it; one whose process died in between is attempted again with the same id.
// Invariant: results are sent only while their owner may read them and their recipient is not disabled,
// which is checked before each attempt.
// Invariant: a delivery that was confirmed and recorded is never attempted again. An attempt whose
// record was lost with its process is repeated, since neither SMTP nor HTTP can be part of a
// transaction: receivers recognise the repetition by the id (Message-ID, Cardea-Delivery).
import { ServiceError } from '../../errors.ts';
import type {
  DueTimes,
  SearchDelivery,
  SearchRun,
} from '../../service/ports/saved-search-records.ts';
import type { Records, Store, WritableRecords } from '../../service/ports/store.ts';
import { viewsKey } from '../../service/views/views-in-force.ts';
import type { Log } from '../../telemetry/log.ts';
import { identityAddress } from './identity-address.ts';
import { dueTimes, isDue } from './lease-clock.ts';
import { type MailSender, NeverDeliverable } from './mail-sender.ts';
import { reportMail } from './report-mail.ts';
import { deleteOldRuns, ownerOf } from './run-records.ts';
import { type RunReport, readReport } from './run-report.ts';
import { TenantTurns } from './tenant-turns.ts';
import type { WebhookSender } from './webhook-sender.ts';

/** The ways to deliver; null: not configured. */
export interface DeliveryChannels {
  readonly mail: MailSender | null;
  readonly webhook: WebhookSender | null;
}

export interface DeliveryOptions {
  readonly log: Log;
  readonly clock: { now(): number };
  /** The clock that all processes share, for leases and retries. */
  readonly leaseClock: { now(): number };
  /** Runs of a saved search that are kept; more only while their deliveries wait. */
  readonly runsKept: number;
  baseUrl(): string | null;
}

/** Deliveries at the same time, and those of one tenant. */
const DELIVERIES_MAX = 4;
const DELIVERIES_OF_TENANT_MAX = 2;
/** Longer than any attempt. */
const LEASE_MS = 180_000;
/** Waiting times double from 5 seconds to an hour: attempts end after some four hours. */
const ATTEMPTS_MAX = 13;
const RETRY_MS = 5_000;
const RETRY_MS_MAX = 3_600_000;
/** Time for the attempts under way when the process stops. */
const STOP_MS = 2_000;

/** An attempt of this node. */
interface Attempt {
  readonly tenantId: string;
  /** Ends it; the delivery then waits for another one. */
  readonly cancel: AbortController;
  readonly done: Promise<void>;
}

export class DeliveryJob {
  readonly #store: Store;
  readonly #channels: DeliveryChannels;
  readonly #options: DeliveryOptions;
  /** By the id of the delivery. */
  readonly #running = new Map<string, Attempt>();
  readonly #turns = new TenantTurns();
  #stopped = false;

  constructor(store: Store, channels: DeliveryChannels, options: DeliveryOptions) {
    this.#store = store;
    this.#channels = channels;
    this.#options = options;
  }

  /** Starts the deliveries that are due, as many as there are places; tenants take turns. */
  async look(): Promise<void> {
    if (this.#running.size >= DELIVERIES_MAX) return;
    const { read } = this.#store;
    const due = this.#due();
    const waiting = await read.tenantsWithDueDeliveries(due);
    for (const tenantId of this.#turns.inOrder(waiting, this.#runningTenants())) {
      for (const { id } of await read.dueDeliveries(tenantId, due, DELIVERIES_OF_TENANT_MAX)) {
        if (this.#stopped || this.#running.size >= DELIVERIES_MAX) return;
        const ofTenant = this.#runningTenants().filter((other) => other === tenantId);
        if (ofTenant.length >= DELIVERIES_OF_TENANT_MAX) break;
        if (!this.#running.has(id)) this.#start(tenantId, id);
      }
    }
  }

  /** The tenant of each attempt. */
  #runningTenants(): string[] {
    return [...this.#running.values()].map(({ tenantId }) => tenantId);
  }

  #start(tenantId: string, id: string): void {
    this.#turns.take(tenantId);
    const cancel = new AbortController();
    const done = this.#attempt(tenantId, id, cancel.signal)
      .catch((err: unknown) => {
        this.#options.log.warn({ err, delivery: id }, 'A delivery could not be recorded');
      })
      .finally(() => this.#running.delete(id));
    this.#running.set(id, { tenantId, cancel, done });
  }

  /** Waits a moment for the attempts under way, and gives back what has not ended by then. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const attempts = [...this.#running.values()];
    const timer = setTimeout(() => {
      for (const { cancel } of attempts) cancel.abort();
    }, STOP_MS);
    await Promise.all(attempts.map(({ done }) => done));
    clearTimeout(timer);
    this.#channels.mail?.close();
    this.#channels.webhook?.close();
  }

  #due(): DueTimes {
    return dueTimes(this.#options.leaseClock, RETRY_MS_MAX);
  }

  async #attempt(tenantId: string, id: string, signal: AbortSignal): Promise<void> {
    const taken = await this.#take(tenantId, id);
    if (taken === null) return;
    const outcome = await this.#send(tenantId, taken, signal);
    await this.#store.write(async (records) => {
      const delivery = await records.searchDelivery(tenantId, id);
      // Deleted with its saved search, or taken up after the lease.
      if (delivery?.attempts !== taken.attempts || delivery.state !== 'SENDING') return;
      const next = { ...delivery, ...outcome };
      await records.putSearchDelivery(tenantId, next);
      if (next.openAt === null) await this.#deleteOldRuns(records, tenantId, next);
    });
  }

  /** Deletes runs that were kept for deliveries only, once the last one of a run has ended. */
  async #deleteOldRuns(
    records: WritableRecords,
    tenantId: string,
    { runId, savedSearchId }: SearchDelivery,
  ): Promise<void> {
    if (await records.hasOpenDeliveries(tenantId, runId)) return;
    await deleteOldRuns(records, tenantId, savedSearchId, this.#options.runsKept);
  }

  async #take(tenantId: string, id: string): Promise<SearchDelivery | null> {
    return this.#store.write(async (records) => {
      const delivery = await records.searchDelivery(tenantId, id);
      const due = this.#due();
      if (delivery === null || !isDue(delivery.openAt, due)) return null;
      const attempts = delivery.attempts + 1;
      const taken = {
        ...delivery,
        state: 'SENDING',
        attempts,
        openAt: due.now + LEASE_MS,
      } as const;
      await records.putSearchDelivery(tenantId, taken);
      return taken;
    });
  }

  /** Attempts a delivery. @returns the members that it changes */
  async #send(
    tenantId: string,
    delivery: SearchDelivery,
    signal: AbortSignal,
  ): Promise<Partial<SearchDelivery>> {
    const { read } = this.#store;
    let address: string | null = delivery.address;
    try {
      const report = await readReport(read, tenantId, delivery.runId);
      await refuseLostRight(read, tenantId, report.run);
      if (delivery.channel === 'WEBHOOK') {
        address = this.#channels.webhook?.address ?? null;
        await this.#post(delivery, report, signal);
      } else {
        address = await this.#addressOf(read, tenantId, delivery);
        await this.#mail(delivery, report, address, signal);
      }
      const delivered = new Date(this.#options.clock.now()).toISOString();
      return { state: 'DELIVERED', address, delivered, reason: null, openAt: null };
    } catch (error) {
      // A stop is no failed attempt.
      if (signal.aborted) return { state: 'WAITING', attempts: delivery.attempts - 1, openAt: 0 };
      if (error instanceof NotAllowed || isForbidden(error)) {
        return { state: 'SKIPPED', address, reason: error.message, openAt: null };
      }
      return { address, ...this.#failure(delivery, error as Error) };
    }
  }

  #failure(
    { id, attempts, channel }: SearchDelivery,
    error: Error,
  ): Pick<SearchDelivery, 'state' | 'reason' | 'openAt'> {
    const { log, leaseClock } = this.#options;
    const isFinal = error instanceof NeverDeliverable || attempts >= ATTEMPTS_MAX;
    const waitMs = Math.min(RETRY_MS * 2 ** (attempts - 1), RETRY_MS_MAX);
    const retryMs = isFinal ? null : waitMs;
    log.warn({ err: error, delivery: id, channel, attempts, retryMs }, 'A delivery failed');
    return {
      state: isFinal ? 'FAILED' : 'WAITING',
      reason: error.message,
      openAt: isFinal ? null : leaseClock.now() + waitMs,
    };
  }

  async #addressOf(records: Records, tenantId: string, { recipientId }: SearchDelivery) {
    if (this.#channels.mail === null) {
      throw new NotAllowed('E-mail is not configured: CARDEA_SMTP_URL is not set.');
    }
    const id = recipientId ?? '';
    const status = await records.personStatus(tenantId, id);
    if (status?.enabled === false) throw new NotAllowed('The recipient is disabled.');
    if (status !== null && 'deleted' in status && status.deleted) {
      throw new NotAllowed('The recipient was deleted from the auth users.');
    }
    // The owner of the run may have seen more.
    if (status !== null && 'view' in status && status.view !== null) {
      throw new NotAllowed('A view restricts the recipient, and does not show results of runs.');
    }
    const address = await identityAddress(records, tenantId, id);
    if (address === null) throw new NotAllowed('The recipient has no e-mail address.');
    return address;
  }

  async #mail(
    delivery: SearchDelivery,
    report: RunReport,
    to: string,
    signal: AbortSignal,
  ): Promise<void> {
    const mail = reportMail(report, { to, id: delivery.id, ...this.#options });
    await this.#channels.mail?.send(mail, signal);
  }

  async #post(delivery: SearchDelivery, report: RunReport, signal: AbortSignal): Promise<void> {
    const { webhook } = this.#channels;
    if (webhook === null) {
      throw new NotAllowed('The webhook is not configured: CARDEA_WEBHOOK_URL is not set.');
    }
    await webhook.send(delivery, report, signal);
  }
}

function isForbidden(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'forbidden';
}

/** It cannot or must not be delivered; the message says why. */
class NotAllowed extends Error {}

/** @throws ServiceError `forbidden`, or NotAllowed, if the owner may not read the results any more */
async function refuseLostRight(records: Records, tenantId: string, run: SearchRun): Promise<void> {
  // A run that failed has no results: what is sent says only that it did.
  if (run.state !== 'COMPLETED') return;
  const { views } = await ownerOf(records, tenantId, run.ownerId);
  if (viewsKey(views) === run.views) return;
  throw new NotAllowed('What the owner may see has changed since the run.');
}
