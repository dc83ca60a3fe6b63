// Runs synchronous work that yields (planning a request, a search over the embedded engine, projecting its hits) without
// holding the event loop: in slices of a few milliseconds, one turn of the event loop after the other. Tenants share the
// time equally (start-time fair queueing: Goyal, Vin and Cheng, 1996), and of a tenant's tasks the one that has run least
// goes first (foreground-background scheduling), so that a short task waits neither for the long ones of its own tenant
// nor for the many of another.
// Invariant: a task whose deadline has passed or whose caller went away takes no further slice.
import { ServiceError } from '../../errors.ts';

/** Milliseconds, from any origin; monotonic, so that a stepped wall clock ends no query. */
export interface Clock {
  now(): number;
}

export interface SchedulerOptions {
  readonly clock?: Clock;
  /** How long one turn may take. */
  readonly sliceMs?: number;
  /** Calls back on a later turn of the event loop; for tests. */
  readonly defer?: (turn: () => void) => void;
}

/** How long work may take, who waits for it, and whose it is. */
export interface WorkOptions {
  /** Aborted when the caller goes away. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Whose time it takes: a tenant; work of nobody in particular shares one part of the time. */
  readonly tenantId?: string | undefined;
}

/** Work in small steps, and who waits for it. */
export interface Work<T> extends WorkOptions {
  readonly steps: Generator<void, T>;
  /** What is left of `timeoutMs`, where the work waited before. */
  readonly leftMs?: number;
  /** How long its first slice may take. */
  readonly firstMs?: number | undefined;
  /** Asked when that was not enough: whether it is done elsewhere from the start, and to be dropped here. */
  readonly elsewhere?: (() => boolean) | undefined;
  /** @param tookMs what its slices took */
  resolve(value: T, tookMs: number): void;
  /** With ServiceError `deadline_exceeded`, `cancelled`, and whatever the work throws. */
  reject(error: unknown): void;
}

interface Task {
  readonly work: Work<unknown>;
  readonly deadline: number;
  tookMs: number;
}

interface Tenant {
  /** Milliseconds of service; a tenant that comes back begins where the others are. */
  virtualMs: number;
  /** In the order in which they came. */
  readonly tasks: Task[];
}

/** Slice length that keeps the event loop's delay small beside the cost of a turn. */
const SLICE_MS = 5;

/** The first slice runs at once: a short query then costs no turn. */
const FIRST_SLICE_MS = 2;

/** What first slices may take together before the event loop has its turn. */
const AT_ONCE_MS = 10;

/** First slices take more than this before a turn only where one of them is a long step. */
const LONG_AHEAD_MS = 15;

/** Runs generators in slices. */
export class CooperativeScheduler {
  /** Those that had work since the scheduler was last idle. */
  readonly #tenants = new Map<string, Tenant>();
  readonly #clock: Clock;
  readonly #sliceMs: number;
  readonly #defer: (turn: () => void) => void;
  /** The virtual time of the tenant that was served last. */
  #virtualMs = 0;
  #waiting = 0;
  /** What first slices outside of turns have taken since the last one. */
  #atOnceMs = 0;
  /** True if the last turn was left to such a first slice. */
  #hasPassed = false;
  #scheduled = false;

  constructor(options: SchedulerOptions = {}) {
    this.#clock = options.clock ?? performance;
    this.#sliceMs = options.sliceMs ?? SLICE_MS;
    this.#defer = options.defer ?? ((turn) => void setImmediate(turn));
  }

