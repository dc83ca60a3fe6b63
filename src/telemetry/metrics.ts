// Metrics for Prometheus: events are counted as they happen, states are read at each scrape.
// Invariant: label values are routes, statuses, document types and other fixed words, never input
// of tenants or callers.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { BackendFigures } from '../service/ports/search-backend.ts';
import type {
  SearchOperation,
  SearchStage,
  SearchStages,
  SearchWatch,
} from '../service/ports/search-watch.ts';
import { registerNode } from './node-metrics.ts';
import { type Scrape, type ScrapeSources, takeScrape } from './scrape.ts';

/** Sources that are read at a scrape. */
export interface MetricSources extends ScrapeSources {
  readonly version: string;
  /** True if this process feeds the search. */
  feeds(): boolean;
  /** null if the search is not in this process. */
  backend(): BackendFigures | null;
  /** Rows that this process has purged, by kind. */
  purged(): Readonly<Record<string, number>>;
  /** null: no other program can change the index. */
  mended(): MendedFigures | null;
  /** True if nodes count together now; null without Redis. */
  countsTogether(): boolean | null;
}

/** What was mended of an index that other programs can change. */
export interface MendedFigures {
  /** Documents since the start, by how they were found. */
  readonly mended: Readonly<Record<string, number>>;
  /** Epoch milliseconds of the last comparison with the store by this process; 0: none. */
  readonly comparedAt: number;
}

/** From a cached page to a query close to its deadline. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Planning takes microseconds. */
const STAGE_SECONDS = [0.0001, 0.00025, 0.0005, ...SECONDS];
const QUERY_TYPES: ReadonlySet<unknown> = new Set(['SAILPOINT', 'DSL', 'TEXT', 'TYPEAHEAD']);

interface BoundMeters {
  readonly searches: { inc(): void };
  readonly stages: Readonly<Record<SearchStage, { observe(seconds: number): void }>>;
}

/** The registry of one process; prom-client's own global one is not used. */
export class Metrics implements SearchWatch {
  readonly #registry = new Registry();
  readonly #requests: Counter;
  readonly #seconds: Histogram;
  readonly #searches: Counter;
  readonly #refused: Counter;
  readonly #stages: Histogram;
  readonly #bound = new Map<string, BoundMeters>();
  readonly #sources: MetricSources;
  #scrape: Scrape | null = null;

  constructor(sources: MetricSources) {
    this.#sources = sources;
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
    registerBuild(registers, sources.version);
    registerNode(registers, () => {
      if (this.#scrape === null) throw new Error('the states are read before they are rendered');
      return this.#scrape;
    });
    registerFeeder(registers, sources);
    registerIndex(registers, sources);
    registerCounts(registers, sources);
    registerPurge(registers, sources);
    registerMended(registers, sources);
    collectDefaultMetrics({ register: this.#registry });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in the text format of Prometheus. */
  async render(): Promise<string> {
    this.#scrape = await takeScrape(this.#sources);
    return this.#registry.metrics();
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

  /** Unregisters all metrics. */
  close(): void {
    this.#registry.clear();
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

function registerBuild(registers: Registry[], version: string): void {
  const build = new Gauge({
    name: 'cardea_build_info',
    help: '1, with the version',
    labelNames: ['version'],
    registers,
  });
  build.set({ version }, 1);
}

function registerFeeder(registers: Registry[], sources: MetricSources): void {
  new Gauge({
    name: 'cardea_index_feeder',
    help: '1 if this process feeds the search',
    registers,
    collect() {
      this.set(sources.feeds() ? 1 : 0);
    },
  });
}

function registerIndex(registers: Registry[], sources: MetricSources): void {
  const gauge = (name: string, help: string, labelNames: string[], set: (gauge: Gauge) => void) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        set(this);
      },
    });
  const backend = () => sources.backend();
  gauge('cardea_segments', 'Segments of the embedded search', ['index'], (all) => {
    for (const { index, segments } of backend()?.indexes ?? []) all.set({ index }, segments);
  });
  gauge(
    'cardea_documents',
    'Documents in segments: live, and deleted but not yet merged away',
    ['index', 'state'],
    (all) => {
      for (const { index, live, deleted } of backend()?.indexes ?? []) {
        all.set({ index, state: 'live' }, live);
        all.set({ index, state: 'deleted' }, deleted);
      }
    },
  );
  gauge('cardea_cache_bytes', 'Approximate size of a cache', ['cache'], (all) => {
    for (const { cache, bytes } of backend()?.caches ?? []) all.set({ cache }, bytes);
  });
  gauge('cardea_cache_limit_bytes', 'Most bytes of a cache', ['cache'], (all) => {
    for (const { cache, bytesMax } of backend()?.caches ?? []) all.set({ cache }, bytesMax);
  });
  new Counter({
    name: 'cardea_merges_total',
    help: 'Merges of segments',
    registers,
    collect() {
      this.reset();
      this.inc(backend()?.merges ?? 0);
    },
  });
  for (const outcome of ['hits', 'misses'] as const) {
    new Counter({
      name: `cardea_cache_${outcome}_total`,
      help: outcome === 'hits' ? 'Lookups that a cache answered' : 'Lookups that a cache missed',
      labelNames: ['cache'],
      registers,
      collect() {
        this.reset();
        for (const cache of backend()?.caches ?? [])
          this.inc({ cache: cache.cache }, cache[outcome]);
      },
    });
  }
}

function registerPurge(registers: Registry[], sources: MetricSources): void {
  new Counter({
    name: 'cardea_purged_rows_total',
    help: 'Rows that this process purged because of their age: documents, tombstones, expired tokens',
    labelNames: ['rows'],
    registers,
    collect() {
      this.reset();
      for (const [rows, count] of Object.entries(sources.purged())) this.inc({ rows }, count);
    },
  });
}

/** Absent with the embedded search, which only this service writes. */
function registerMended(registers: Registry[], sources: MetricSources): void {
  new Counter({
    name: 'cardea_index_mended_documents_total',
    help: 'Documents that OpenSearch held otherwise than the store, and that were fed again, by what found them: search, import, comparison',
    labelNames: ['found_by'],
    registers,
    collect() {
      this.reset();
      const { mended = {} } = sources.mended() ?? {};
      for (const [how, count] of Object.entries(mended)) this.inc({ found_by: how }, count);
    },
  });
  new Gauge({
    name: 'cardea_index_comparison_timestamp_seconds',
    help: 'When this process last compared the indexes with the store, 0 for never; only the node that feeds them does',
    labelNames: ['search'],
    registers,
    collect() {
      this.reset();
      const figures = sources.mended();
      if (figures !== null) this.set({ search: 'opensearch' }, figures.comparedAt / 1_000);
    },
  });
}

function registerCounts(registers: Registry[], sources: MetricSources): void {
  new Gauge({
    name: 'cardea_redis_connected',
    help: '1 while nodes count together in Redis, 0 while each counts for itself; absent without Redis',
    // A gauge without labels always has a value.
    labelNames: ['use'],
    registers,
    collect() {
      this.reset();
      const together = sources.countsTogether();
      if (together !== null) this.set({ use: 'counts' }, together ? 1 : 0);
    },
  });
}
