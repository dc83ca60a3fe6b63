// What can be set about the HTTP face, with defaults. Composition fills it from the settings of the service.
import type { Logger } from 'pino';
import type { WindowCounter } from '../auth/window-counter.ts';
import type { Envelope } from './collection.ts';
import type { RateLimitSettings } from './rate-limit.ts';
import type { BodyLimits } from './request-body.ts';
import type { MetricsPage, RequestMeter } from './request-meter.ts';
import type { RequestTracer } from './request-tracer.ts';
import type { ServerLimits, TlsFiles } from './server.ts';

export interface HttpSettings extends BodyLimits, ServerLimits {
  readonly log: Logger;
  readonly clock: { now(): number };
  /** Certificate and key; null: plain HTTP. */
  readonly tls: TlsFiles | null;
  /** Where clients reach the service, without a slash at the end; null: where a request says it came to. */
  readonly publicUrl: string | null;
  /** Per client and API version; null: no limit. */
  readonly rateLimit: RateLimitSettings | null;
  /** Who counts for that limit, by its rules; null: this process. */
  readonly rateCounter: WindowCounter | null;
  /** Searches and counts at a time; more are turned away with 503. */
  readonly maxSearches: number;
  /** Requests that change something at a time; more are turned away with 503. */
  readonly maxWrites: number;
  /** Milliseconds in which a client must have taken an answer. */
  readonly responseTimeoutMs: number;
  /** Milliseconds after which a stop cuts the connections that are still open. */
  readonly stopTimeoutMs: number;
  /** Whether collections of profile management are keyed where nobody asked for metadata. */
  readonly collectionEnvelope: Envelope;
  /** Whether /docs is served. */
  readonly documentation: boolean;
  /** Who measures requests; null: nobody. */
  readonly meter: RequestMeter | null;
  /** Who records the course of requests; null: nobody. */
  readonly tracer: RequestTracer | null;
  /** What is served at /metrics; null: nothing. */
  readonly metricsPage: MetricsPage | null;
  /** Whether /console is served. */
  readonly console: boolean;
}

/** Settings as given: only the log is needed. */
export type HttpOptions = Partial<HttpSettings> & Pick<HttpSettings, 'log'>;

const DEFAULTS: Omit<HttpSettings, 'log'> = {
  clock: { now: () => Date.now() },
  tls: null,
  publicUrl: null,
  rateLimit: null,
  rateCounter: null,
  bodyLimitBytes: 1024 * 1024,
  bodyMemoryBytes: 256 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  headerLimitBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  idleTimeoutMs: 60_000,
  keepAliveTimeoutMs: 72_000,
  maxConnections: 10_000,
  maxSearches: 256,
  maxWrites: 256,
  responseTimeoutMs: 60_000,
  stopTimeoutMs: 8_000,
  collectionEnvelope: 'array',
  documentation: true,
  meter: null,
  tracer: null,
  metricsPage: null,
  console: true,
};

/** The given options over the defaults. */
export function withDefaults(options: HttpOptions): HttpSettings {
  return { ...DEFAULTS, ...options };
}