  /**
   * Begins at once, unless others did so just now or a tenant that had less waits.
   * @param work `resolve` and `reject` are perhaps called before this returns
   */
  begin<T>(work: Work<T>): void {
    const task = this.#taskOf(work);
    const tenant = this.#tenantOf(work.tenantId ?? '');
    const isNext = this.#waiting === 0 || this.#leastServed(tenant) === tenant;
    if (this.#atOnceMs >= AT_ONCE_MS || !isNext) this.#enqueue(tenant, task);
    else this.#atOnceMs += this.#first(tenant, task);
    this.#schedule();
  }

  /**
   * As `begin`; resolves to what the steps return.
   * @throws ServiceError `deadline_exceeded`, `cancelled`, and whatever the steps throw
   */
  run<T>(steps: Generator<void, T>, options: WorkOptions): Promise<T> {
    const { signal, timeoutMs, tenantId } = options;
    return new Promise((resolve, reject) => {
      this.begin({ steps, signal, timeoutMs, tenantId, resolve, reject });
    });
  }

  #taskOf<T>(work: Work<T>): Task {
    const { leftMs = work.timeoutMs } = work;
    const deadline = this.#clock.now() + leftMs;
    return { work: work as Work<unknown>, deadline, tookMs: 0 };
  }

  /** Time in which a tenant asked for nothing is not saved up. */
  #tenantOf(id: string): Tenant {
    const known = this.#tenants.get(id);
    if (known !== undefined) {
      if (known.tasks.length === 0) known.virtualMs = Math.max(known.virtualMs, this.#virtualMs);
      return known;
    }
    const tenant = { virtualMs: this.#virtualMs, tasks: [] };
    this.#tenants.set(id, tenant);
    return tenant;
  }

  #enqueue(tenant: Tenant, task: Task): void {
    tenant.tasks.push(task);
    this.#waiting += 1;
  }

  #schedule(): void {
    if (this.#waiting === 0) {
      // Nobody is owed anything.
      this.#tenants.clear();
      return;
    }
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#defer(() => {
      this.#scheduled = false;
      this.#turn();
      this.#schedule();
    });
  }

  #turn(): void {
    // One long step may have run just before this turn: what waits then runs in the next turn, so that the two do not add up.
    const isSpent = this.#atOnceMs >= LONG_AHEAD_MS && !this.#hasPassed;
    this.#atOnceMs = 0;
    this.#hasPassed = isSpent;
    if (isSpent) return;
    let leftMs = this.#sliceMs;
    while (this.#waiting > 0 && leftMs > 0) {
      const tenant = this.#leastServed();
      if (tenant === null) return;
      this.#virtualMs = tenant.virtualMs;
      const task = takeLeastRun(tenant.tasks);
      this.#waiting -= 1;
      leftMs -= task.tookMs === 0 ? this.#first(tenant, task) : this.#further(tenant, task, leftMs);
    }
  }

  /** Of the tenants that wait, and perhaps another, the one that had least; that other one where there is a tie. */
  #leastServed(least: Tenant | null = null): Tenant | null {
    let best = least;
    for (const tenant of this.#tenants.values()) {
      if (tenant.tasks.length === 0) continue;
      if (best === null || tenant.virtualMs < best.virtualMs) best = tenant;
    }
    return best;
  }

  /** The first slice of a task; what it took, in milliseconds. */
  #first(tenant: Tenant, task: Task): number {
    const isOver = this.#slice(task, Math.min(task.work.firstMs ?? FIRST_SLICE_MS, this.#sliceMs));
    tenant.virtualMs += task.tookMs;
    if (isOver) return task.tookMs;
    if (task.work.elsewhere?.() === true) abandon(task.work.steps);
    else this.#enqueue(tenant, task);
    return task.tookMs;
  }

  #further(tenant: Tenant, task: Task, sliceMs: number): number {
    const before = task.tookMs;
    if (!this.#slice(task, sliceMs)) this.#enqueue(tenant, task);
    const tookMs = task.tookMs - before;
    tenant.virtualMs += tookMs;
    return tookMs;
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
      task.tookMs += now - began;
      abandon(work.steps);
      work.reject(error);
      return true;
    }
  }
}

/** Removes the task that has run least, the oldest of them where there is a tie. */
function takeLeastRun(tasks: Task[]): Task {
  let at = 0;
  for (let i = 1; i < tasks.length; i++) {
    if ((tasks[i]?.tookMs ?? 0) < (tasks[at]?.tookMs ?? 0)) at = i;
  }
  const [task] = tasks.splice(at, 1);
  if (task === undefined) throw new RangeError('The tenant has no task');
  return task;
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
