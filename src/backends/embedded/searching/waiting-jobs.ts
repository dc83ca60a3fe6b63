// Queue of searches that wait for a thread. The tenant with the fewest running jobs goes first, so
// that no tenant waits for all the jobs of another. Within a tenant they keep their order.
import type { SearchJob } from './search-job.ts';

export class WaitingJobs {
  readonly #tenants = new Map<string, SearchJob[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(job: SearchJob): void {
    const jobs = this.#tenants.get(job.tenantId);
    if (jobs === undefined) this.#tenants.set(job.tenantId, [job]);
    else jobs.push(job);
    this.#length += 1;
  }

  /** Removes the job; false if it is not waiting. */
  remove(job: SearchJob): boolean {
    const jobs = this.#tenants.get(job.tenantId) ?? [];
    const at = jobs.indexOf(job);
    if (at < 0) return false;
    this.#removeAt(job.tenantId, jobs, at);
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
    const jobs = chosen === null ? undefined : this.#tenants.get(chosen);
    return chosen === null || jobs === undefined ? null : this.#removeAt(chosen, jobs, 0);
  }

  /** Removes and returns all. */
  drain(): SearchJob[] {
    const jobs = [...this.#tenants.values()].flat();
    this.#tenants.clear();
    this.#length = 0;
    return jobs;
  }

  #removeAt(tenantId: string, jobs: SearchJob[], at: number): SearchJob | null {
    const [job] = jobs.splice(at, 1);
    if (job === undefined) return null;
    this.#length -= 1;
    if (jobs.length === 0) this.#tenants.delete(tenantId);
    return job;
  }
}
