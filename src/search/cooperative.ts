// Runs synchronous work that yields (a search over the embedded engine) without holding the event loop: one slice of
// a few milliseconds a turn, all running tasks in rotation, so that ten heavy queries hold it no longer than one.
// Invariant: a task whose deadline has passed or whose caller went away takes no further slice.
import { ServiceError } from '../errors.ts';

/** Milliseconds, from any origin; monotonic, so that a stepped wall clock ends no query. */
export interface Clock {
  now(): number;
}

export interface SchedulerOptions {
  readonly clock?: Clock;
  /** How long one slice may take. */
  readonly sliceMs?: number;
  /** Calls back on a later turn of the event loop; for tests. */
  readonly defer?: (turn: () => void) => void;
}

export interface TaskOptions {
  /** Aborted when the caller goes away. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from now after which the task ends with `deadline_exceeded`. */
  readonly timeoutMs: number;
}

interface Task {
  readonly steps: Generator<void, unknown>;
  readonly signal: AbortSignal | undefined;
  readonly deadline: number;
  readonly timeoutMs: number;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Slice length that keeps the event loop's delay small beside the cost of a turn. */
const SLICE_MS = 10;

/** The first slice runs at once when nothing else does: a short query then costs no turn. */
const FIRST_SLICE_MS = 2;

/** Runs generators in slices, one slice a turn of the event loop. */
export class CooperativeScheduler {
  readonly #queue: Task[] = [];
  readonly #clock: Clock;
  readonly #sliceMs: number;
  readonly #defer: (turn: () => void) => void;
  #scheduled = false;

  constructor(options: SchedulerOptions = {}) {
    this.#clock = options.clock ?? performance;
    this.#sliceMs = options.sliceMs ?? SLICE_MS;
    this.#defer = options.defer ?? ((turn) => void setImmediate(turn));
  }

  /** @throws ServiceError `deadline_exceeded`, `cancelled`; and whatever the work throws */
  run<T>(steps: Generator<void, T>, options: TaskOptions): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const task: Task = {
        steps,
        signal: options.signal,
        deadline: this.#clock.now() + options.timeoutMs,
        timeoutMs: options.timeoutMs,
        resolve,
        reject,
      };
      if (this.#queue.length > 0 || !this.#slice(task, Math.min(FIRST_SLICE_MS, this.#sliceMs))) {
        this.#queue.push(task);
        this.#schedule();
      }
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0) return;
    this.#scheduled = true;
    this.#defer(() => {
      this.#scheduled = false;
      const task = this.#queue.shift();
      if (task !== undefined && !this.#slice(task, this.#sliceMs)) this.#queue.push(task);
      this.#schedule();
    });
  }

  /** One slice; whether the task is over. */
  #slice(task: Task, sliceMs: number): boolean {
    const clock = this.#clock;
    let now = clock.now();
    const sliceEnd = now + sliceMs;
    try {
      for (;;) {
        if (task.signal?.aborted) {
          throw new ServiceError('cancelled', 'The caller went away before the answer was ready');
        }
        if (now >= task.deadline) throw deadlineExceeded(task.timeoutMs);
        const step = task.steps.next();
        if (step.done) {
          task.resolve(step.value as never);
          return true;
        }
        now = clock.now();
        if (now >= sliceEnd) return false;
      }
    } catch (error) {
      abandon(task.steps);
      task.reject(error);
      return true;
    }
  }
}

function deadlineExceeded(timeoutMs: number): ServiceError {
  const seconds = timeoutMs / 1000;
  return new ServiceError('deadline_exceeded', `The query took longer than ${seconds} s`, {
    causes: [`The query was ended after ${seconds} s: narrow it or ask for less at a time`],
  });
}

/** Runs the work's own clean-up; what that throws must not hide why the work ended. */
function abandon(steps: Generator<void, unknown>): void {
  try {
    steps.return(undefined);
  } catch {
    // The task is already being rejected with the first error.
  }
}
