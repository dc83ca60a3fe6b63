// Plans requests in slices, against the mappings of their tenant, and records the names that no index
// has. A request with `via.…` is planned twice: see AccessPaths.
import { AccessPaths } from '../../query/language/access-paths.ts';
import { NearestNames } from '../../query/mapping/nearest-name.ts';
import { type PlannedRequest, warningSteps } from '../../query/mapping/unknown-names.ts';
import type { PlanContext, QueryLimits } from '../../query/search-request.ts';
import type { Steps } from '../../query/steps.ts';
import {
  type CooperativeScheduler,
  sharedTime,
  type WorkOptions,
} from '../../scheduling/cooperative.ts';
import type { Documents } from '../documents/documents.ts';
import type { Mappings } from '../documents/mapping-cache.ts';
import type { SearchBackend, SearchOptions } from '../ports/search-backend.ts';
import { lookUpPaths } from './access-path-lookup.ts';

/** Options of all parts of a request. */
export type RequestOptions = SearchOptions & WorkOptions & { readonly tenantId: string };

/** A request that was planned, and what runs it. */
export interface Planning<Planned> extends PlannedRequest<Planned> {
  readonly mappings: Mappings;
  /** The grants that clauses `via.…` refer to. */
  readonly accessPaths: AccessPaths;
  /**
   * For what follows: with the mappings, and with the time that is left after paths were looked up.
   */
  readonly options: RequestOptions;
}

/** What planning uses. */
export interface PlanningSources {
  readonly backend: Pick<SearchBackend, 'search'>;
  readonly documents: Pick<Documents, 'mappings'>;
  readonly clock: { now(): number };
  readonly limits: QueryLimits;
  readonly scheduler: CooperativeScheduler;
}

export class RequestPlanner {
  readonly #sources: PlanningSources;
  readonly #nearestNames = new NearestNames();

  constructor(sources: PlanningSources) {
    this.#sources = sources;
  }

  /**
   * Plans a request with these steps.
   * @throws ServiceError as they do, `deadline_exceeded`, `cancelled`, and as a search of the backend
   */
  async plan<Planned>(
    request: RequestOptions,
    steps: (context: PlanContext) => Steps<Planned>,
  ): Promise<Planning<Planned>> {
    const { documents, clock, limits, scheduler, backend } = this.#sources;
    const began = performance.now();
    const { tenantId } = request;
    const mappings = await documents.mappings(tenantId);
    const mapping: PlanContext['mapping'] = (index) => mappings[index];
    const accessPaths = new AccessPaths(mapping);
    const now = clock.now();
    const context = { mapping, now, limits, nearestNames: this.#nearestNames, accessPaths };
    const options: RequestOptions = { mappings, ...request };
    const run = (within: WorkOptions) => scheduler.run(warningSteps(context, steps), within);
    const planned = await run(options);
    if (accessPaths.conditions.length === 0) return { mappings, accessPaths, options, ...planned };
    const left = sharedTime(options, began);
    await lookUpPaths(accessPaths, { tenantId, backend, scheduler, limits, options: left() });
    return { mappings, accessPaths, ...(await run(left())), options: left() };
  }
}
