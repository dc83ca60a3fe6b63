// Runs synchronous generators (planning, searches of the embedded engine, projection of hits)
// without blocking the event loop: in slices of a millisecond, one per turn. Tenants get equal
// time (fair-order.ts), and within a tenant the task that has run least goes first
// (foreground-background scheduling), so short tasks wait neither for long ones of their tenant nor
// for the many of another.
// Invariant: a task past its deadline or without a waiting caller gets no further slice.
import { type Clock, cancelled, type Deadline } from './deadline.ts';
import { FairOrder, leastServed, type Served } from './fair-order.ts';

export interface SchedulerOptions {
  /** That of deadlines, too. */
  readonly clock?: Clock;
  /** Duration of one turn. */
  readonly sliceMs?: number;
  /** Duration of the first slice of a task. */
  readonly firstSliceMs?: number;
  /** Calls back on a later turn of the event loop; for tests. */
  readonly defer?: (turn: () => void) => void;
}

/** Time limit, cancellation and tenant of some work. */
export interface WorkOptions {
  /** Aborted when the caller disconnects. */
  readonly signal?: AbortSignal | undefined;
  readonly deadline: Deadline;
  /** The tenant whose time is used; work without a tenant shares one such part. */
  readonly tenantId?: string | undefined;
}

/** Work in small steps, with its callbacks. */
export interface Work<T> extends WorkOptions {
  readonly steps: Generator<void, T>;
  resolve(value: T): void;
  /** With ServiceError `deadline_exceeded`, `cancelled`, or an error of the work. */
  reject(error: unknown): void;
}

interface Task {
  readonly work: Work<unknown>;
  tookMs: number;
}

interface Tenant extends Served {
  /** In order of arrival. */
  readonly tasks: Task[];
  /** The busy period in which `virtualMs` was counted. */
  period: number;
}

/**
 * A short request of another tenant waits for some of them: with 5 ms its median was 10 to 16 ms beside twelve
 * long searches on one thread, with 1 ms it is 3. A turn of the event loop costs some hundredths of one.
 */
const SLICE_MS = 1;

/** The first slice runs at once, so that a short query needs no turn. */
const FIRST_SLICE_MS = 1;

/** Maximum time of first slices before the event loop gets a turn. */
const FIRST_SLICES_MS = 10;

/** First slices take longer than this before a turn only if one of them has a long step. */
const LONG_AHEAD_MS = 15;

/**
 * Most tenants that are kept while nothing waits. A map that is cleared after each request would leave a
 * chain of tables, which lives until the next collection of old garbage.
 */
const TENANTS_KEPT = 64;

/** Runs generators in slices. */
export class CooperativeScheduler {
  /** Those that had work lately. */
  readonly #tenants = new Map<string, Tenant>();
  /** A number of the time since the scheduler was last idle. */
  #period = 0;
  readonly #clock: Clock;
  readonly #sliceMs: number;
  readonly #firstSliceMs: number;
  readonly #defer: (turn: () => void) => void;
  readonly #order = new FairOrder();
  #waiting = 0;
  /** Time of first slices outside of turns since the last turn. */
  #firstSlicesMs = 0;
  /** True if the last turn was skipped because of such a first slice. */
  #skippedTurn = false;
  #scheduled = false;

  constructor(options: SchedulerOptions = {}) {
    this.#clock = options.clock ?? performance;
    this.#sliceMs = options.sliceMs ?? SLICE_MS;
    this.#firstSliceMs = options.firstSliceMs ?? FIRST_SLICE_MS;
    this.#defer = options.defer ?? ((turn) => void setImmediate(turn));
  }

