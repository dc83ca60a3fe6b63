// The main thread's side of one search worker: tells it of indexes, hands it questions and takes its answers.
// Invariant: a question goes out after everything it speaks of, so the worker never meets a name it does not know.
import type { Worker } from 'node:worker_threads';
import { endThread } from '../../../identity/scheduling/end-thread.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { EmbeddedIndex, IndexSnapshot } from '../embedded-index.ts';
import type { StoredSegment } from '../files/stored-segment.ts';
import { unpackFault } from './packed-fault.ts';
import { unpackFinding } from './packed-finding.ts';
import type { Finding } from './question.ts';
import type { SearchJob } from './search-job.ts';
import type {
  FromSearchWorker,
  SearchWorkerData,
  SharedSegment,
  ToSearchWorker,
} from './search-messages.ts';

/** Starts a thread; tests give their own. */
export type StartSearchWorker = (data: SearchWorkerData) => Worker;

/** What the pool hears of a thread. */
export interface ThreadEvents {
  /** It can take a question. */
  room(): void;
  /** It found what it was asked for, after so much work. */
  found(job: SearchJob, finding: Finding, tookMs: number): void;
  /** It is gone; `jobs` have no answer, it worked on the first of them when it died. */
  ended(jobs: readonly SearchJob[], error: unknown): void;
}

/** What a worker knows of an index. */
interface Known {
  state: number;
  mapping: Mapping | null;
  /** As they were told of. */
  readonly segments: Map<string, SharedSegment>;
}

const LARGEST_ID = 2 ** 31 - 1;

export class SearchThread {
  readonly #worker: Worker;
  readonly #current: Int32Array;
  readonly #events: ThreadEvents;
  /** By the id that the worker knows them by. */
  readonly #jobs = new Map<number, SearchJob>();
  readonly #known = new Map<string, Known>();
  #lastId = 0;
  #ready = false;
  #ended = false;
  /** Bytes of segments it was told to let go of, which it frees when it next collects garbage. */
  goneBytes = 0;

