// Adds the paths of access to the hits of a search with `accessPaths` in its body: each element of `access` of
// an identity gets `via`, a list of paths. It is an extension; other responses are unchanged.
import { ServiceError } from '../../errors.ts';
import { Members } from '../../query/body.ts';
import type { Steps } from '../../query/steps.ts';
import type { Hit } from '../ports/search-backend.ts';
import type { Records } from '../ports/store.ts';
import type { CooperativeScheduler, WorkOptions } from '../scheduling/cooperative.ts';
import { AccessPathGraph, PATHS_MAX } from './access-path-graph.ts';
import { documentOf, type Json, listOf } from './access-references.ts';

/** Most rows of a page with paths: each is parsed. */
const ROWS_MAX = 250;
const NO_ROOT = new TextEncoder().encode('{}');

/**
 * Whether a request has `accessPaths`.
 * @param size rows of the page
 * @throws ServiceError `body_malformed`, `request_invalid` for a page that is too large
 */
export function requestsPaths(body: unknown, size: number): boolean {
  if (new Members(body, '').boolean('accessPaths') !== true) return false;
  if (size <= ROWS_MAX) return true;
  const cause = `accessPaths: needs a limit of at most ${ROWS_MAX}`;
  throw new ServiceError('request_invalid', cause, { causes: [cause] });
}

/** What adding paths uses of the search use case. */
export interface HitPathSources {
  readonly tenantId: string;
  readonly read: Pick<Records, 'documentsById'>;
  readonly scheduler: CooperativeScheduler;
  readonly options: WorkOptions;
}

/** The hits, with `via` in the access of identities. */
export async function withAccessPaths(
  hits: readonly Hit[],
  { tenantId, read, scheduler, options }: HitPathSources,
): Promise<readonly Hit[]> {
  const parsed = await scheduler.run(nestedSteps(hits), options);
  const access = parsed.flatMap((nested) => listOf(nested?.['access']));
  const graph = await AccessPathGraph.read(read, tenantId, access);
  return scheduler.run(pathSteps(hits, parsed, graph), options);
}

/** The nested members of each identity; null for any other hit. */
function* nestedSteps(hits: readonly Hit[]): Steps<(Json | null)[]> {
  const parsed: (Json | null)[] = [];
  for (const { index, nested, elementOf } of hits) {
    const isIdentity = index === 'identities' && elementOf === undefined;
    parsed.push(isIdentity ? documentOf(NO_ROOT, nested) : null);
    yield;
  }
  return parsed;
}

function* pathSteps(
  hits: readonly Hit[],
  parsed: readonly (Json | null)[],
  graph: AccessPathGraph,
): Steps<Hit[]> {
  const encoder = new TextEncoder();
  const extended: Hit[] = [];
  for (const [at, hit] of hits.entries()) {
    const members = parsed[at] ?? null;
    const access = members?.['access'];
    if (Array.isArray(access)) {
      const paths = graph.pathsOf(listOf(access));
      const withVia = listOf(access).map((element) => ({
        ...element,
        via: (paths.get(String(element['id'])) ?? []).slice(0, PATHS_MAX),
      }));
      const text = JSON.stringify({ ...members, access: withVia });
      const { index, id, score, sort, root } = hit;
      extended.push({ index, id, score, sort, root, nested: encoder.encode(text.slice(1, -1)) });
    } else extended.push(hit);
    yield;
  }
  return extended;
}
