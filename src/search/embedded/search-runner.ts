// Decides where a question is answered. What takes less than handing it over does is answered at once by the main thread;
// the rest goes to the search workers, and the main thread takes its part of what they have no time for, in slices.
// Invariant: a short question waits for no long one.
import type { SearchOptions } from '../../identity/search-backend.ts';
import { type Clock, CooperativeScheduler, type ShortWork, type Work } from '../cooperative.ts';
import type { EmbeddedIndex } from './embedded-index.ts';
import { QueryCosts, shapeOf } from './query-costs.ts';
import { readSteps } from './query-steps.ts';
import {
  type Answer,
  type Answers,
  type Finding,
  findingSteps,
  type Question,
} from './question.ts';
import { type AskedTarget, SearchJob } from './search-job.ts';
import { SearchPool } from './search-pool.ts';
import type { StartSearchWorker } from './search-thread.ts';

export interface RunnerOptions {
  /** Search workers; 0: the main thread does it all. */
  readonly workers: number;
  /** `never`: the main thread leaves everything to the workers, for tests. */
  readonly mainThread?: 'as it pays' | 'never' | undefined;
  readonly startWorker?: StartSearchWorker | undefined;
  readonly clock?: Clock | undefined;
  /** A worker died. */
  died(error: unknown): void;
}

/**
 * What a question must take to be worth handing over while others wait: it costs the two threads some 0.1 ms, and a
 * little for every row that crosses.
 */
const WORTH_MS = 0.6;
const WORTH_MS_PER_HIT = 0.0004;
/** Alone the main thread would only wait for the worker. */
const ALONE_MS = 4;
/** How far a question of a shape that nobody knows is tried. */
const TRIAL_MS = 0.5;
/** How far one of a shape that is known to be short goes before it is one that is not. */
const FIRST_MS = 2;

export class SearchRunner {
  readonly #scheduler: CooperativeScheduler;
  readonly #pool: SearchPool | null;
  readonly #costs = new QueryCosts();
  readonly #leavesAll: boolean;
  #running = 0;

  constructor(options: RunnerOptions) {
    const { workers, clock, startWorker, died } = options;
    this.#leavesAll = options.mainThread === 'never';
    this.#scheduler = new CooperativeScheduler({
      ...(clock && { clock }),
      more: () => this.#more(),
    });
    this.#pool =
      workers === 0
        ? null
        : new SearchPool({
            count: workers,
            start: startWorker,
            found: (job, finding, tookMs) => this.#found(job, finding, tookMs),
            orphaned: (job) => this.#scheduler.add(this.#workOf(job)),
            died,
          });
  }

  /**
   * Answers a question of the segments of its targets, and lets go of them.
   * @throws ServiceError `deadline_exceeded`, `cancelled`, `unavailable`; CorruptSegmentError; what the engine throws
   */
  async run<Asked extends Question>(
    tenantId: string,
    question: Asked,
    targets: readonly AskedTarget[],
    options: SearchOptions,
  ): Promise<Answers[Asked['kind']]> {
    const shape = this.#pool === null ? 0 : shapeOf(tenantId, question);
    const job = new SearchJob(question, targets, options, shape);
    this.#running += 1;
    try {
      return (await this.#place(job)) as Answers[Asked['kind']];
    } finally {
      this.#running -= 1;
    }
  }

  /** The workers hear what has become of the indexes. */
  follow(indexes: () => Iterable<EmbeddedIndex>): void {
    this.#pool?.follow(indexes);
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }

  #place(job: SearchJob): Promise<Answer> {
    const pool = this.#pool;
    if (pool === null) return this.#here(job, FIRST_MS, () => false);
    pool.warm();
    const guess = this.#costs.guess(job.shape);
    const { size } = job.question.plan;
    const worthMs = this.#running > 1 ? WORTH_MS + size * WORTH_MS_PER_HIT : ALONE_MS;
    if (this.#leavesAll || (guess !== undefined && guess >= worthMs)) {
      this.#away(pool, job);
      return job.answer;
    }
    const firstMs = guess === undefined ? TRIAL_MS : Math.max(FIRST_MS, worthMs);
    return this.#here(job, firstMs, () => {
      if (!pool.takesAtOnce()) return false;
      this.#away(pool, job);
      return true;
    });
  }

  #here(job: SearchJob, firstMs: number, elsewhere: () => boolean): Promise<Answer> {
    this.#scheduler.begin(this.#workOf(job, { firstMs, elsewhere }));
    return job.answer;
  }

  #away(pool: SearchPool, job: SearchJob): void {
    job.watch();
    if (job.isSettled) job.release();
    else pool.submit(job);
    if (!this.#leavesAll && pool.hasWaiting) this.#scheduler.wake();
  }

  /** A job of the main thread's. */
  #workOf(job: SearchJob, trial?: Trial): ShortWork<Finding> {
    job.onUnwanted = () => {};
    const steps = findingSteps(job.question, job.targets);
    return workFor(job, steps, (finding, tookMs) => this.#found(job, finding, tookMs), trial);
  }

  /** Documents are read by the main thread, whoever found them: it has them in its cache, or will have. */
  #found(job: SearchJob, finding: Finding, tookMs: number): void {
    this.#costs.learn(job.shape, tookMs);
    if (finding.kind !== 'search') {
      job.release();
      job.resolve(finding.answer);
      return;
    }
    job.options.onFound?.();
    const { rows, ...rest } = finding.page;
    const steps = readSteps(job.targets, job.question.plan, rows);
    this.#scheduler.begin(
      workFor(job, steps, (hits) => {
        job.release();
        job.resolve({ hits, ...rest });
      }),
    );
  }

  /** What the main thread does when it has time. */
  #more(): Work<Finding> | null {
    if (this.#pool === null || this.#leavesAll) return null;
    const job = this.#pool.take();
    this.#pool.handOutAhead();
    return job === null ? null : this.#workOf(job);
  }
}

type Trial = Pick<ShortWork<unknown>, 'firstMs' | 'elsewhere'>;

function workFor<T>(
  job: SearchJob,
  steps: Generator<void, T>,
  resolve: (value: T, tookMs: number) => void,
  { firstMs, elsewhere }: Trial = {},
): ShortWork<T> {
  const { signal, timeoutMs } = job.options;
  const { leftMs } = job;
  return {
    steps,
    signal,
    timeoutMs,
    leftMs,
    firstMs,
    elsewhere,
    resolve,
    reject: (error) => {
      job.release();
      job.reject(error);
    },
  };
}
