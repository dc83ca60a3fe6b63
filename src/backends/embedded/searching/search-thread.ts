// Main thread's side of one search worker: sends indexes and requests, and receives results.
// Invariant: a request is sent after all the indexes and segments it uses.
import type { Worker } from 'node:worker_threads';
import type { CacheFigures } from '../../../engine/sections/byte-cache.ts';
import type { SegmentView } from '../../../engine/sections/segment.ts';
import { JsonText } from '../../../json/json-text.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import { endThread } from '../../../scheduling/end-thread.ts';
import type { EmbeddedIndex, IndexSnapshot } from '../indexes/embedded-index.ts';
import type { StoredSegment } from '../indexes/stored-segment.ts';
import { unpackFault } from './packed-fault.ts';
import type { QueryPhaseResult } from './query-request.ts';
import type { SearchJob } from './search-job.ts';
import {
  CACHE_FIGURES,
  type FromSearchWorker,
  type SearchWorkerData,
  type SharedSegment,
  type ToSearchWorker,
} from './search-messages.ts';

/** Starts a worker thread; replaced in tests. */
export type StartSearchWorker = (data: SearchWorkerData) => Worker;

/** The jobs of a thread that have no result. */
export interface UnfinishedJobs {
  /** null: none of them was running. */
  readonly running: SearchJob | null;
  readonly others: readonly SearchJob[];
}

/** Events of a thread for the pool. */
export interface ThreadEvents {
  /** It can take another request. */
  onCapacity(): void;
  /** It completed the query phase of a job. */
  onResult(job: SearchJob, result: QueryPhaseResult): void;
  /** It died. */
  onExit(unfinished: UnfinishedJobs, error: unknown): void;
}

/** The state of an index that was sent to the worker. */
interface SentIndex {
  state: number;
  mapping: Mapping | null;
  /** Segments by name, as sent. */
  readonly segments: Map<string, SharedSegment>;
}

const LARGEST_ID = 2 ** 31 - 1;
/** No state of an index: its views have to be sent. */
const UNKNOWN_STATE = -1;

export class SearchThread {
  readonly #worker: Worker;
  readonly #current: Int32Array;
  readonly #figures = new Float64Array(new SharedArrayBuffer(8 * CACHE_FIGURES.length));
  readonly #events: ThreadEvents;
  /** By the id in messages. */
  readonly #jobs = new Map<number, SearchJob>();
  readonly #sentIndexes = new Map<string, SentIndex>();
  #lastId = 0;
  #ready = false;
  #ended = false;
  /** Bytes of dropped segments, which the worker frees at its next garbage collection. */
  droppedBytes = 0;

