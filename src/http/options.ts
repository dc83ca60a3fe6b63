// Options of the HTTP layer. Composition fills them from the settings of the service.
import type { WindowCounter } from '../auth/window-counter.ts';
import type { CooperativeScheduler } from '../scheduling/cooperative.ts';
import type { CapacitySettings } from './admission/capacity.ts';
import type { RateLimitSettings } from './admission/rate-limit.ts';
import type { TlsFiles } from './certificate-pair.ts';
import type { MetricsPage, RequestMeter } from './observers/request-meter.ts';
import type { RequestObserver } from './observers/request-observer.ts';
import type { RequestTracer } from './observers/request-tracer.ts';
import type { ConsoleSettings } from './routes/console.ts';
import type { OAuthSettings } from './routes/oauth.ts';
import type { Envelope } from './routes/profiles/collection.ts';
import type { ServerLimits } from './server.ts';

export interface HttpSettings extends ServerLimits, CapacitySettings, OAuthSettings {
  readonly clock: { now(): number };
  /** Certificate and key; null: plain HTTP. */
  readonly tls: Pick<TlsFiles, 'cert' | 'key'> | null;
  /** Sends Strict-Transport-Security (RFC 6797). */
  readonly strictTransport: boolean;
  /** Per client, and per address without a valid token; null: no limit. */
  readonly rateLimit: RateLimitSettings | null;
  /** Shared counter of that limit; null: a counter of this process. */
  readonly rateCounter: WindowCounter | null;
  /**
   * Shared counter of requests without a valid token, by address; null: a counter of this process.
   */
  readonly addressCounter: WindowCounter | null;
  /**
   * Runs long synchronous work in slices, shared with the planning of searches; null: a new one.
   */
  readonly scheduler: CooperativeScheduler | null;
  /** The form of collections of profile management whose request did not ask for metadata. */
  readonly collectionEnvelope: Envelope;
  /** Origins of other sites whose pages may call the API; `*` for any, empty for none. */
  readonly corsOrigins: readonly string[];
  /** Whether /docs is served. */
  readonly documentation: boolean;
  /** Measures requests; null: they are not measured. */
  readonly meter: RequestMeter | null;
  /** Traces requests; null: they are not traced. */
  readonly tracer: RequestTracer | null;
  /** Sees requests and injects faults, on a server for tests; null: on any other. */
  readonly observer: RequestObserver | null;
  /** The page at /metrics; null: there is none. */
  readonly metricsPage: MetricsPage | null;
  /** What the console at /console needs to know; null: it is not served. */
  readonly console: ConsoleSettings | null;
  /** Whether /mcp is served. */
  readonly mcp: boolean;
  /** Version of the service. */
  readonly version: string;
}
