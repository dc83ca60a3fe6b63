// Looks up what roles and access profiles grant, for the clauses `via.…` of a query: a role grants
// its access profiles, their entitlements and its own; an access profile grants its entitlements.
// It reads the search index, like the query itself, so that a change of a role is in effect with its
// next refresh.
// Invariant: at most as many roles and access profiles are read as a query may have clauses and
// terms.
import type {
  AccessPaths,
  Grant,
  GrantingIndex,
  PathCondition,
} from '../../query/language/access-paths.ts';
import type { QueryLimits } from '../../query/limits.ts';
import type { Query } from '../../query/query.ts';
import type { Steps } from '../../query/steps.ts';
import type { Hit, SearchBackend, SearchOptions } from '../ports/search-backend.ts';
import type { CooperativeScheduler, WorkOptions } from '../scheduling/cooperative.ts';
import { type AccessReferences, documentOf, referencesIn } from './access-references.ts';

/** Documents that are read and parsed at a time. */
const PAGE = 50;
/** Ids of one query. */
const IDS_MAX = 1_000;

/** What looking up uses of the search use case. */
export interface PathSources {
  readonly tenantId: string;
  readonly backend: Pick<SearchBackend, 'search'>;
  readonly options: SearchOptions & WorkOptions;
  readonly scheduler: CooperativeScheduler;
  readonly limits: Pick<QueryLimits, 'maxClauses' | 'maxTerms'>;
}

/** A role or access profile. */
interface Container extends AccessReferences {
  readonly id: string;
}

/**
 * Looks up all conditions that planning met.
 * @throws ServiceError as a search of the backend
 */
export async function lookUpPaths(paths: AccessPaths, sources: PathSources): Promise<void> {
  for (const condition of paths.conditions) {
    paths.resolve(condition, await grantsOf(condition, sources));
  }
}

async function grantsOf({ index, query }: PathCondition, sources: PathSources): Promise<Grant[]> {
  // One more than a query may have, which the planning then refuses.
  const containers = await containersOf(index, query, sources.limits.maxClauses + 1, sources);
  if (index === 'accessprofiles') return containers.map(grantOf);
  const profileIds = [...new Set(containers.flatMap(({ accessProfiles }) => accessProfiles))];
  const entitlements = new Map<string, readonly string[]>();
  for (let at = 0; at < Math.min(profileIds.length, sources.limits.maxTerms); at += IDS_MAX) {
    const values = profileIds.slice(at, at + IDS_MAX);
    const profiles = await containersOf(
      'accessprofiles',
      { kind: 'ids', values },
      values.length,
      sources,
    );
    for (const profile of profiles) entitlements.set(profile.id, profile.entitlements);
  }
  return containers.map((role) =>
    grantOf({
      ...role,
      entitlements: [
        ...role.entitlements,
        ...role.accessProfiles.flatMap((id) => entitlements.get(id) ?? []),
      ],
    }),
  );
}

function grantOf({ id, accessProfiles, entitlements }: Container): Grant {
  return { id, grantedIds: [...new Set([...accessProfiles, ...entitlements])].sort() };
}

async function containersOf(
  index: GrantingIndex,
  query: Query,
  most: number,
  { tenantId, backend, options, scheduler }: PathSources,
): Promise<Container[]> {
  const containers: Container[] = [];
  for (let from = 0; from < most; from += PAGE) {
    const size = Math.min(PAGE, most - from);
    const plan = {
      targets: [{ index, query }],
      sort: [{ field: 'id', order: 'asc', type: 'string' }],
      ...{ from, size, trackTotal: false },
      source: { includes: [], excludes: [], nested: true },
    } as const;
    const { hits } = await backend.search(tenantId, plan, options);
    containers.push(...(await scheduler.run(parseSteps(hits), options)));
    if (hits.length < size) break;
  }
  return containers;
}

function* parseSteps(hits: readonly Hit[]): Steps<Container[]> {
  const containers: Container[] = [];
  for (const { id, root, nested } of hits) {
    containers.push({ id, ...referencesIn(documentOf(root, nested)) });
    yield;
  }
  return containers;
}
