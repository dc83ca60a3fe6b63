// What this process tells of itself, over the parts it is made of: composition makes one where a setting asks for it.
import type { SearchBackend } from '../identity/search-backend.ts';
import type { Store } from '../identity/store.ts';
import { IndexLag } from './index-lag.ts';
import { Metrics } from './metrics.ts';

/** What is measured. */
export interface Measured {
  readonly version: string;
  readonly store: Store;
  readonly backend: SearchBackend;
  /** What nodes count together with; null: each for itself. */
  readonly counts: { readonly connected: boolean } | null;
  readonly indexer: { status(): { readonly applied: number }; readonly feeds?: boolean };
}

export class Telemetry {
  readonly metrics: Metrics;
  readonly #lag: IndexLag;

  constructor({ version, store, backend, counts, indexer }: Measured) {
    this.#lag = new IndexLag({
      lastSequence: () => store.read.lastSequence(),
      applied: () => indexer.status().applied,
    });
    this.metrics = new Metrics({
      version,
      lag: () => this.#lag.read(),
      feeds: () => indexer.feeds ?? true,
      backend: () => backend.figures?.() ?? null,
      pools: () => store.pools?.() ?? [],
      countsTogether: () => counts?.connected ?? null,
    });
  }

  start(): void {
    this.#lag.start();
  }

  stop(): void {
    this.#lag.stop();
    this.metrics.close();
  }
}
