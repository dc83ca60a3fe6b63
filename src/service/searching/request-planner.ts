// Plans requests in slices, against the mappings of what their reader sees, and records the names that
// no index has. A request with `via.…` is planned twice: see AccessPaths.
import type { Reader } from '../../auth/caller.ts';
import { AccessPaths } from '../../query/language/access-paths.ts';
import { NearestNames } from '../../query/mapping/nearest-name.ts';
import type { PlanContext, QueryLimits } from '../../query/requests/search-request.ts';
import { type PlannedRequest, warningSteps } from '../../query/requests/unknown-names.ts';
import type { Steps } from '../../query/steps.ts';
import type { CooperativeScheduler, WorkOptions } from '../../scheduling/cooperative.ts';
import type { ReadOptions } from '../ports/search-backend.ts';
import type { VisibleIndexes } from '../views/visible-indexes.ts';
import { lookUpPaths } from './access-path-lookup.ts';
import type { Visibility } from './visibility.ts';

/** Options of all parts of a request. */
export type RequestOptions = ReadOptions & WorkOptions & { readonly tenantId: string };

/** A request of a reader. */
export interface ReadRequest {
  readonly reader: Reader;
  readonly options: RequestOptions;
}

/** A request that was planned, and what runs it. */
export interface Planning<Planned> extends PlannedRequest<Planned> {
  /** What the plan runs on, and the mappings that it was made with. */
  readonly indexes: VisibleIndexes;
  /** The grants that clauses `via.…` refer to. */
  readonly accessPaths: AccessPaths;
  readonly options: RequestOptions;
}

/** What planning uses. */
export interface PlanningSources {
  readonly visibility: Visibility;
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
    { reader, options }: ReadRequest,
    steps: (context: PlanContext) => Steps<Planned>,
  ): Promise<Planning<Planned>> {
    const { visibility, clock, limits, scheduler } = this.#sources;
    const indexes = await visibility.of(reader);
    const mapping: PlanContext['mapping'] = (index) => indexes.mappings[index];
    const accessPaths = new AccessPaths(mapping);
    const now = clock.now();
    const context = { mapping, now, limits, nearestNames: this.#nearestNames, accessPaths };
    const run = () => scheduler.run(warningSteps(context, steps), options);
    const planned = await run();
    if (accessPaths.conditions.length === 0) return { indexes, accessPaths, options, ...planned };
    await lookUpPaths(accessPaths, { indexes, scheduler, limits, options });
    return { indexes, accessPaths, options, ...(await run()) };
  }
}
