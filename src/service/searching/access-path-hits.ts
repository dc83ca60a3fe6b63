// Adds the paths of access to the hits of a search with `accessPaths` in its body: each element of `access` of
// an identity gets `via`, a list of paths. It is an extension; other responses are unchanged.
import { ServiceError } from '../../errors.ts';
import { Members } from '../../query/body.ts';
import type { Steps } from '../../query/steps.ts';
import type { WorkOptions } from '../../scheduling/cooperative.ts';
import type { AnswerMemory, Hit, ReadOptions } from '../ports/search-backend.ts';
import {
  AccessPathGraph,
  type FoundPaths,
  type GraphSources,
  HeldAccess,
} from './access-path-graph.ts';
import { documentOf, type Json, listOf } from './access-references.ts';

/** Most rows of a page with paths: each is parsed. */
const ROWS_MAX = 250;
/** Most bytes of the nested members of a page, also with their paths. */
const PAGE_BYTES_MAX = 32 * 2 ** 20;
const ENCODER = new TextEncoder();
const NO_ROOT = ENCODER.encode('{}');
const NO_PATHS: FoundPaths = { listed: [], count: 0 };

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
export interface HitPathSources extends Omit<GraphSources, 'options'> {
  readonly options: WorkOptions & Pick<ReadOptions, 'memory'>;
}

/**
 * The hits, with `via` in the access of identities. Each is parsed twice, so that only its bytes are
 * kept meanwhile.
 * @throws ServiceError as a search; `limit_exceeded` for a page that becomes too large
 */
export async function withAccessPaths(
  hits: readonly Hit[],
  sources: HitPathSources,
): Promise<readonly Hit[]> {
  if (hits.reduce((sum, { nested }) => sum + nested.length, 0) > PAGE_BYTES_MAX) throw tooLarge();
  const { scheduler, options } = sources;
  const held = await scheduler.run(heldSteps(hits), options);
  const graph = await AccessPathGraph.read(held, sources);
  return scheduler.run(extendSteps(hits, graph, options.memory), options);
}

/** What the identities of a page hold. */
function* heldSteps(hits: readonly Hit[]): Steps<HeldAccess> {
  const held = new HeldAccess();
  for (const hit of hits) {
    held.add(listOf(nestedOf(hit)?.['access']));
    yield;
  }
  return held;
}

function* extendSteps(
  hits: readonly Hit[],
  graph: AccessPathGraph,
  memory: AnswerMemory | undefined,
): Steps<Hit[]> {
  const extended: Hit[] = [];
  let bytesLeft = PAGE_BYTES_MAX;
  for (const hit of hits) {
    const members = nestedOf(hit);
    const access = members?.['access'];
    if (Array.isArray(access)) {
      const paths = yield* graph.pathSteps(listOf(access));
      const nested = withVia(members ?? {}, listOf(access), paths);
      bytesLeft -= nested.length;
      if (bytesLeft < 0) throw tooLarge();
      memory?.holdBytes(nested.length);
      const { index, id, score, sort, root } = hit;
      extended.push({ index, id, score, sort, root, nested });
    } else extended.push(hit);
    yield;
  }
  return extended;
}

/** The nested members of an identity; null for any other hit. */
function nestedOf({ index, nested, elementOf }: Hit): Json | null {
  const isIdentity = index === 'identities' && elementOf === undefined;
  return isIdentity ? documentOf(NO_ROOT, nested) : null;
}

/** The nested members of a hit with `via` in its access, where the paths are not too many. */
function withVia(
  members: Json,
  access: readonly Json[],
  paths: ReadonlyMap<string, FoundPaths>,
): Uint8Array {
  const elements = access.map((element) => {
    const { listed, count } = paths.get(String(element['id'])) ?? NO_PATHS;
    return listed.length === 0 && count > 0 ? element : { ...element, via: listed };
  });
  return ENCODER.encode(JSON.stringify({ ...members, access: elements }).slice(1, -1));
}

function tooLarge(): ServiceError {
  const cause = `accessPaths: the page has more than ${PAGE_BYTES_MAX / 2 ** 20} MiB; set a lower limit`;
  return new ServiceError('limit_exceeded', cause, { causes: [cause] });
}
