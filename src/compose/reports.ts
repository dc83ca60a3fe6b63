// Opens the background work of saved searches with its ways to deliver. Part of compose.ts, which
// alone imports it.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { type Clock, systemClock } from '../auth/clock.ts';
import { outboundSender } from '../auth/outbound.ts';
import type { Config } from '../config/config.ts';
import { StoreClock } from '../jobs/reports/lease-clock.ts';
import { openMailSender } from '../jobs/reports/mail-sender.ts';
import { ReportJob } from '../jobs/reports/report-job.ts';
import { WebhookSender } from '../jobs/reports/webhook-sender.ts';
import type { Store } from '../service/ports/store.ts';
import { UTC_ZONE, zoneOf } from '../service/saved-searches/local-time.ts';
import type { Search } from '../service/searching/search.ts';

/** The parts of a server that reports use. */
export interface ReportsParts {
  readonly store: Store;
  readonly search: Search;
  readonly log: Logger;
  /** The clock of the use cases. */
  readonly clock: Clock;
  /** The public address; null: not known yet. */
  baseUrl(): string | null;
}

const WEBHOOK_MS = 15_000;
const PAGE_SIZE = 100;

/** The zone of schedules that name none. */
export function reportZone({ reportTimeZone }: Config) {
  return zoneOf(reportTimeZone) ?? UTC_ZONE;
}

/** Creates the background work, not yet started. */
export async function openReports(
  config: Config,
  { store, search, log, clock, baseUrl }: ReportsParts,
): Promise<ReportJob> {
  const { smtp, webhook } = config;
  const mail = smtp === null ? null : await openMailSender(smtp.url, smtp.from);
  const sender = () =>
    outboundSender({
      allowPrivateAddresses: config.allowPrivateUrls,
      timeoutMs: WEBHOOK_MS,
    });
  const hook =
    webhook === null
      ? null
      : new WebhookSender({ ...webhook, sender: sender(), clock: systemClock, baseUrl });
  return new ReportJob(
    { store, search, mail, webhook: hook },
    {
      ...{
        worker: `${hostname()} ${process.pid} ${randomUUID()}`,
        log,
        clock,
        leaseClock: new StoreClock(store),
        baseUrl,
        runsKept: config.reportRunsKept,
      },
      zone: reportZone(config),
      limits: {
        ...{ rows: config.reportRows, bytes: config.reportBytes },
        timeMs: config.reportSeconds * 1_000,
        pageSize: Math.min(PAGE_SIZE, config.limits.maxWindow),
      },
    },
  );
}