  /**
   * Starts at once, unless others just did or a tenant with less service time is waiting.
   * @param work `resolve` and `reject` may be called before this returns
   */
  begin<T>(work: Work<T>): void {
    const task = { work: work as Work<unknown>, tookMs: 0 };
    const tenant = this.#tenantOf(work.tenantId ?? '');
    const isNext =
      this.#waiting === 0 || leastServed(this.#tenants.values(), isWaiting, tenant) === tenant;
    if (this.#firstSlicesMs >= FIRST_SLICES_MS || !isNext) this.#enqueue(tenant, task);
    else this.#firstSlicesMs += this.#runFirst(tenant, task);
    this.#schedule();
  }

  /**
   * Like `begin`; resolves to the result of the steps.
   * @throws ServiceError `deadline_exceeded`, `cancelled`, and errors of the steps
   */
  run<T>(steps: Generator<void, T>, options: WorkOptions): Promise<T> {
    const { signal, deadline, tenantId } = options;
    return new Promise((resolve, reject) => {
      this.begin({ steps, signal, deadline, tenantId, resolve, reject });
    });
  }

  /** The tenant, without credit for idle time. */
  #tenantOf(id: string): Tenant {
    const period = this.#period;
    const tenant = this.#tenants.get(id);
    if (tenant === undefined) {
      const newTenant = { virtualMs: this.#order.virtualMs, tasks: [], period };
      this.#tenants.set(id, newTenant);
      return newTenant;
    }
    if (tenant.period !== period) {
      tenant.period = period;
      tenant.virtualMs = this.#order.virtualMs;
    } else if (!isWaiting(tenant)) this.#order.level(tenant);
    return tenant;
  }

  #enqueue(tenant: Tenant, task: Task): void {
    tenant.tasks.push(task);
    this.#waiting += 1;
  }

  #schedule(): void {
    if (this.#waiting === 0) {
      // Nothing is waiting, so no tenant is behind another.
      this.#period += 1;
      if (this.#tenants.size > TENANTS_KEPT) this.#tenants.clear();
      return;
    }
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#defer(() => {
      this.#scheduled = false;
      this.#runTurn();
      this.#schedule();
    });
  }

  #runTurn(): void {
    // A long step may have run just before this turn: waiting tasks run in the next turn, so that
    // the two do not add up.
    const isSpent = this.#firstSlicesMs >= LONG_AHEAD_MS && !this.#skippedTurn;
    this.#firstSlicesMs = 0;
    this.#skippedTurn = isSpent;
    if (isSpent) return;
    let leftMs = this.#sliceMs;
    while (this.#waiting > 0 && leftMs > 0) {
      const tenant = leastServed(this.#tenants.values(), isWaiting);
      if (tenant === null) return;
      this.#order.serve(tenant);
      const task = takeLeastRun(tenant.tasks);
      this.#waiting -= 1;
      leftMs -=
        task.tookMs === 0 ? this.#runFirst(tenant, task) : this.#continue(tenant, task, leftMs);
    }
  }

  /** Runs the first slice of a task. @returns its duration in milliseconds */
  #runFirst(tenant: Tenant, task: Task): number {
    // path: first slice
    const isOver = this.#runSlice(task, Math.min(this.#firstSliceMs, this.#sliceMs));
    tenant.virtualMs += task.tookMs;
    if (!isOver) this.#enqueue(tenant, task);
    return task.tookMs;
  }

  #continue(tenant: Tenant, task: Task, sliceMs: number): number {
    // path: later slice
    const before = task.tookMs;
    if (!this.#runSlice(task, sliceMs)) this.#enqueue(tenant, task);
    const tookMs = task.tookMs - before;
    tenant.virtualMs += tookMs;
    return tookMs;
  }

  /** Runs one slice. @returns whether the task has ended */
  #runSlice(task: Task, sliceMs: number): boolean {
    const clock = this.#clock;
    const { work } = task;
    const began = clock.now();
    let now = began;
    const sliceEnd = now + sliceMs;
    try {
      for (;;) {
        if (work.signal?.aborted) throw cancelled();
        if (now >= work.deadline.at) throw work.deadline.exceeded();
        const step = work.steps.next();
        now = clock.now();
        if (step.done) {
          task.tookMs += now - began;
          work.resolve(step.value);
          return true;
        }
        if (now >= sliceEnd) {
          task.tookMs += now - began;
          return false;
        }
      }
    } catch (error) {
      task.tookMs += now - began;
      abandon(work.steps);
      work.reject(error);
      return true;
    }
  }
}

function isWaiting({ tasks }: Tenant): boolean {
  return tasks.length > 0;
}

/** Removes the task that has run least, the oldest on ties. */
function takeLeastRun(tasks: Task[]): Task {
  let at = 0;
  for (let i = 1; i < tasks.length; i++) {
    if ((tasks[i]?.tookMs ?? 0) < (tasks[at]?.tookMs ?? 0)) at = i;
  }
  const [task] = tasks.splice(at, 1);
  if (task === undefined) throw new RangeError('The tenant has no task');
  return task;
}

/** Runs the work's own clean-up, ignoring its errors: they must not hide why the work ended. */
function abandon(steps: Generator<void, unknown>): void {
  try {
    steps.return(undefined);
  } catch {
    // The task is already being rejected with the first error.
  }
}
