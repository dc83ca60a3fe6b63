// The paths of the access of one identity: which of its roles and access profiles grant each
// element of its list. It reads the store, so callers see their own writes.
// Invariant: every document that is read is one of the caller's tenant.
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import type { Store } from '../ports/store.ts';
import { AccessPathGraph, PATHS_MAX, type Path, textOf } from './access-path-graph.ts';
import { documentOf, type Json, listOf } from './access-references.ts';

/** An element of the access of an identity, with its paths. */
export interface ElementPaths {
  readonly id: string;
  readonly type: string | null;
  readonly name: string | null;
  /** null for a role, which has none. */
  readonly source: { readonly id: string | null; readonly name: string | null } | null;
  /** Empty: nothing that the identity holds grants the element. */
  readonly paths: readonly Path[];
  /** The number of paths, of which at most 100 are listed. */
  readonly pathCount: number;
}

export interface IdentityAccessPaths {
  readonly id: string;
  readonly name: string | null;
  /** In the order of the document. */
  readonly access: readonly ElementPaths[];
}

export class AccessPathList {
  readonly #store: Pick<Store, 'read'>;

  constructor(store: Pick<Store, 'read'>) {
    this.#store = store;
  }

  /** @throws ServiceError `forbidden`, `not_found` */
  async of(caller: Caller, id: string): Promise<IdentityAccessPaths> {
    authorize(caller, 'document:get');
    const { tenantId } = caller;
    const { read } = this.#store;
    const stored = await read.document(tenantId, 'identities', id);
    if (stored === null) throw new ServiceError('not_found', 'There is no such identity.');
    const identity = documentOf(stored.root, stored.nested);
    const access = listOf(identity['access']);
    const graph = await AccessPathGraph.read(read, tenantId, access);
    const paths = graph.pathsOf(access);
    return {
      id,
      name: textOf(identity['name']),
      access: access.map((element) => elementPaths(element, paths)),
    };
  }
}

function elementPaths(
  element: Json,
  pathsById: ReadonlyMap<string, readonly Path[]>,
): ElementPaths {
  const id = textOf(element['id']) ?? '';
  const source = element['source'] as Json | null | undefined;
  const paths = pathsById.get(id) ?? [];
  return {
    id,
    type: textOf(element['type']),
    name: textOf(element['name']),
    source:
      typeof source === 'object' && source !== null
        ? { id: textOf(source['id']), name: textOf(source['name']) }
        : null,
    paths: paths.slice(0, PATHS_MAX),
    pathCount: paths.length,
  };
}
