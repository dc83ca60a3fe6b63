// The thread's side of a search worker: holds the indexes it has been told of, opened over shared memory, and answers
// questions, several in turns, so that a short one does not wait for a long one.
// Invariant: a question that was cancelled takes no further slice.
import { setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { ByteCache } from '../../../engine/index/byte-cache.ts';
import { limitRowMemory } from '../../../engine/rows/row-memory.ts';
import { CooperativeScheduler } from '../../../identity/scheduling/cooperative.ts';
import { packFault } from './packed-fault.ts';
import { packFinding } from './packed-finding.ts';
import { findingSteps } from './question.ts';
import { readQuestion } from './question-text.ts';
import type { FromSearchWorker, SearchWorkerData, ToSearchWorker } from './search-messages.ts';
import { WorkerSegments } from './worker-segments.ts';

type Asked = Extract<ToSearchWorker, { readonly kind: 'question' }>;

/** Below the main thread, which answers short requests: the kernel lets it run as soon as it has something to do. */
const NICENESS = 5;

/** The questions that one thread has. */
class SearchWorker {
  readonly #port: MessagePort;
  readonly #current: Int32Array;
  readonly #shelf: WorkerSegments;
  readonly #scheduler = new CooperativeScheduler();
  readonly #callers = new Map<number, AbortController>();

  constructor(port: MessagePort, data: SearchWorkerData) {
    limitRowMemory(data.rowMemoryBytes);
    this.#port = port;
    this.#current = data.current;
    this.#shelf = new WorkerSegments({
      sources: new ByteCache(data.sourceCacheBytes),
      pages: new ByteCache(data.pageCacheBytes),
    });
    port.on('message', (message: ToSearchWorker) => this.#take(message));
    this.#tell({ kind: 'ready' });
  }

  #take(message: ToSearchWorker): void {
    switch (message.kind) {
      case 'index':
        this.#shelf.put(message.key, message.views, message.news);
        break;
      case 'mapping':
        this.#shelf.learn(message.key, message.mapping);
        break;
      case 'question':
        this.#answer(message);
        break;
      case 'cancel':
        this.#callers.get(message.id)?.abort();
        break;
    }
  }

  #answer({ id, tenantId, question: text, keys }: Asked): void {
    const caller = new AbortController();
    this.#callers.set(id, caller);
    const end = (message: FromSearchWorker) => {
      this.#callers.delete(id);
      this.#tell(message);
    };
    const fail = (error: unknown) => {
      if (caller.signal.aborted) end({ kind: 'stopped', id });
      else end({ kind: 'fault', id, fault: packFault(error) });
    };
    try {
      const question = readQuestion(text);
      const targets = this.#shelf.targets(question.plan, keys);
      this.#scheduler.begin({
        steps: this.#noted(id, findingSteps(question, targets)),
        signal: caller.signal,
        timeoutMs: Number.POSITIVE_INFINITY,
        tenantId,
        resolve: (found, tookMs) => {
          try {
            end({ kind: 'found', id, finding: packFinding(found, targets), tookMs });
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

  /** The same steps; shared memory says what is worked on, for the case that the thread dies of it. */
  *#noted<T>(id: number, steps: Generator<void, T>): Generator<void, T> {
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

  #tell(message: FromSearchWorker): void {
    this.#port.postMessage(message);
  }
}

if (parentPort !== null) {
  // Elsewhere the priority would be that of the whole process.
  if (process.platform === 'linux') setPriority(NICENESS);
  new SearchWorker(parentPort, workerData as SearchWorkerData);
}
