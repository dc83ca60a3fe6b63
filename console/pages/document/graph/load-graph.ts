// Reads what the graph of a document needs from the service. Of documents that contain another one
// at most a page is read, and the graph says so.
import type { IndexName } from '../../../../src/query/query.ts';
import { readAccessPaths, search } from '../../../api/search-api.ts';
import { printValue } from '../../../model/completion.ts';
import { firstText } from '../../../model/document-value.ts';
import type { Document } from '../../../model/wire.ts';
import { type AccessGraph, identityGraph } from './access-graph.ts';
import { grantGraph, referencesOf } from './grant-graph.ts';

export interface LoadedGraph {
  readonly graph: AccessGraph;
  /** What is left out, in words. */
  readonly notes: readonly string[];
}

/** Documents that are read in one request, and most containers of a document that are shown. */
const PAGE = 250;
const INCLUDES = ['id', 'name', 'displayName', 'source', 'privileged', 'entitlements'];
const ROLE_INCLUDES = ['id', 'name', 'accessProfiles', 'entitlements', 'dimensions'];

/** The graph of a document. @throws ApiFault */
export async function loadGraph(
  index: IndexName,
  document: Document,
  signal: AbortSignal,
): Promise<LoadedGraph> {
  switch (index) {
    case 'identities': {
      const paths = await readAccessPaths(firstText(document, 'id'), signal);
      return { graph: identityGraph(document, paths), notes: [] };
    }
    case 'roles':
      return ofRole(document, signal);
    case 'accessprofiles':
      return ofProfile(document, signal);
    case 'entitlements':
      return ofEntitlement(document, signal);
    case 'events':
    case 'accountactivities':
      throw new Error(`Documents of ${index} have no graph`);
  }
}

async function ofRole(role: Document, signal: AbortSignal): Promise<LoadedGraph> {
  const [accessProfiles, entitlements] = await Promise.all([
    byIds('accessprofiles', idsOf(referencesOf(role, 'accessProfiles')), INCLUDES, signal),
    byIds('entitlements', idsOf(referencesOf(role, 'entitlements')), INCLUDES, signal),
  ]);
  const documents = { roles: [role], accessProfiles, entitlements };
  return { graph: grantGraph('role', role, documents), notes: [] };
}

async function ofProfile(profile: Document, signal: AbortSignal): Promise<LoadedGraph> {
  const id = printValue(firstText(profile, 'id'));
  const roles = await containers('roles', `@accessProfiles(id:${id})`, signal);
  const documents = { roles: roles.hits, accessProfiles: [profile], entitlements: [] };
  return { graph: grantGraph('accessProfile', profile, documents), notes: roles.notes };
}

async function ofEntitlement(entitlement: Document, signal: AbortSignal): Promise<LoadedGraph> {
  const id = printValue(firstText(entitlement, 'id'));
  const profiles = await containers('accessprofiles', `@entitlements(id:${id})`, signal);
  const profileIds = profiles.hits.map((profile) => printValue(firstText(profile, 'id')));
  const through =
    profileIds.length === 0 ? '' : ` OR @accessProfiles(id:(${profileIds.join(' OR ')}))`;
  const roles = await containers('roles', `@entitlements(id:${id})${through}`, signal);
  const documents = {
    roles: roles.hits,
    accessProfiles: profiles.hits,
    entitlements: [entitlement],
  };
  return {
    graph: grantGraph('entitlement', entitlement, documents),
    notes: [...profiles.notes, ...roles.notes],
  };
}

/** The first page of the documents that contain another one. */
async function containers(
  index: 'roles' | 'accessprofiles',
  query: string,
  signal: AbortSignal,
): Promise<{ hits: readonly Document[]; notes: string[] }> {
  const includes = index === 'roles' ? ROLE_INCLUDES : INCLUDES;
  const body = {
    ...{ indices: [index], query: { query }, sort: ['name', 'id'] },
    queryResultFilter: { includes },
  };
  const { hits, total } = await search(body, { limit: PAGE, count: 'exact' }, signal);
  const what = index === 'roles' ? 'roles' : 'access profiles';
  const note = `The first ${hits.length} of ${total.toLocaleString('en')} ${what} are shown.`;
  return { hits, notes: total > hits.length ? [note] : [] };
}

/** The documents with some ids, in requests of a page each. */
async function byIds(
  index: IndexName,
  ids: readonly string[],
  includes: readonly string[],
  signal: AbortSignal,
): Promise<readonly Document[]> {
  const pages = Array.from({ length: Math.ceil(ids.length / PAGE) }, (_, at) =>
    ids.slice(at * PAGE, (at + 1) * PAGE),
  );
  const answers = await Promise.all(
    pages.map((terms) =>
      search(
        {
          ...{ indices: [index], query: { query: '*' }, sort: ['id'] },
          filters: { id: { type: 'TERMS', terms } },
          queryResultFilter: { includes },
        },
        { limit: PAGE },
        signal,
      ),
    ),
  );
  return answers.flatMap(({ hits }) => hits);
}

function idsOf(references: readonly unknown[]): string[] {
  return [...new Set(references.map((one) => firstText(one, 'id')))].filter((id) => id !== '');
}