  constructor(
    start: StartSearchWorker,
    cacheSizes: SearchWorkerData['cacheSizes'],
    events: ThreadEvents,
  ) {
    this.#current = new Int32Array(new SharedArrayBuffer(4));
    this.#events = events;
    this.#worker = start({ current: this.#current, figures: this.#figures, cacheSizes });
    this.#worker.unref();
    let reason: unknown = null;
    this.#worker.on('message', (message: FromSearchWorker) => this.#onMessage(message));
    this.#worker.on('error', (error) => {
      reason = error;
    });
    this.#worker.on('exit', (code) => this.#onExit(reason ?? new Error(`Exit code ${code}`)));
  }

  /** Number of requests. */
  get load(): number {
    return this.#jobs.size;
  }

  /** What it caches. */
  get figures(): CacheFigures {
    const [hits = 0, misses = 0, bytes = 0, bytesMax = 0] = this.#figures;
    return { hits, misses, bytes, bytesMax };
  }

  /** Number of requests of a tenant. */
  loadOf(tenantId: string): number {
    let load = 0;
    for (const job of this.#jobs.values()) if (job.tenantId === tenantId) load += 1;
    return load;
  }

  jobs(): SearchJob[] {
    return [...this.#jobs.values()];
  }

  get isReady(): boolean {
    return this.#ready;
  }

  /** Sends a request; the thread must be ready. */
  run(job: SearchJob): void {
    const keys = job.request.plan.targets.map(({ index }) => {
      const target = job.targets.find((one) => one.index === index);
      if (target === undefined || target.snapshot.views.length === 0) return null;
      this.#sendIndex(target.embeddedIndex.key, target.snapshot, target.mapping);
      return target.embeddedIndex.key;
    });
    const id = this.#newId();
    this.#jobs.set(id, job);
    job.onCancelled = () => this.#post({ kind: 'cancel', id });
    if (this.#jobs.size === 1) this.#worker.ref();
    const request = job.requestJson ?? JSON.stringify(job.request);
    this.#post({ kind: 'request', id, tenantId: job.tenantId, request, keys });
    // The request keeps an earlier state that it began with, and the worker must not.
    for (const { embeddedIndex, snapshot } of job.targets) {
      if (embeddedIndex.state !== snapshot.state) this.#dropRemoved(embeddedIndex);
    }
  }

  /** Makes the worker drop what the indexes it has have no longer. */
  dropRemoved(indexes: Iterable<EmbeddedIndex>): void {
    if (this.#sentIndexes.size === 0) return;
    const removed = new Set(this.#sentIndexes.keys());
    for (const index of indexes) {
      if (removed.delete(index.key)) this.#dropRemoved(index);
    }
    for (const key of removed) this.#dropIndex(key);
  }

  /** Cancels its requests and ends it. Does not wait for an idle thread, which holds nothing. */
  async close(): Promise<void> {
    this.#ended = true;
    for (const id of this.#jobs.keys()) this.#post({ kind: 'cancel', id });
    const ended = endThread(this.#worker);
    if (this.#jobs.size > 0) await ended;
  }

  /**
   * Leaves the worker those segments of an index that the index still has, with their bytes where they
   * were. The rest of its current state is sent with the next request: a worker that runs none would
   * keep what it is sent until it collects garbage.
   */
  #dropRemoved(index: EmbeddedIndex): void {
    const sent = this.#sentIndexes.get(index.key);
    if (sent === undefined) return;
    const { segments } = sent;
    const kept = index.views.filter((view) => {
      const stored = index.storedOf(view);
      return isSent(segments.get(stored.name), stored);
    });
    if (kept.length === segments.size) return;
    if (kept.length === 0) {
      this.#dropIndex(index.key);
      return;
    }
    sent.state = UNKNOWN_STATE;
    this.#sendViews(index.key, segments, kept, []);
  }

  #sendIndex(key: string, snapshot: IndexSnapshot, mapping: Mapping | null): void {
    let sent = this.#sentIndexes.get(key);
    if (sent === undefined) {
      sent = { state: UNKNOWN_STATE, mapping: null, segments: new Map() };
      this.#sentIndexes.set(key, sent);
    }
    const { segments } = sent;
    const news = snapshot.stored.filter((stored) => !isSent(segments.get(stored.name), stored));
    if (sent.state !== snapshot.state || news.length > 0) {
      sent.state = snapshot.state;
      this.#sendViews(key, segments, snapshot.views, news.map(sharedSegment));
    }
    if (mapping === null || sent.mapping === mapping) return;
    sent.mapping = mapping;
    this.#post({ kind: 'mapping', key, mapping });
  }

  #sendViews(
    key: string,
    sent: Map<string, SharedSegment>,
    views: readonly SegmentView[],
    news: readonly SharedSegment[],
  ): void {
    const dropped = new Set(sent.keys());
    for (const { segment } of views) dropped.delete(segment.name);
    for (const { name } of news) if (sent.has(name)) dropped.add(name);
    for (const name of dropped) {
      this.droppedBytes += bytesOf(sent.get(name));
      sent.delete(name);
    }
    for (const segment of news) sent.set(segment.name, segment);
    this.#post({
      kind: 'index',
      key,
      views: views.map(({ segment, liveDocs, liveCount }) => {
        return { segment: segment.name, liveDocs, liveCount };
      }),
      news,
    });
  }

  #dropIndex(key: string): void {
    const sent = this.#sentIndexes.get(key);
    if (sent === undefined) return;
    this.#sentIndexes.delete(key);
    for (const segment of sent.segments.values()) this.droppedBytes += bytesOf(segment);
    this.#post({ kind: 'index', key, views: [], news: [] });
  }

  #onMessage(message: FromSearchWorker): void {
    if (message.kind === 'ready') {
      this.#ready = true;
      this.#events.onCapacity();
      return;
    }
    const { id } = message;
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    this.#jobs.delete(id);
    // One that is ending has somebody who waits for its end.
    if (this.#jobs.size === 0 && !this.#ended) this.#worker.unref();
    this.#settle(job, message);
    this.#events.onCapacity();
  }

  #settle(job: SearchJob, message: Exclude<FromSearchWorker, { readonly kind: 'ready' }>): void {
    switch (message.kind) {
      case 'result':
        if (job.isSettled) break;
        this.#events.onResult(job, withClass(message.result));
        return;
      case 'fault':
        job.reject(unpackFault(message.fault));
        break;
      case 'stopped':
        break;
    }
    job.release();
  }

  #onExit(error: unknown): void {
    const running = this.#jobs.get(Atomics.load(this.#current, 0)) ?? null;
    const others = this.jobs().filter((job) => job !== running);
    this.#jobs.clear();
    if (this.#ended) {
      for (const job of [running, ...others]) job?.release();
      return;
    }
    this.#ended = true;
    this.#events.onExit({ running, others }, error);
  }

  #newId(): number {
    this.#lastId = this.#lastId === LARGEST_ID ? 1 : this.#lastId + 1;
    return this.#lastId;
  }

  #post(message: ToSearchWorker): void {
    this.#worker.postMessage(message);
  }
}

/** The result with the class of its aggregations, which a message does not keep. */
function withClass(result: QueryPhaseResult): QueryPhaseResult {
  if (result.kind !== 'search' || result.page.aggregations === undefined) return result;
  const aggregations = new JsonText(result.page.aggregations.bytes);
  return { kind: 'search', page: { ...result.page, aggregations } };
}

function sharedSegment({ name, index, sources }: StoredSegment): SharedSegment {
  return { name, index: index.handle, sources: sources.handle };
}

/** True if the segment was sent with these bytes. */
function isSent(sent: SharedSegment | undefined, { index, sources }: StoredSegment): boolean {
  return sent?.index === index.handle && sent.sources === sources.handle;
}

/** Bytes that it takes in memory. */
function bytesOf(segment: SharedSegment | undefined): number {
  if (segment === undefined) return 0;
  const { index, sources } = segment;
  return index.bytes.length + (sources.kind === 'memory' ? sources.bytes.length : 0);
}
