// The paths of the access of one identity: which of its roles and access profiles grant each
// element of its list. It reads the store, so callers see their own writes.
// Invariant: every document that is read is one of the caller's tenant.
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import type { GrantingIndex } from '../../query/language/access-paths.ts';
import type { Records, Store } from '../ports/store.ts';
import { documentOf, idsOf, type Json, listOf, referencesIn } from './access-references.ts';

/** A role or access profile on a path. */
export interface PathStep {
  readonly type: 'ROLE' | 'ACCESS_PROFILE';
  readonly id: string;
  readonly name: string | null;
}

/** An element of the access of an identity, with its paths. */
export interface ElementPaths {
  readonly id: string;
  readonly type: string | null;
  readonly name: string | null;
  /** null for a role, which has none. */
  readonly source: { readonly id: string | null; readonly name: string | null } | null;
  /** From the outermost, such as role and access profile. Empty: nothing the identity holds grants it. */
  readonly paths: readonly (readonly PathStep[])[];
  /** The number of paths, of which at most 100 are listed. */
  readonly pathCount: number;
}

export interface IdentityAccessPaths {
  readonly id: string;
  readonly name: string | null;
  /** In the order of the document. */
  readonly access: readonly ElementPaths[];
}

/** Most paths that are listed of an element. */
const PATHS_MAX = 100;
/** Documents that are read and parsed at a time. */
const PAGE = 50;

/** A role or access profile that was read. */
interface Granting {
  readonly step: PathStep;
  readonly accessProfiles: readonly string[];
  readonly entitlements: ReadonlySet<string>;
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
    const held = (type: string) => idsOf(access.filter((element) => element['type'] === type));
    const roles = await grantingOf(read, tenantId, 'roles', held('ROLE'));
    const profileIds = new Set([
      ...held('ACCESS_PROFILE'),
      ...roles.flatMap(({ accessProfiles }) => accessProfiles),
    ]);
    const profiles = await grantingOf(read, tenantId, 'accessprofiles', [...profileIds]);
    const paths = pathsOf(roles, profiles, new Set(held('ACCESS_PROFILE')));
    return {
      id,
      name: textOf(identity['name']),
      access: access.map((element) => elementPaths(element, paths)),
    };
  }
}

/** All paths by the id of the element that they lead to. */
function pathsOf(
  roles: readonly Granting[],
  profiles: readonly Granting[],
  heldProfiles: ReadonlySet<string>,
): ReadonlyMap<string, PathStep[][]> {
  const paths = new Map<string, PathStep[][]>();
  const add = (id: string, path: PathStep[]) => {
    const known = paths.get(id);
    if (known === undefined) paths.set(id, [path]);
    else known.push(path);
  };
  const byId = new Map(profiles.map((profile) => [profile.step.id, profile]));
  const throughRoles = new Set<string>();
  for (const { step: role, accessProfiles, entitlements } of roles) {
    for (const id of entitlements) add(id, [role]);
    for (const profileId of new Set(accessProfiles)) {
      throughRoles.add(profileId);
      add(profileId, [role]);
      const profile = byId.get(profileId);
      for (const id of profile?.entitlements ?? []) add(id, [role, profile?.step ?? role]);
    }
  }
  for (const { step, entitlements } of profiles) {
    if (!heldProfiles.has(step.id) || throughRoles.has(step.id)) continue;
    for (const id of entitlements) add(id, [step]);
  }
  return paths;
}

function elementPaths(element: Json, pathsById: ReadonlyMap<string, PathStep[][]>): ElementPaths {
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

async function grantingOf(
  read: Pick<Records, 'documentsById'>,
  tenantId: string,
  index: GrantingIndex,
  ids: readonly string[],
): Promise<Granting[]> {
  const type = index === 'roles' ? 'ROLE' : 'ACCESS_PROFILE';
  const granting: Granting[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    const documents = await read.documentsById(tenantId, index, ids.slice(at, at + PAGE));
    for (const { id, root, nested } of documents) {
      const document = documentOf(root, nested);
      const { accessProfiles, entitlements } = referencesIn(document);
      granting.push({
        step: { type, id, name: textOf(document['name']) },
        accessProfiles,
        entitlements: new Set(entitlements),
      });
    }
  }
  return granting;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
