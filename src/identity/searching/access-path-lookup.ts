// Looks up what roles and access profiles grant, for the clauses `via.…` of a query: a role grants
// its access profiles, their entitlements and its own; an access profile grants its entitlements.
// It reads the search index, like the query itself, so that a change of a role is in effect with its
// next refresh.
// Many roles would make a query of too many clauses, while few of them grant what it is about: then
// one aggregation finds the ids of the elements in question, and roles without any are left out.
// Invariant: that changes no answer, since an element that matches is among these elements.
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
import type { Query } from '../../query/query.ts';
import type { Steps } from '../../query/steps.ts';
import type { Hit, SearchBackend, SearchOptions } from '../ports/search-backend.ts';
import type { CooperativeScheduler, WorkOptions } from '../scheduling/cooperative.ts';
import { type AccessReferences, documentOf, referencesIn } from './access-references.ts';

/** Documents that are read and parsed at a time. */
const PAGE = 50;
/** Ids of one query. */
const IDS_MAX = 1_000;
/** From this number of roles on, those that cannot matter are left out. */
const NARROW_FROM = 50;

/** What looking up uses of the search use case. */
export interface PathSources {
  readonly tenantId: string;
  readonly backend: Pick<SearchBackend, 'search'>;
  readonly options: SearchOptions & WorkOptions;
  readonly scheduler: CooperativeScheduler;
  readonly limits: Pick<QueryLimits, 'maxWindow' | 'maxTerms' | 'maxBuckets'>;
}

/** A role or access profile. */
interface Container extends AccessReferences {
  readonly id: string;
}

/**
 * Looks up all conditions that planning met.
 * @throws ServiceError as a search of the backend; `limit_exceeded`
 */
export async function lookUpPaths(paths: AccessPaths, sources: PathSources): Promise<void> {
  for (const condition of paths.conditions) {
    paths.resolve(condition, await findGrants(condition, sources));
  }
}

async function findGrants(
  { index, query, elements }: PathCondition,
  sources: PathSources,
): Promise<FoundGrants> {
  const containers = await containersOf(index, query, sources);
  const entitlements =
    index === 'roles' ? await entitlementsOf(containers, sources) : new Map<string, never>();
  const narrows = containers.length >= NARROW_FROM && elements.kind !== 'matchAll';
  const ids = narrows ? await elementIds(elements, sources) : null;
  const grants: Grant[] = [];
  for (const { id, ...direct } of containers) {
    const granted = [
      ...direct.accessProfiles,
      ...direct.entitlements,
      ...direct.accessProfiles.flatMap((profileId) => entitlements.get(profileId) ?? []),
    ].filter((one) => ids === null || ids.has(one));
    if (granted.length > 0) grants.push({ id, grantedIds: [...new Set(granted)].sort() });
  }
  return { matched: containers.length, grants };
}

/** The entitlements of the access profiles of roles, by the id of the access profile. */
async function entitlementsOf(
  roles: readonly Container[],
  sources: PathSources,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const profileIds = [...new Set(roles.flatMap(({ accessProfiles }) => accessProfiles))];
  const { maxTerms } = sources.limits;
  if (profileIds.length > maxTerms) {
    throw limitFault('maxTerms', maxTerms, 'access profiles of the roles of via.role');
  }
  const entitlements = new Map<string, readonly string[]>();
  for (let at = 0; at < profileIds.length; at += IDS_MAX) {
    const query: Query = { kind: 'ids', values: profileIds.slice(at, at + IDS_MAX) };
    for (const profile of await containersOf('accessprofiles', query, sources)) {
      entitlements.set(profile.id, profile.entitlements);
    }
  }
  return entitlements;
}

/** The ids of all elements of access in the tenant that match; null if there are too many. */
async function elementIds(
  elements: Query,
  { tenantId, backend, options, limits }: PathSources,
): Promise<ReadonlySet<string> | null> {
  // One bucket for each id, and one for each level above.
  const size = Math.min(limits.maxTerms, limits.maxBuckets - 2);
  const source = { kind: 'strings', field: `${ACCESS}.id` } as const;
  const order = [{ by: 'count', order: 'desc' }] as const;
  const ids = { kind: 'terms', source, size, minDocCount: 1, order, aggregations: {} } as const;
  const matching = { kind: 'filter', query: elements, aggregations: { ids } } as const;
  const access = { kind: 'nested', path: ACCESS, aggregations: { matching } } as const;
  const { aggregations } = await backend.search(
    tenantId,
    {
      targets: [
        { index: 'identities', query: nestedIn(ACCESS, elements), aggregations: { access } },
      ],
      ...{ sort: [], from: 0, size: 0, trackTotal: false, maxBuckets: limits.maxBuckets },
      source: { includes: [], excludes: [], nested: false },
    },
    options,
  );
  const result = aggregations?.value() as
    | { readonly access: { readonly matching: { readonly ids: TermBuckets } } }
    | undefined;
  if (result === undefined) return new Set();
  const { buckets, sum_other_doc_count: others } = result.access.matching.ids;
  return others > 0 ? null : new Set(buckets.map(({ key }) => key));
}

interface TermBuckets {
  readonly sum_other_doc_count: number;
  readonly buckets: readonly { readonly key: string }[];
}

/** All matching documents, a page after the other. @throws ServiceError `limit_exceeded` */
async function containersOf(
  index: GrantingIndex,
  query: Query,
  { tenantId, backend, options, scheduler, limits }: PathSources,
): Promise<Container[]> {
  const containers: Container[] = [];
  for (let from = 0; ; from += PAGE) {
    const plan = {
      targets: [{ index, query }],
      sort: [{ field: 'id', order: 'asc', type: 'string' }],
      ...{ from, size: PAGE, trackTotal: from === 0 },
      source: { includes: [], excludes: [], nested: true },
    } as const;
    const { hits, total } = await backend.search(tenantId, plan, options);
    if (total !== null && total > limits.maxWindow) {
      throw limitFault('maxWindow', limits.maxWindow, `${index} that match via.…`);
    }
    containers.push(...(await scheduler.run(parseSteps(hits), options)));
    if (hits.length < PAGE) return containers;
  }
}

function* parseSteps(hits: readonly Hit[]): Steps<Container[]> {
  const containers: Container[] = [];
  for (const { id, root, nested } of hits) {
    containers.push({ id, ...referencesIn(documentOf(root, nested)) });
    yield;
  }
  return containers;
}
