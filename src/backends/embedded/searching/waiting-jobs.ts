// Searches that wait for a thread. The tenant that has least with the threads goes first, so that nobody waits behind all
// that another has asked; of a tenant's own, what is expected to take long lets short ones pass, up to a bound.
// Invariant: no job waits for ever: what comes much later goes behind it, however short it is.
import type { SearchJob } from './search-job.ts';

interface Entry {
  readonly job: SearchJob;
  /** Milliseconds: when it came, moved back by what it is expected to take. */
  readonly rank: number;
}

/** How many times what it is expected to take a job lets others pass. */
const PATIENCE = 8;

export class WaitingJobs {
  readonly #tenants = new Map<string, Entry[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** @param expectedMs what it is expected to take; 0 where nobody knows */
  add(job: SearchJob, expectedMs: number): void {
    const entry = { job, rank: performance.now() + PATIENCE * expectedMs };
    const entries = this.#tenants.get(job.tenantId);
    if (entries === undefined) this.#tenants.set(job.tenantId, [entry]);
    else entries.push(entry);
    this.#length += 1;
  }

  /** Removes the job; false where it does not wait. */
  remove(job: SearchJob): boolean {
    const entries = this.#tenants.get(job.tenantId) ?? [];
    const at = entries.findIndex((entry) => entry.job === job);
    if (at < 0) return false;
    this.#removeAt(job.tenantId, entries, at);
    return true;
  }

  /**
   * Removes and returns the next job; null where no tenant may have one more.
   * @param load how many jobs of a tenant threads have; infinite where it must not have another
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
