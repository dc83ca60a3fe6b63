// Caches the plans of repeated requests. Dashboards and scripts repeat requests, and planning a
// query costs more than running a small one.
// Invariant: a plan is reused only for the same body, parameters, tenant and fields, and only if it
// does not depend on the clock. A plan that may be returned twice is frozen, so that a search backend
// can remember by it.
import type { SearchParameters } from '../../query/page.ts';
import type { Plan } from '../../query/plan.ts';
import type { Mappings } from '../documents/mapping-cache.ts';

/** The parts of a request that its plan depends on. */
export interface PlanKey {
  readonly operation: 'search' | 'count' | 'aggregate';
  readonly tenantId: string;
  /** Parsed JSON. Only frozen bodies are cached, and they must be deeply frozen. */
  readonly body: unknown;
  readonly parameters: SearchParameters;
  readonly mappings: Mappings;
}

/** A plan with what else was made of its request. */
interface WithPlan {
  readonly plan: Plan;
}

interface CacheEntry extends PlanKey {
  readonly planned: WithPlan;
}

/** A plan that was just made. */
export interface FreshPlan<Planned> {
  readonly planned: Planned;
  /** Whether it is valid at this moment only. */
  readonly usesNow: boolean;
}

/** Maximum number of plans per body, over pages, tenants and operations. */
const ENTRIES_MAX = 8;

/** Caches a plan for the lifetime of its request body. */
export class PlanCache {
  readonly #entries = new WeakMap<object, CacheEntry[]>();

  /** The cached plan, or the result of `plan`; each operation has its own result type. */
  async getOrPlan<Planned extends WithPlan>(
    key: PlanKey,
    plan: () => Promise<FreshPlan<Planned>>,
  ): Promise<Planned> {
    const { body } = key;
    if (typeof body !== 'object' || body === null) return (await plan()).planned;
    const cached = this.#entries.get(body)?.find((one) => isSame(one, key));
    if (cached?.mappings === key.mappings) return cached.planned as Planned;
    const { planned, usesNow } = await plan();
    if (!usesNow && Object.isFrozen(body)) {
      Object.freeze(planned.plan);
      this.#add(body, { planned, ...key });
    }
    return planned;
  }

  /** Adds a plan, in place of one for other fields. */
  #add(body: object, entry: CacheEntry): void {
    const entries = this.#entries.get(body) ?? [];
    const at = entries.findIndex((one) => isSame(one, entry));
    if (at >= 0) entries.splice(at, 1);
    else if (entries.length >= ENTRIES_MAX) entries.shift();
    entries.push(entry);
    this.#entries.set(body, entries);
  }
}

function isSame(one: PlanKey, other: PlanKey): boolean {
  const { offset, limit, count } = one.parameters;
  return (
    one.operation === other.operation &&
    one.tenantId === other.tenantId &&
    offset === other.parameters.offset &&
    limit === other.parameters.limit &&
    count === other.parameters.count
  );
}
