// Connects the metrics of this process to its parts; composition creates it if metrics are enabled.
import { mirrorFigures } from '../service/mirrors/mirror-status.ts';
import type { SearchBackend } from '../service/ports/search-backend.ts';
import type { Store } from '../service/ports/store.ts';
import type { IndexLag } from './index-lag.ts';
import type { MendedFigures, ThreadsFigures } from './metric-rows.ts';
import { Metrics } from './metrics.ts';
import type { ScrapeSources } from './scrape.ts';
import type { ThreadReport } from './thread-figures.ts';

/** The measured parts. */
export interface Measured {
  readonly version: string;
  readonly store: Store;
  readonly backend: SearchBackend;
  /** Shared counts of several nodes; null: each counts for itself. */
  readonly counts: { readonly connected: boolean } | null;
  readonly indexer: { status(): { readonly applied: number }; readonly feeds?: boolean };
  readonly lag: IndexLag;
  /** What the threads that serve count. */
  reports(): Promise<readonly ThreadReport[]>;
  readonly threads: ThreadsFigures;
  /** The states of the node besides its lag and its connections. */
  readonly states: Omit<ScrapeSources, 'lag' | 'pools' | 'mirrors' | 'reports'>;
  /** null: no other program can change the index. */
  readonly mending: MendedFigures | null;
  readonly purge: { readonly counts: Readonly<Record<string, number>> };
}

export class Telemetry {
  readonly metrics: Metrics;

  constructor({ version, store, backend, counts, indexer, lag, states, ...of }: Measured) {
    this.metrics = new Metrics({
      ...states,
      version,
      lag: () => lag.read(),
      mirrors: () => mirrorFigures(store.read, Date.now()),
      feeds: () => indexer.feeds ?? true,
      reports: () => of.reports(),
      threads: () => of.threads,
      backend: () => backend.figures?.() ?? null,
      pools: () => store.pools(),
      purged: () => of.purge.counts,
      mended: () => of.mending,
      countsTogether: () => counts?.connected ?? null,
    });
  }

  stop(): void {
    this.metrics.close();
  }
}
