// Queue of searches that wait for a thread. The tenant with the fewest running jobs goes first, so
// that no tenant waits for all the jobs of another. Within a tenant, short jobs overtake long ones,
// up to a limit.
// Invariant: no job waits for ever: jobs that come much later are queued behind it, however short
// they are.
import type { SearchJob } from './search-job.ts';

interface Entry {
  readonly job: SearchJob;
  /** Milliseconds: time of arrival, plus a delay by its estimated time. */
  readonly rank: number;
}

/** Delay of a job that others may overtake it by, in multiples of its estimated time. */
const PATIENCE = 8;

export class WaitingJobs {
  readonly #tenants = new Map<string, Entry[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** @param expectedMs estimated time; 0 if unknown */
  add(job: SearchJob, expectedMs: number): void {
    const entry = { job, rank: performance.now() + PATIENCE * expectedMs };
    const entries = this.#tenants.get(job.tenantId);
    if (entries === undefined) this.#tenants.set(job.tenantId, [entry]);
    else entries.push(entry);
    this.#length += 1;
  }

  /** Removes the job; false if it is not waiting. */
  remove(job: SearchJob): boolean {
    const entries = this.#tenants.get(job.tenantId) ?? [];
    const at = entries.findIndex((entry) => entry.job === job);
    if (at < 0) return false;
    this.#removeAt(job.tenantId, entries, at);
    return true;
  }

  /**
   * Removes and returns the next job; null if no tenant may have another one.
   * @param load number of running jobs of a tenant; infinite if it must not have another one
   */
  next(load: (tenantId: string) => number): SearchJob | null {
    let least = Number.POSITIVE_INFINITY;
    let chosen: string | null = null;
    for (const tenantId of this.#tenants.keys()) {
      const own = load(tenantId);
      if (own < least) [least, chosen] = [own, tenantId];
    }
    const entries = chosen === null ? undefined : this.#tenants.get(chosen);
    if (chosen === null || entries === undefined) return null;
    let at = 0;
    for (let i = 1; i < entries.length; i++) {
      if ((entries[i]?.rank ?? 0) < (entries[at]?.rank ?? 0)) at = i;
    }
    return this.#removeAt(chosen, entries, at);
  }

  /** Removes and returns all. */
  drain(): SearchJob[] {
    const jobs = [...this.#tenants.values()].flat().map(({ job }) => job);
    this.#tenants.clear();
    this.#length = 0;
    return jobs;
  }

  #removeAt(tenantId: string, entries: Entry[], at: number): SearchJob | null {
    const [entry] = entries.splice(at, 1);
    if (entry === undefined) return null;
    this.#length -= 1;
    if (entries.length === 0) this.#tenants.delete(tenantId);
    return entry.job;
  }
}
