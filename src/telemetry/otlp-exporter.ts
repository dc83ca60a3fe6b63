// Sends spans to a collector by OTLP over HTTP, as JSON (opentelemetry-proto, trace/v1). It
// replaces the SDK with its generated code, since only this one message is needed.
// Invariant: memory is bounded and no request waits: spans that the collector does not accept in
// time are dropped and counted.
import { withAbort } from '../scheduling/abort.ts';
import type { Log } from './log.ts';

/** A span that has ended. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly kind: 'server' | 'internal' | 'client';
  /** Epoch milliseconds, with fractions. */
  readonly start: number;
  readonly end: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string | number>>;
}

export interface ExporterOptions {
  /** Base URL, without `/v1/traces`. */
  readonly url: string;
  readonly version: string;
  readonly log: Log;
}

const FLUSH_MS = 1_000;
const BATCH = 512;
const PENDING_MAX = 4_096;
const RESPONSE_MS = 5_000;
/** Time for pending spans when the process stops. */
const CLOSE_MS = 2_000;
/** SpanKind of the protocol. */
const KINDS = { internal: 1, server: 2, client: 3 } as const;
const STATUS_ERROR = 2;

export class OtlpExporter {
  readonly #options: ExporterOptions;
  #pending: Span[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  /** Ends the request under way when the process stops. */
  readonly #cancel = new AbortController();
  #failing = false;
  #isClosed = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  add(span: Span): void {
    if (this.#isClosed || this.#pending.length >= PENDING_MAX) {
      this.#dropped++;
      return;
    }
    this.#pending.push(span);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Sends all pending spans in batches; failed batches are dropped. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
    await this.#sending;
  }

  /** Sends pending spans for a moment, and drops those that the collector has not accepted by then. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const timer = setTimeout(() => {
      this.#pending = [];
      this.#cancel.abort();
    }, CLOSE_MS);
    await this.flush();
    clearTimeout(timer);
  }

  async #sendAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, BATCH);
      try {
        await this.#send(batch);
        this.#succeeded();
      } catch (error) {
        this.#dropped += batch.length;
        this.#failed(error);
      }
    }
  }

  async #send(spans: readonly Span[]): Promise<void> {
    const body = JSON.stringify(messageOf(spans, this.#options.version));
    const causes = { signal: this.#cancel.signal, timeoutMs: RESPONSE_MS };
    await withAbort(causes, async ({ signal }) => {
      const answer = await fetch(`${this.#options.url}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal,
        redirect: 'error',
      });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`The collector answered ${answer.status}`);
    });
  }

  #succeeded(): void {
    if (!this.#failing) return;
    this.#failing = false;
    this.#options.log.info({ dropped: this.#dropped }, 'The collector accepts traces again');
    this.#dropped = 0;
  }

  #failed(err: unknown): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#options.log.warn({ err }, 'The collector does not accept traces: they are dropped');
  }
}

function messageOf(spans: readonly Span[], version: string): object {
  const resource = { 'service.name': 'cardea', 'service.version': version };
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'cardea', version }, spans: spans.map(otlpSpan) }],
      },
    ],
  };
}

function otlpSpan(span: Span): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId === null ? {} : { parentSpanId: span.parentId }),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanoseconds(span.start),
    endTimeUnixNano: nanoseconds(span.end),
    attributes: attributesOf(span.attributes),
    ...(span.failed ? { status: { code: STATUS_ERROR } } : {}),
  };
}

function attributesOf(attributes: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    // The JSON encoding of the protocol has 64-bit integers as strings.
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }));
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}
