// Looks up what roles and access profiles grant, for the clauses `via.…` of a query: a role grants
// its access profiles, their entitlements and its own; an access profile grants its entitlements.
// It reads the search index, like the query itself, so that a change of a role is in effect with its
// next refresh.
// Many roles would make a query of too many clauses, while few of them grant what it is about: then
// one aggregation finds the ids of the elements in question, and roles without any are left out. That
// changes no answer, since an element that matches is among these elements.
// Invariant: memory is bounded by a page of roles and by the terms that the query may have.
import type { ServiceError } from '../../errors.ts';
import { nestedIn } from '../../query/build.ts';
import type {
  AccessPaths,
  FoundGrants,
  Grant,
  GrantingIndex,
  PathCondition,
} from '../../query/language/access-paths.ts';
import { ACCESS } from '../../query/language/via-clause.ts';
import { limitFault, type QueryLimits } from '../../query/limits.ts';
import type { Plan } from '../../query/plan.ts';
import type { Query } from '../../query/query.ts';
import type { Steps } from '../../query/steps.ts';
import type { CooperativeScheduler, WorkOptions } from '../../scheduling/cooperative.ts';
import type { Hit, ReadOptions } from '../ports/search-backend.ts';
import type { VisibleIndexes } from '../views/visible-indexes.ts';
import { type AccessReferences, documentOf, referencesIn } from './access-references.ts';
import { hitPages } from './rows/hit-walk.ts';

/** Documents that are read and parsed at a time. */
const PAGE = 50;
/** Ids of one query. */
const IDS_MAX = 1_000;
/** From this number of roles on, those that cannot matter are left out. */
const NARROW_FROM = 50;
/** Entitlements of access profiles that are kept for each term that a query may have. */
const KEPT_OF_TERMS = 4;
const NONE: readonly string[] = [];

/** What looking up uses of the search use case. */
export interface PathSources {
  readonly indexes: Pick<VisibleIndexes, 'search' | 'checkReader'>;
  /** The time limit is that of all lookups together. */
  readonly options: ReadOptions & WorkOptions;
  readonly scheduler: CooperativeScheduler;
  readonly limits: Pick<QueryLimits, 'maxWindow' | 'maxTerms' | 'maxBuckets'>;
}

/** A role or access profile. */
interface Container extends AccessReferences {
  readonly id: string;
}

/** Some matching roles or access profiles. */
interface ContainerPage {
  /** The number of all that match; null after the first page. */
  readonly total: number | null;
  readonly containers: readonly Container[];
}

/**
 * Looks up all conditions that planning met.
 * @throws ServiceError as a search of the backend; `limit_exceeded`
 */
export async function lookUpPaths(paths: AccessPaths, sources: PathSources): Promise<void> {
  const lookup = new Lookup(sources);
  for (const condition of paths.conditions) {
    paths.resolve(condition, await lookup.grantsOf(condition));
  }
}

/** The lookups of one request, which share its time and its limits. */
class Lookup {
  readonly #sources: PathSources;
  /** Pages are read and dropped, so their memory is not counted. */
  readonly #options: ReadOptions & WorkOptions;
  /** Ids that may still be granted: the query that they make has no more terms. */
  #grantsLeft: number;
  /** Entitlements of access profiles that may still be kept. Roles may grant the same ones. */
  #keptLeft: number;

  constructor(sources: PathSources) {
    this.#sources = sources;
    this.#options = { ...sources.options, memory: undefined };
    const { maxTerms } = sources.limits;
    this.#grantsLeft = maxTerms;
    this.#keptLeft = KEPT_OF_TERMS * maxTerms;
  }

