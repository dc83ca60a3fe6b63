// Runs synchronous work that yields (a search over the embedded engine) without holding the event loop: what is short is
// done at once, the rest in slices of a few milliseconds, one a turn, all running tasks in rotation, so that ten heavy
// queries hold it no longer than one.
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
  /** Work that waits for whoever has time; asked for when all tasks had their share. */
  readonly more?: () => Work<unknown> | null;
}

/** Work in small steps, and who waits for it. */
export interface Work<T> {
  readonly steps: Generator<void, T>;
  /** Aborted when the caller goes away. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that it may take as its caller was promised; `leftMs` is what is left of them, where it waited before. */
  readonly timeoutMs: number;
  readonly leftMs?: number;
  /** @param tookMs what its slices took */
  resolve(value: T, tookMs: number): void;
  /** With ServiceError `deadline_exceeded`, `cancelled`, and whatever the work throws. */
  reject(error: unknown): void;
}

/** Work that is to be begun at once. */
export interface ShortWork<T> extends Work<T> {
  /** How long its first slice may take. */
  readonly firstMs?: number | undefined;
  /** Asked when that was not enough: whether it is done elsewhere from the start, and to be dropped here. */
  readonly elsewhere?: (() => boolean) | undefined;
}

interface Task {
  readonly work: ShortWork<unknown>;
  readonly deadline: number;
  tookMs: number;
}

/** Slice length that keeps the event loop's delay small beside the cost of a turn. */
const SLICE_MS = 5;

/** The first slice runs at once: a short query then costs no turn. */
const FIRST_SLICE_MS = 2;

/** What first slices may take together before the event loop has its turn. */
const AT_ONCE_MS = 10;

/** A task that took more than this shares its turns with those that wait. */
const SHARE_MS = 50;

/** Runs generators in slices, one slice a turn of the event loop. */
export class CooperativeScheduler {
  /** Not begun yet. */
  readonly #fresh: Task[] = [];
  readonly #queue: Task[] = [];
  readonly #clock: Clock;
  readonly #sliceMs: number;
  readonly #defer: (turn: () => void) => void;
  readonly #more: () => Work<unknown> | null;
  #atOnceMs = 0;
  /** Whether there may be more where the last one came from. */
  #hasMore = false;
  #scheduled = false;

  constructor(options: SchedulerOptions = {}) {
    this.#clock = options.clock ?? performance;
    this.#sliceMs = options.sliceMs ?? SLICE_MS;
    this.#defer = options.defer ?? ((turn) => void setImmediate(turn));
    this.#more = options.more ?? (() => null);
  }

  /** Begins at once, unless others did so just now. */
  begin<T>(work: ShortWork<T>): void {
    const task = this.#taskOf(work);
    if (this.#atOnceMs >= AT_ONCE_MS) this.#fresh.push(task);
    else this.#first(task);
    this.#schedule();
  }

  /** Runs on later turns. */
  add<T>(work: Work<T>): void {
    this.#queue.push(this.#taskOf(work));
    this.#schedule();
  }

  /** There is `more` to do. */
  wake(): void {
    this.#hasMore = true;
    this.#schedule();
  }

  #taskOf<T>(work: ShortWork<T>): Task {
    const { leftMs = work.timeoutMs } = work;
    const deadline = this.#clock.now() + leftMs;
    return { work: work as ShortWork<unknown>, deadline, tookMs: 0 };
  }

  #first(task: Task): void {
    const over = this.#slice(task, Math.min(task.work.firstMs ?? FIRST_SLICE_MS, this.#sliceMs));
    this.#atOnceMs += task.tookMs;
    if (over) return;
    if (task.work.elsewhere?.() === true) abandon(task.work.steps);
    else this.#queue.push(task);
  }

  #schedule(): void {
    const tasks = this.#queue.length + this.#fresh.length;
    if (this.#scheduled || (tasks === 0 && !this.#hasMore)) return;
    this.#scheduled = true;
    this.#defer(() => {
      this.#scheduled = false;
      this.#turn();
      this.#schedule();
    });
  }

  #turn(): void {
    this.#atOnceMs = 0;
    while (this.#fresh.length > 0 && this.#atOnceMs < this.#sliceMs) {
      const task = this.#fresh.shift();
      if (task !== undefined) this.#first(task);
    }
    if (this.#queue.every(({ tookMs }) => tookMs >= SHARE_MS)) {
      const work = this.#more();
      this.#hasMore = work !== null;
      if (work !== null) this.#queue.unshift(this.#taskOf(work));
    }
    const task = this.#queue.shift();
    if (task !== undefined && !this.#slice(task, this.#sliceMs)) this.#queue.push(task);
  }

  /** One slice; whether the task is over. */
  #slice(task: Task, sliceMs: number): boolean {
    const clock = this.#clock;
    const { work, deadline } = task;
    const began = clock.now();
    let now = began;
    const sliceEnd = now + sliceMs;
    try {
      for (;;) {
        if (work.signal?.aborted) throw cancelled();
        if (now >= deadline) throw deadlineExceeded(work.timeoutMs);
        const step = work.steps.next();
        now = clock.now();
        if (step.done) {
          task.tookMs += now - began;
          work.resolve(step.value, task.tookMs);
          return true;
        }
        if (now >= sliceEnd) {
          task.tookMs += now - began;
          return false;
        }
      }
    } catch (error) {
      abandon(work.steps);
      work.reject(error);
      return true;
    }
  }
}

/** The caller went away. */
export function cancelled(): ServiceError {
  return new ServiceError('cancelled', 'The caller went away before the answer was ready');
}

/** The time that a query was given is over. */
export function deadlineExceeded(timeoutMs: number): ServiceError {
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
