// Answers of the public API that are no success, and the warnings of those that are: the formats of
// errors (contract: auth-users.md section 1) and of `Warning` headers.
import { gunzipSync } from 'node:zlib';
import type { OutboundResponse } from '../auth/outbound.ts';
import { ServiceError } from '../errors.ts';
import { escapeLines } from '../json/escaped-text.ts';
import { shownText } from './remote-text.ts';

/** The service refused a request; the message says which one, with the summary and the first cause. */
export class ServiceRefusal extends ServiceError {
  readonly status: number;
  readonly path: string;
  /** Of Retry-After; null without one. */
  readonly retryAfterMs: number | null;
  /** The summary of the error, escaped for terminals; null if the body is in no known format. */
  readonly summary: string | null;
  /** Its causes, one for each fault of the request. */
  readonly causes: readonly string[];

  constructor(method: string, url: URL, response: OutboundResponse) {
    const { status, headers } = response;
    const { summary, causes } = reasonsIn(response);
    const reasons = [summary, causes.find((cause) => cause !== summary)];
    const shown = reasons.flatMap((text) => (text == null ? [] : shownText(text, REASON_MAX)));
    const reason = shown.join(' ');
    const answered = `${method} ${url.origin}${url.pathname} answered ${status}`;
    super('unavailable', reason === '' ? answered : `${answered}: ${reason}`);
    this.status = status;
    this.path = url.pathname;
    this.retryAfterMs = retryAfterMs(headers);
    this.summary = summary;
    this.causes = causes;
  }

  /** The causes, or else the summary, for the author of the request. */
  get reasons(): readonly string[] {
    return this.causes.length > 0 ? this.causes : [this.summary ?? this.message];
  }
}

/** Far more than any error needs. */
const BYTES_MAX = 100_000;
/** Characters of the summary, and of the cause. */
const REASON_MAX = 200;
/** The longest wait that is read from a header of any number of digits. */
const SECONDS_MAX = 1e12;

interface ErrorBody {
  readonly messages?: unknown;
  readonly causes?: unknown;
  readonly error_description?: unknown;
  readonly message?: unknown;
  readonly error?: unknown;
}

/** The reasons in an error of any of the public formats. */
function reasonsIn({ headers, body }: OutboundResponse): {
  readonly summary: string | null;
  readonly causes: readonly string[];
} {
  try {
    const isPacked = headers['content-encoding']?.toLowerCase() === 'gzip';
    const bytes = isPacked ? gunzipSync(body, { maxOutputLength: BYTES_MAX }) : body;
    if (bytes.length > BYTES_MAX) return { summary: null, causes: [] };
    const error = JSON.parse(bytes.toString()) as ErrorBody;
    const [message = error.error_description ?? error.message ?? error.error] = textsOf(
      error.messages,
    );
    return {
      summary: typeof message === 'string' ? escapeLines(message) : null,
      causes: textsOf(error.causes),
    };
  } catch {
    return { summary: null, causes: [] };
  }
}

function textsOf(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: { text?: unknown } | null) =>
    typeof item?.text === 'string' ? [escapeLines(item.text)] : [],
  );
}

/** Retry-After: seconds, or a date (RFC 9110 section 10.2.3) by the clock of the service. */
function retryAfterMs({ 'retry-after': value, date }: OutboundResponse['headers']): number | null {
  if (value === undefined) return null;
  const sentAt = Date.parse(date ?? '');
  const now = Number.isNaN(sentAt) ? Date.now() : sentAt;
  const seconds = /^\d+$/.test(value.trim())
    ? Math.min(Number(value), SECONDS_MAX)
    : (Date.parse(value) - now) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1_000) : null;
}

/** The texts of the header `Warning` (RFC 7234 section 5.5): `299 - "text", …`. */
export function warningTexts(header: string | undefined): readonly string[] {
  const quoted = (header ?? '').matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g);
  return [...quoted].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}