  /** The grants of a condition; what a page of roles refers to is read before the next page. */
  async grantsOf({ index, query, elements }: PathCondition): Promise<FoundGrants> {
    const profiles = new Map<string, readonly string[]>();
    const grants: Grant[] = [];
    let matched = 0;
    let ids: ReadonlySet<string> | null = null;
    for await (const { total, containers } of this.#pages(index, query)) {
      if ((total ?? 0) >= NARROW_FROM && elements.kind !== 'matchAll') {
        ids = await this.#elementIds(elements);
      }
      matched += containers.length;
      if (index === 'roles') await this.#readProfiles(containers, ids, profiles);
      const steps = this.#grantSteps(containers, ids, profiles);
      grants.push(...(await this.#sources.scheduler.run(steps, this.#options)));
    }
    return { matched, grants };
  }

  /** What roles or access profiles grant, those that grant nothing left out. */
  *#grantSteps(
    containers: readonly Container[],
    ids: ReadonlySet<string> | null,
    profiles: ReadonlyMap<string, readonly string[]>,
  ): Steps<Grant[]> {
    const grants: Grant[] = [];
    for (const { id, accessProfiles, entitlements } of containers) {
      const granted = new Set(among(ids, [...accessProfiles, ...entitlements]));
      for (const profileId of accessProfiles) {
        for (const one of profiles.get(profileId) ?? NONE) granted.add(one);
      }
      this.#grantsLeft -= granted.size;
      if (this.#grantsLeft < 0) throw this.#limitFault('ids that via.… grants');
      if (granted.size > 0) grants.push({ id, grantedIds: [...granted].sort() });
      yield;
    }
    return grants;
  }

  /**
   * Reads the access profiles of roles that were not read before.
   * @param ids the entitlements to keep; null: all
   * @param profiles entitlements by the id of the access profile
   */
  async #readProfiles(
    roles: readonly Container[],
    ids: ReadonlySet<string> | null,
    profiles: Map<string, readonly string[]>,
  ): Promise<void> {
    const unread = new Set<string>();
    for (const { accessProfiles } of roles) {
      for (const id of accessProfiles) if (!profiles.has(id)) unread.add(id);
    }
    if (profiles.size + unread.size > this.#sources.limits.maxTerms) {
      throw this.#limitFault('access profiles of the roles of via.role');
    }
    const values = [...unread];
    for (const id of values) profiles.set(id, NONE);
    for (let at = 0; at < values.length; at += IDS_MAX) {
      const query: Query = { kind: 'ids', values: values.slice(at, at + IDS_MAX) };
      for await (const { containers } of this.#pages('accessprofiles', query)) {
        for (const { id, entitlements } of containers) {
          const kept = among(ids, entitlements);
          this.#keptLeft -= kept.length;
          if (this.#keptLeft < 0) throw this.#limitFault('entitlements that via.role grants');
          if (kept.length > 0) profiles.set(id, kept);
        }
      }
    }
  }

  /** The ids of all elements of access in the tenant that match; null if there are too many. */
  async #elementIds(elements: Query): Promise<ReadonlySet<string> | null> {
    const { indexes, limits } = this.#sources;
    // One bucket for each id, and one for each level above.
    const size = Math.min(limits.maxTerms, limits.maxBuckets - 2);
    const source = { kind: 'strings', field: `${ACCESS}.id` } as const;
    const order = [{ by: 'count', order: 'desc' }] as const;
    const ids = { kind: 'terms', source, size, minDocCount: 1, order, aggregations: {} } as const;
    const matching = { kind: 'filter', query: elements, aggregations: { ids } } as const;
    const access = { kind: 'nested', path: ACCESS, aggregations: { matching } } as const;
    const { aggregations } = await indexes.search(
      {
        targets: [
          { index: 'identities', query: nestedIn(ACCESS, elements), aggregations: { access } },
        ],
        ...{ sort: [], from: 0, size: 0, trackTotal: false, maxBuckets: limits.maxBuckets },
        source: { includes: [], excludes: [], nested: false },
      },
      this.#options,
    );
    const result = aggregations?.value() as
      | { readonly access: { readonly matching: { readonly ids: TermBuckets } } }
      | undefined;
    if (result === undefined) return new Set();
    const { buckets, sum_other_doc_count: others } = result.access.matching.ids;
    return others > 0 ? null : new Set(buckets.map(({ key }) => key));
  }

  /** All matching documents, a page after the other. @throws ServiceError `limit_exceeded` */
  async *#pages(index: GrantingIndex, query: Query): AsyncGenerator<ContainerPage> {
    const { indexes, scheduler, limits } = this.#sources;
    const plan: Plan = {
      targets: [{ index, query }],
      sort: [{ field: 'id', order: 'asc', type: 'string' }],
      ...{ from: 0, size: PAGE, trackTotal: true },
      source: { includes: [], excludes: [], nested: true },
    };
    const options = () => this.#options;
    for await (const { hits, total } of hitPages(plan, { indexes, options })) {
      if (total !== null && total > limits.maxWindow) {
        throw limitFault('maxWindow', limits.maxWindow, `${index} that match via.…`);
      }
      yield { total, containers: await scheduler.run(parseSteps(hits), this.#options) };
    }
  }

  #limitFault(what: string): ServiceError {
    return limitFault('maxTerms', this.#sources.limits.maxTerms, what);
  }
}

interface TermBuckets {
  readonly sum_other_doc_count: number;
  readonly buckets: readonly { readonly key: string }[];
}

/** The ids that are in the set; all without one. */
function among(set: ReadonlySet<string> | null, ids: readonly string[]): readonly string[] {
  return set === null ? ids : ids.filter((id) => set.has(id));
}

function* parseSteps(hits: readonly Hit[]): Steps<Container[]> {
  const containers: Container[] = [];
  for (const { id, root, nested } of hits) {
    containers.push({ id, ...referencesIn(documentOf(root, nested)) });
    yield;
  }
  return containers;
}
