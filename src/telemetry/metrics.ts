// All metrics for Prometheus: states are read at each scrape; what each thread has counted
// (request-metrics.ts) is added up then.
// Invariant: label values are routes, statuses, document types and other fixed words, never input
// of tenants or callers.
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { METRIC_ROWS, type MetricRow, type MetricSources } from './metric-rows.ts';
import { type Scrape, takeScrape } from './scrape.ts';

/** The registry of one process; prom-client's own global one is not used. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #sources: MetricSources;
  #scrape: Scrape | null = null;

  constructor(sources: MetricSources) {
    this.#sources = sources;
    for (const row of METRIC_ROWS) this.#register(row);
    collectDefaultMetrics({ register: this.#registry });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in the text format of Prometheus. */
  async render(): Promise<string> {
    this.#scrape = await takeScrape(this.#sources);
    const { reports } = this.#scrape;
    const requests = AggregatorRegistry.aggregate([
      ...this.#sources.threads().past,
      ...reports.map((report) => report.requests),
    ]);
    return `${await requests.metrics()}${await this.#registry.metrics()}`;
  }

  /** Unregisters all metrics. */
  close(): void {
    this.#registry.clear();
  }

  #register([name, help, labelNames, read]: MetricRow): void {
    const samples = () => {
      if (this.#scrape === null) throw new Error('the states are read before they are rendered');
      return read(this.#scrape, this.#sources);
    };
    const about = { name, help, labelNames: [...labelNames], registers: [this.#registry] };
    if (name.endsWith('_total')) {
      new Counter({
        ...about,
        collect() {
          this.reset();
          for (const [labels, value] of samples()) this.inc(labels, value);
        },
      });
    } else {
      new Gauge({
        ...about,
        collect() {
          this.reset();
          for (const [labels, value] of samples()) this.set(labels, value);
        },
      });
    }
  }
}
