// What this process tells of itself, over the parts it is made of: composition makes one where a setting asks for it.
import type { SearchBackend } from '../identity/ports/search-backend.ts';
import type { Store } from '../identity/ports/store.ts';
import type { IndexLag } from './index-lag.ts';
import { Metrics } from './metrics.ts';

/** What is measured. */
export interface Measured {
  readonly version: string;
  readonly store: Store;
  readonly backend: SearchBackend;
  /** What nodes count together with; null: each for itself. */
  readonly counts: { readonly connected: boolean } | null;
  readonly indexer: { status(): { readonly applied: number }; readonly feeds?: boolean };
  readonly lag: IndexLag;
}

export class Telemetry {
  readonly metrics: Metrics;

  constructor({ version, store, backend, counts, indexer, lag }: Measured) {
    this.metrics = new Metrics({
      version,
      lag: () => lag.read(),
      feeds: () => indexer.feeds ?? true,
      backend: () => backend.figures?.() ?? null,
      pools: () => store.pools?.() ?? [],
      countsTogether: () => counts?.connected ?? null,
    });
  }

  stop(): void {
    this.metrics.close();
  }
}
