// A search worker: holds the indexes it was sent, opened over shared memory, and runs requests,
// several in turns, so that a short one does not wait for a long one.
// Invariant: a cancelled request gets no further slice.

import { setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { CooperativeScheduler } from '../../../scheduling/cooperative.ts';
import { Deadline } from '../../../scheduling/deadline.ts';
import { packFault } from './packed-fault.ts';
import { queryPhase } from './query-request.ts';
import { parseRequest } from './request-json.ts';
import {
  CACHE_FIGURES,
  type FromSearchWorker,
  type SearchWorkerData,
  type ToSearchWorker,
} from './search-messages.ts';
import { WorkerSegments } from './worker-segments.ts';

type RequestMessage = Extract<ToSearchWorker, { readonly kind: 'request' }>;

/** Lower priority than the main thread, so that the kernel schedules short requests first. */
const NICENESS = 5;

/** The requests of one thread. */
class SearchWorker {
  readonly #port: MessagePort;
  readonly #current: Int32Array;
  readonly #figures: Float64Array;
  readonly #segments: WorkerSegments;
  readonly #scheduler = new CooperativeScheduler();
  readonly #callers = new Map<number, AbortController>();

  constructor(port: MessagePort, { current, figures, cacheSizes }: SearchWorkerData) {
    this.#port = port;
    this.#current = current;
    this.#figures = figures;
    this.#segments = new WorkerSegments(cacheSizes);
    port.on('message', (message: ToSearchWorker) => this.#onMessage(message));
    this.#post({ kind: 'ready' });
  }

  #onMessage(message: ToSearchWorker): void {
    switch (message.kind) {
      case 'index':
        this.#segments.updateIndex(message.key, message.views, message.news);
        this.#writeFigures();
        break;
      case 'mapping':
        this.#segments.setMapping(message.key, message.mapping);
        break;
      case 'request':
        this.#run(message);
        break;
      case 'cancel':
        this.#callers.get(message.id)?.abort();
        break;
    }
  }

  #run({ id, tenantId, request: json, keys }: RequestMessage): void {
    const caller = new AbortController();
    this.#callers.set(id, caller);
    const end = (message: FromSearchWorker) => {
      this.#callers.delete(id);
      this.#writeFigures();
      this.#post(message);
    };
    const fail = (error: unknown) => {
      if (caller.signal.aborted) end({ kind: 'stopped', id });
      else end({ kind: 'fault', id, fault: packFault(error) });
    };
    // Reading the request may end the thread, too.
    this.#current[0] = id;
    try {
      const request = parseRequest(json);
      const targets = this.#segments.targets(request.plan, keys);
      this.#scheduler.begin({
        steps: this.#markCurrent(id, queryPhase(request, targets).steps),
        signal: caller.signal,
        deadline: new Deadline(Number.POSITIVE_INFINITY),
        tenantId,
        resolve: (result) => {
          try {
            end({ kind: 'result', id, result });
          } catch (error) {
            fail(error);
          }
        },
        reject: fail,
      });
    } catch (error) {
      fail(error);
    }
  }

  /** The same steps; records the current request in shared memory, in case the thread dies. */
  *#markCurrent<T>(id: number, steps: Generator<void, T>): Generator<void, T> {
    try {
      for (;;) {
        this.#current[0] = id;
        const step = steps.next();
        if (step.done) return step.value;
        yield;
      }
    } finally {
      steps.return(undefined as never);
    }
  }

  #writeFigures(): void {
    const { figures } = this.#segments;
    for (const [at, name] of CACHE_FIGURES.entries()) this.#figures[at] = figures[name];
  }

  #post(message: FromSearchWorker): void {
    this.#port.postMessage(message);
  }
}

if (parentPort !== null) {
  // On other systems this would set the priority of the whole process.
  if (process.platform === 'linux') setPriority(NICENESS);
  new SearchWorker(parentPort, workerData as SearchWorkerData);
}
