// Sends spans to a collector: OTLP over HTTP, as JSON (opentelemetry-proto, trace/v1). Some hundred lines in place of an SDK
// with its generated code, since all that is wanted is this one message.
// Invariant: memory is bounded and no request waits: spans that the collector does not take in time are dropped and counted.

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

/** Where it is told that a collector does not take spans; a pino logger fits. */
export interface ExporterLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface ExporterOptions {
  /** Without `/v1/traces`. */
  readonly url: string;
  readonly version: string;
  readonly log: ExporterLog;
}

const EVERY_MS = 1_000;
const BATCH = 512;
const PENDING_MAX = 4_096;
const ANSWER_MS = 5_000;
/** SpanKind of the protocol. */
const KINDS = { internal: 1, server: 2, client: 3 } as const;
const STATUS_ERROR = 2;

export class OtlpExporter {
  readonly #options: ExporterOptions;
  #pending: Span[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #failing = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  add(span: Span): void {
    if (this.#pending.length >= PENDING_MAX) {
      this.#dropped++;
      return;
    }
    this.#pending.push(span);
    this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS).unref();
  }

  /** Sends all that is pending, a batch at a time; what fails is dropped. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, BATCH);
      try {
        await this.#send(batch);
        this.#took();
      } catch (error) {
        this.#dropped += batch.length;
        this.#failed(error);
      }
    }
  }

  async #send(spans: readonly Span[]): Promise<void> {
    const answer = await fetch(`${this.#options.url}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(messageOf(spans, this.#options.version)),
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'error',
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`The collector answers ${answer.status}`);
  }

  #took(): void {
    if (!this.#failing) return;
    this.#failing = false;
    this.#options.log.info({ dropped: this.#dropped }, 'The collector takes traces again');
    this.#dropped = 0;
  }

  #failed(err: unknown): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#options.log.warn({ err }, 'The collector does not take traces: they are dropped');
  }
}

function messageOf(spans: readonly Span[], version: string): object {
  const resource = { 'service.name': 'cardea', 'service.version': version };
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'cardea', version }, spans: spans.map(onTheWire) }],
      },
    ],
  };
}

function onTheWire(span: Span): object {
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
    // The protocol's JSON has 64-bit integers as texts.
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }));
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}
