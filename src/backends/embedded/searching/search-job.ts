// One request while it is executed: the request, its tenant, the segments it runs on, and the
// promise of its result. It may wait for a thread, or start in one thread and start again in
// another; the first result counts.
// Invariant: it is settled once, rejects at once on deadline or cancellation, and releases its
// segments when they are no longer read.
import type { ServiceError } from '../../../errors.ts';
import { cancelled } from '../../../scheduling/deadline.ts';
import type { ReadOptions } from '../../../service/ports/search-backend.ts';
import type { EmbeddedIndex, IndexSnapshot } from '../indexes/embedded-index.ts';
import type { OpenTarget } from './open-target.ts';
import type { QueryRequest, QueryResult } from './query-request.ts';
import type { RequestJson } from './request-json.ts';

/** A target of a plan with its index. */
export interface JobTarget extends OpenTarget {
  readonly embeddedIndex: EmbeddedIndex;
  readonly snapshot: IndexSnapshot;
}

/** What a job runs. */
export interface JobContent<Request extends QueryRequest = QueryRequest> {
  readonly tenantId: string;
  readonly request: Request;
  readonly targets: readonly JobTarget[];
  readonly options: ReadOptions;
  /** True if the plan is too large to process in one step. */
  readonly isLarge: boolean;
}

export class SearchJob implements JobContent {
  readonly tenantId: string;
  readonly request: QueryRequest;
  readonly targets: readonly JobTarget[];
  readonly options: ReadOptions;
  readonly isLarge: boolean;
  readonly result: Promise<QueryResult>;
  /** The JSON of the request for a worker; null: not serialized yet. */
  requestJson: RequestJson | null = null;
  /** Called on deadline or cancellation, so that work on the job stops. */
  onCancelled: () => void = () => {};
  #resolve: (result: QueryResult) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #timer: NodeJS.Timeout | null = null;
  #settled = false;
  #released = false;

  constructor({ tenantId, request, targets, options, isLarge }: JobContent) {
    this.tenantId = tenantId;
    this.request = request;
    this.targets = targets;
    this.options = options;
    this.isLarge = isLarge;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  /** Starts watching the deadline and the caller's signal. */
  watch(): void {
    const { signal, deadline } = this.options;
    const { leftMs } = deadline;
    if (signal?.aborted) this.#cancel(cancelled());
    else if (leftMs <= 0) this.#cancel(deadline.exceeded());
    if (this.#settled) return;
    this.#timer = setTimeout(() => this.#cancel(deadline.exceeded()), leftMs);
    signal?.addEventListener('abort', this.#onAbort);
  }

  resolve(result: QueryResult): void {
    if (this.#settle()) this.#resolve(result);
  }

  reject(error: unknown): void {
    if (this.#settle()) this.#reject(error);
  }

  /** Releases the segments, which the job no longer reads. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    for (const { snapshot } of this.targets) snapshot.release();
  }

  readonly #onAbort = () => this.#cancel(cancelled());

  #cancel(error: ServiceError): void {
    if (!this.#settle()) return;
    this.#reject(error);
    this.onCancelled();
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.options.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}
