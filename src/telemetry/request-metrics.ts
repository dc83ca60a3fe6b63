// Metrics of requests and searches: each thread that serves counts its own, and a scrape adds them up.
// Invariant: label values are routes, statuses, document types and other fixed words, never input
// of tenants or callers.
import { Counter, Histogram, Registry } from 'prom-client';
import type {
  SearchOperation,
  SearchStage,
  SearchStages,
  SearchWatch,
} from '../service/ports/search-watch.ts';

/** From a cached page to a query close to its deadline. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Planning takes microseconds. */
const STAGE_SECONDS = [0.0001, 0.00025, 0.0005, ...SECONDS];
const QUERY_TYPES: ReadonlySet<unknown> = new Set(['SAILPOINT', 'DSL', 'TEXT', 'TYPEAHEAD']);

interface BoundMeters {
  readonly searches: { inc(): void };
  readonly stages: Readonly<Record<SearchStage, { observe(seconds: number): void }>>;
}

/** The values of metrics, as prom-client adds them up. */
export type RequestValues = readonly object[];

export class RequestMetrics implements SearchWatch {
  readonly #registry = new Registry();
  readonly #requests: Counter;
  readonly #seconds: Histogram;
  readonly #searches: Counter;
  readonly #refused: Counter;
  readonly #stages: Histogram;
  readonly #bound = new Map<string, BoundMeters>();

  constructor() {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: 'cardea_http_requests_total',
      help: 'Answered requests',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'cardea_http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its response',
      labelNames: ['method', 'route'],
      buckets: SECONDS,
      registers,
    });
    this.#searches = new Counter({
      name: 'cardea_searches_total',
      help: 'Started searches',
      labelNames: ['operation', 'query_type'],
      registers,
    });
    this.#refused = new Counter({
      name: 'cardea_refused_total',
      help: 'Requests, bodies, responses and connections refused or cut off because a share was used up',
      labelNames: ['reason'],
      registers,
    });
    this.#stages = new Histogram({
      name: 'cardea_search_stage_duration_seconds',
      help: 'Time of a stage of successful searches: plan, search, present',
      labelNames: ['operation', 'stage'],
      buckets: STAGE_SECONDS,
      registers,
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All values, to be added to those of other threads. */
  values(): Promise<RequestValues> {
    return this.#registry.getMetricsAsJSON();
  }

  /** Returns the meter of one route, with its labels bound. */
  route(method: string, route: string): { ended(status: number, seconds: number): void } {
    const byStatus = new Map<number, { inc(): void }>();
    const seconds = this.#seconds.labels(method, route);
    return {
      ended: (status, elapsed) => {
        let counter = byStatus.get(status);
        if (counter === undefined) {
          counter = this.#requests.labels(method, route, String(status));
          byStatus.set(status, counter);
        }
        counter.inc();
        seconds.observe(elapsed);
      },
    };
  }

  /** Counts a refusal. @param reason a Refusal of http/admission/capacity.ts */
  refused(reason: string): void {
    this.#refused.inc({ reason });
  }

  begin(operation: SearchOperation, queryType: unknown): SearchStages {
    const { searches, stages } = this.#bind(operation, queryType);
    searches.inc();
    let stageStart = performance.now();
    return {
      ended(stage) {
        const now = performance.now();
        stages[stage].observe((now - stageStart) / 1000);
        stageStart = now;
      },
    };
  }

  #bind(operation: SearchOperation, queryType: unknown): BoundMeters {
    // SAILPOINT is the documented default; unknown types are rejected and share one label.
    const kind =
      queryType === undefined || queryType === null
        ? 'SAILPOINT'
        : QUERY_TYPES.has(queryType)
          ? String(queryType)
          : 'other';
    const key = `${operation} ${kind}`;
    let bound = this.#bound.get(key);
    if (bound === undefined) {
      bound = {
        searches: this.#searches.labels(operation, kind.toLowerCase()),
        stages: {
          plan: this.#stages.labels(operation, 'plan'),
          search: this.#stages.labels(operation, 'search'),
          present: this.#stages.labels(operation, 'present'),
        },
      };
      this.#bound.set(key, bound);
    }
    return bound;
  }
}