  constructor(
    start: StartSearchWorker,
    bounds: Omit<SearchWorkerData, 'current'>,
    events: ThreadEvents,
  ) {
    this.#current = new Int32Array(new SharedArrayBuffer(4));
    this.#events = events;
    this.#worker = start({ current: this.#current, ...bounds });
    this.#worker.unref();
    let reason: unknown = null;
    this.#worker.on('message', (message: FromSearchWorker) => this.#hear(message));
    this.#worker.on('error', (error) => {
      reason = error;
    });
    this.#worker.on('exit', (code) => this.#end(reason ?? new Error(`Exit code ${code}`)));
  }

  /** How many questions it has. */
  get load(): number {
    return this.#jobs.size;
  }

  /** How many questions it has of a tenant. */
  loadOf(tenantId: string): number {
    let load = 0;
    for (const job of this.#jobs.values()) if (job.tenantId === tenantId) load += 1;
    return load;
  }

  /** Those that it has, beginning with the one that it works on. */
  jobs(): SearchJob[] {
    const current = Atomics.load(this.#current, 0);
    const ids = [...this.#jobs.keys()].sort(
      (a, b) => Number(b === current) - Number(a === current),
    );
    return ids.flatMap((id) => this.#jobs.get(id) ?? []);
  }

  get isReady(): boolean {
    return this.#ready;
  }

  /** Gives it a question; it must be ready. */
  ask(job: SearchJob): void {
    const keys = job.question.plan.targets.map(({ index }) => {
      const target = job.targets.find((one) => one.index === index);
      if (target === undefined || target.snapshot.views.length === 0) return null;
      this.#tell(target.found.key, target.snapshot, target.mapping);
      return target.found.key;
    });
    const id = this.#newId();
    this.#jobs.set(id, job);
    job.onUnwanted = () => this.#post({ kind: 'cancel', id });
    if (this.#jobs.size === 1) this.#worker.ref();
    const question = job.questionText ?? JSON.stringify(job.question);
    this.#post({ kind: 'question', id, tenantId: job.tenantId, question, keys });
  }

  /** Tells it what has become of the indexes it knows. */
  follow(indexes: Iterable<EmbeddedIndex>): void {
    if (this.#known.size === 0) return;
    const gone = new Set(this.#known.keys());
    for (const index of indexes) {
      const { key } = index;
      if (!this.#known.has(key) || index.views.length === 0) continue;
      gone.delete(key);
      const snapshot = index.snapshot();
      this.#tell(key, snapshot, null);
      snapshot.release();
    }
    for (const key of gone) this.#forget(key);
  }

  /** Cancels its questions and ends it. An idle thread holds nothing, so its end is not awaited. */
  async close(): Promise<void> {
    this.#ended = true;
    for (const id of this.#jobs.keys()) this.#post({ kind: 'cancel', id });
    const ended = endThread(this.#worker);
    if (this.#jobs.size > 0) await ended;
  }

  #tell(key: string, snapshot: IndexSnapshot, mapping: Mapping | null): void {
    let known = this.#known.get(key);
    if (known === undefined) {
      known = { state: -1, mapping: null, segments: new Map() };
      this.#known.set(key, known);
    }
    const { segments } = known;
    const news = snapshot.stored.filter((stored) => !isTold(segments.get(stored.name), stored));
    if (known.state !== snapshot.state || news.length > 0) {
      known.state = snapshot.state;
      this.#tellViews(key, segments, snapshot, news.map(shared));
    }
    if (mapping === null || known.mapping === mapping) return;
    known.mapping = mapping;
    this.#post({ kind: 'mapping', key, mapping });
  }

  #tellViews(
    key: string,
    told: Map<string, SharedSegment>,
    { views, stored }: IndexSnapshot,
    news: readonly SharedSegment[],
  ): void {
    const gone = new Set(told.keys());
    for (const { name } of stored) gone.delete(name);
    for (const { name } of news) if (told.has(name)) gone.add(name);
    for (const name of gone) {
      this.goneBytes += bytesOf(told.get(name));
      told.delete(name);
    }
    for (const segment of news) told.set(segment.name, segment);
    this.#post({
      kind: 'index',
      key,
      views: views.map(({ segment, liveDocs, liveCount }) => {
        return { segment: segment.name, liveDocs, liveCount };
      }),
      news,
    });
  }

  #forget(key: string): void {
    const known = this.#known.get(key);
    if (known === undefined) return;
    this.#known.delete(key);
    for (const segment of known.segments.values()) this.goneBytes += bytesOf(segment);
    this.#post({ kind: 'index', key, views: [], news: [] });
  }

  #hear(message: FromSearchWorker): void {
    if (message.kind === 'ready') {
      this.#ready = true;
      this.#events.room();
      return;
    }
    const { id } = message;
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    this.#jobs.delete(id);
    if (this.#jobs.size === 0) this.#worker.unref();
    this.#settle(job, message);
    this.#events.room();
  }

  #settle(job: SearchJob, message: Exclude<FromSearchWorker, { readonly kind: 'ready' }>): void {
    switch (message.kind) {
      case 'found':
        if (job.isSettled) break;
        this.#events.found(job, unpackFinding(message.finding, job.targets), message.tookMs);
        return;
      case 'fault':
        job.reject(unpackFault(message.fault));
        break;
      case 'stopped':
        break;
    }
    job.release();
  }

  #end(error: unknown): void {
    const jobs = this.jobs();
    this.#jobs.clear();
    if (this.#ended) {
      for (const job of jobs) job.release();
      return;
    }
    this.#ended = true;
    this.#events.ended(jobs, error);
  }

  #newId(): number {
    this.#lastId = this.#lastId === LARGEST_ID ? 1 : this.#lastId + 1;
    return this.#lastId;
  }

  #post(message: ToSearchWorker): void {
    this.#worker.postMessage(message);
  }
}

function shared({ name, index, sources }: StoredSegment): SharedSegment {
  return { name, index: index.handle, sources: sources.handle };
}

/** Whether that is what was told of the segment. */
function isTold(told: SharedSegment | undefined, { index, sources }: StoredSegment): boolean {
  return told?.index === index.handle && told.sources === sources.handle;
}

/** What it holds in memory. */
function bytesOf(segment: SharedSegment | undefined): number {
  if (segment === undefined) return 0;
  const { index, sources } = segment;
  return index.bytes.length + (sources.kind === 'memory' ? sources.bytes.length : 0);
}
