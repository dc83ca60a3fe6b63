// What one thread that serves says of itself, for metrics and status.
import {
  constants,
  type IntervalHistogram,
  monitorEventLoopDelay,
  PerformanceObserver,
} from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { BackendFigures } from '../service/ports/search-backend.ts';
import type { RequestValues } from './request-metrics.ts';

/** A thread that serves, since it was started. */
export interface ThreadFigures {
  /** 1 is the main thread. */
  readonly thread: number;
  /** Answered requests. */
  readonly requests: number;
  /** Milliseconds by which its event loop was late, in the 99th percentile since somebody last looked. */
  readonly loopLagMs: number;
  /** Bytes of JavaScript objects in use. */
  readonly heapBytes: number;
  /** Garbage collections, by kind. */
  readonly collections: { readonly minor: number; readonly major: number };
}

/** All that a thread counts. */
export interface ThreadReport {
  readonly figures: ThreadFigures;
  readonly requests: RequestValues;
  readonly caches: BackendFigures['caches'];
}

/** How often the delay of the event loop is taken, in milliseconds. */
const RESOLUTION_MS = 20;

/** Measures the thread that it is made in. */
export class ThreadMeter {
  readonly #thread: number;
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #observer: PerformanceObserver;
  #requests = 0;
  #minor = 0;
  #major = 0;

  /** @param thread its number; 1 is the main thread */
  constructor(thread: number) {
    this.#thread = thread;
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { detail } = entry as unknown as { readonly detail?: { readonly kind?: number } };
        if (detail?.kind === constants.NODE_PERFORMANCE_GC_MINOR) this.#minor += 1;
        else this.#major += 1;
      }
    });
  }

  start(): void {
    this.#delay.enable();
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  stop(): void {
    this.#delay.disable();
    this.#observer.disconnect();
  }

  /** Counts an answered request. */
  answered(): void {
    this.#requests += 1;
  }

  figures(): ThreadFigures {
    const late = this.#delay.percentile(99) / 1e6 - RESOLUTION_MS;
    this.#delay.reset();
    return {
      thread: this.#thread,
      requests: this.#requests,
      loopLagMs: Math.max(0, Math.round(late * 10) / 10),
      heapBytes: getHeapStatistics().used_heap_size,
      collections: { minor: this.#minor, major: this.#major },
    };
  }
}

/** The caches of all threads together. */
export function cachesOf(reports: readonly ThreadReport[]): BackendFigures['caches'] {
  const sums = new Map<string, BackendFigures['caches'][number]>();
  for (const one of reports.flatMap(({ caches }) => caches)) {
    const { hits = 0, misses = 0, bytes = 0, bytesMax = 0 } = sums.get(one.cache) ?? {};
    sums.set(one.cache, {
      cache: one.cache,
      hits: hits + one.hits,
      misses: misses + one.misses,
      bytes: bytes + one.bytes,
      bytesMax: bytesMax + one.bytesMax,
    });
  }
  return [...sums.values()];
}
