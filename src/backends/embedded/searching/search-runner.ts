// Decides where a question is answered. What takes less than handing it over does is answered at once by the main thread;
// the rest goes to the search workers. The main thread answers it in slices where there are no workers, or none yet.
// Invariant: a short question waits for no long one.

import type { SearchOptions } from '../../../identity/ports/search-backend.ts';
import { CooperativeScheduler, type Work } from '../../../identity/scheduling/cooperative.ts';
import type { EmbeddedIndex } from '../embedded-index.ts';
import { isLargePlan, QueryCosts, shapeOf } from './query-costs.ts';
import { readSteps } from './query-steps.ts';
import {
  type Answer,
  type Answers,
  type Finding,
  findingSteps,
  type Question,
} from './question.ts';
import { questionTextSteps } from './question-text.ts';
import { type AskedTarget, SearchJob } from './search-job.ts';
import { SearchPool } from './search-pool.ts';
import type { StartSearchWorker } from './search-thread.ts';

export interface RunnerOptions {
  /** Search workers; 0: the main thread does it all. */
  readonly workers: number;
  /** `never`: the main thread leaves everything to the workers, for tests. */
  readonly mainThread?: 'as it pays' | 'never' | undefined;
  readonly startWorker?: StartSearchWorker | undefined;
  /** Runs what the main thread does; one of its own when left out. */
  readonly scheduler?: CooperativeScheduler | undefined;
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
    const { workers, startWorker, died } = options;
    this.#leavesAll = options.mainThread === 'never';
    this.#scheduler = options.scheduler ?? new CooperativeScheduler();
    this.#pool =
      workers === 0
        ? null
        : new SearchPool({
            count: workers,
            start: startWorker,
            found: (job, finding, tookMs) => this.#found(job, finding, tookMs),
            orphaned: (job) => this.#scheduler.begin(this.#workOf(job)),
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
    const job = new SearchJob(tenantId, question, targets, options, shape);
    this.#running += 1;
    try {
      return (await this.#route(job)) as Answers[Asked['kind']];
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

  #route(job: SearchJob): Promise<Answer> {
    const pool = this.#pool;
    if (pool === null) return this.#runLocally(job, FIRST_MS, () => false);
    pool.warm();
    if (isLargePlan(job.question.plan)) return this.#large(pool, job);
    const guess = this.#costs.guess(job.shape);
    const { size } = job.question.plan;
    const worthMs = this.#running > 1 ? WORTH_MS + size * WORTH_MS_PER_HIT : ALONE_MS;
    const isLong = guess !== undefined && guess >= worthMs;
    if (this.#leavesAll || (isLong && pool.isReady)) {
      this.#dispatch(pool, job);
      return job.answer;
    }
    const firstMs = guess === undefined ? TRIAL_MS : Math.max(FIRST_MS, worthMs);
    return this.#runLocally(job, firstMs, () => {
      if (!pool.isReady) return false;
      this.#dispatch(pool, job);
      return true;
    });
  }

  #runLocally(job: SearchJob, firstMs: number, elsewhere: () => boolean): Promise<Answer> {
    this.#scheduler.begin(this.#workOf(job, { firstMs, elsewhere }));
    return job.answer;
  }

  /** A large plan is written as text in steps before a worker gets it. */
  #large(pool: SearchPool, job: SearchJob): Promise<Answer> {
    this.#scheduler.begin(
      workFor(job, questionTextSteps(job.question), (text) => {
        job.questionText = text;
        this.#dispatch(pool, job);
      }),
    );
    return job.answer;
  }

  #dispatch(pool: SearchPool, job: SearchJob): void {
    job.watch();
    if (job.isSettled) job.release();
    else pool.submit(job, this.#costs.guess(job.shape) ?? 0);
  }

  /** A job of the main thread's. */
  #workOf(job: SearchJob, trial?: Trial): Work<Finding> {
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
}

type Trial = Pick<Work<unknown>, 'firstMs' | 'elsewhere'>;

function workFor<T>(
  job: SearchJob,
  steps: Generator<void, T>,
  resolve: (value: T, tookMs: number) => void,
  { firstMs, elsewhere }: Trial = {},
): Work<T> {
  const { signal, timeoutMs } = job.options;
  const { leftMs } = job;
  return {
    steps,
    tenantId: job.tenantId,
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
