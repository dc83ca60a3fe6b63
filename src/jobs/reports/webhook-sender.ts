// Posts the end of runs to a webhook, signed: `Cardea-Signature` is `v1=` and the HMAC-SHA256 of
// `TIMESTAMP.BODY` in hexadecimal, where TIMESTAMP is the header `Cardea-Timestamp`, epoch seconds.
// Receivers refuse old timestamps, and recognise a repetition by `Cardea-Delivery`.
import { createHmac } from 'node:crypto';
import { OutboundRefused, type OutboundSender } from '../../auth/outbound.ts';
import type { SearchDelivery } from '../../service/ports/saved-search-records.ts';
import { resultsPath } from './completion.ts';
import { NeverDeliverable } from './mail-sender.ts';
import type { RunReport } from './run-report.ts';

export interface WebhookOptions {
  readonly url: string;
  readonly secret: string;
  readonly sender: OutboundSender;
  /** The system clock, for the timestamp. */
  readonly clock: { now(): number };
  baseUrl(): string | null;
}

/** Statuses that are worth another attempt besides those of 500 and above (RFC 9110, RFC 6585). */
const TEMPORARY: readonly number[] = [408, 409, 425, 429];

export class WebhookSender {
  readonly #options: WebhookOptions;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  /** The origin, for the log of deliveries: the path may be a secret of the operator. */
  get address(): string {
    return new URL(this.#options.url).origin;
  }

  /**
   * @param signal ends the attempt
   * @throws NeverDeliverable, ServiceError `unavailable`
   */
  async send(
    delivery: Pick<SearchDelivery, 'id'>,
    report: RunReport,
    signal: AbortSignal,
  ): Promise<void> {
    const { url, secret, sender, clock } = this.#options;
    const body = JSON.stringify(this.#body(delivery, report));
    const timestamp = String(Math.floor(clock.now() / 1000));
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'cardea-delivery': delivery.id,
      'cardea-timestamp': timestamp,
      'cardea-signature': webhookSignature(secret, timestamp, body),
    };
    try {
      const { status } = await sender.send(new URL(url), { method: 'POST', headers, body, signal });
      if (status >= 200 && status <= 299) return;
      const text = `The webhook answered ${status}.`;
      if (status < 500 && !TEMPORARY.includes(status)) throw new NeverDeliverable(text);
      throw new Error(text);
    } catch (error) {
      throw error instanceof OutboundRefused ? new NeverDeliverable(error.message) : error;
    }
  }

  close(): void {
    this.#options.sender.end();
  }

  #body({ id }: Pick<SearchDelivery, 'id'>, report: RunReport): object {
    const { run, search, completion, tenant } = report;
    const { query, ...members } = completion;
    return {
      id,
      type: run.state === 'COMPLETED' ? 'saved-search.completed' : 'saved-search.failed',
      tenant: { id: tenant.id, name: tenant.name },
      savedSearchId: search.id,
      scheduledSearchId: run.scheduleId,
      runId: run.id,
      ...{ state: run.state, reason: run.reason, due: run.due, ended: run.ended },
      ...members,
      ...(run.displayQueryDetails ? { query } : {}),
      resultsUrl:
        run.state === 'COMPLETED' ? `${this.#options.baseUrl() ?? ''}${resultsPath(run)}` : null,
    };
  }
}

/** The value of `Cardea-Signature`. */
export function webhookSignature(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}
