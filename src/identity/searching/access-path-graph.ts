// Which roles and access profiles of an identity grant which elements of its access list.
import type { GrantingIndex } from '../../query/language/access-paths.ts';
import type { Records } from '../ports/store.ts';
import { documentOf, idsOf, type Json, referencesIn } from './access-references.ts';

/** A role or access profile on a path. */
export interface PathStep {
  readonly type: 'ROLE' | 'ACCESS_PROFILE';
  readonly id: string;
  readonly name: string | null;
}

/** From the outermost to the innermost, such as role and access profile. */
export type Path = readonly PathStep[];

/** Most paths that are listed of an element. */
export const PATHS_MAX = 100;
/** Documents that are read and parsed at a time. */
const PAGE = 50;

/** A role or access profile that was read. */
interface Granting {
  readonly step: PathStep;
  readonly accessProfiles: readonly string[];
  readonly entitlements: ReadonlySet<string>;
}

/** The roles and access profiles that some identities hold, with what they grant. */
export class AccessPathGraph {
  readonly #roles: ReadonlyMap<string, Granting>;
  readonly #profiles: ReadonlyMap<string, Granting>;

  private constructor(
    roles: ReadonlyMap<string, Granting>,
    profiles: ReadonlyMap<string, Granting>,
  ) {
    this.#roles = roles;
    this.#profiles = profiles;
  }

  /**
   * Reads what the roles and access profiles of access lists grant.
   * @param access the elements of all lists
   */
  static async read(
    read: Pick<Records, 'documentsById'>,
    tenantId: string,
    access: readonly Json[],
  ): Promise<AccessPathGraph> {
    const roles = await grantingOf(read, tenantId, 'roles', heldIds(access, 'ROLE'));
    const profileIds = new Set([
      ...heldIds(access, 'ACCESS_PROFILE'),
      ...[...roles.values()].flatMap(({ accessProfiles }) => accessProfiles),
    ]);
    const profiles = await grantingOf(read, tenantId, 'accessprofiles', profileIds);
    return new AccessPathGraph(roles, profiles);
  }

  /** The paths of one access list, by the id of the element that they lead to. */
  pathsOf(access: readonly Json[]): ReadonlyMap<string, readonly Path[]> {
    const paths = new Map<string, Path[]>();
    const add = (id: string, path: Path) => {
      const known = paths.get(id);
      if (known === undefined) paths.set(id, [path]);
      else known.push(path);
    };
    const throughRoles = new Set<string>();
    for (const roleId of heldIds(access, 'ROLE')) {
      const role = this.#roles.get(roleId);
      if (role === undefined) continue;
      for (const id of role.entitlements) add(id, [role.step]);
      for (const profileId of new Set(role.accessProfiles)) {
        throughRoles.add(profileId);
        add(profileId, [role.step]);
        const profile = this.#profiles.get(profileId);
        if (profile === undefined) continue;
        for (const id of profile.entitlements) add(id, [role.step, profile.step]);
      }
    }
    for (const profileId of heldIds(access, 'ACCESS_PROFILE')) {
      const profile = throughRoles.has(profileId) ? undefined : this.#profiles.get(profileId);
      if (profile === undefined) continue;
      for (const id of profile.entitlements) add(id, [profile.step]);
    }
    return paths;
  }
}

function heldIds(access: readonly Json[], type: PathStep['type']): ReadonlySet<string> {
  return new Set(idsOf(access.filter((element) => element['type'] === type)));
}

async function grantingOf(
  read: Pick<Records, 'documentsById'>,
  tenantId: string,
  index: GrantingIndex,
  idSet: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Granting>> {
  const type = index === 'roles' ? 'ROLE' : 'ACCESS_PROFILE';
  const ids = [...idSet];
  const granting = new Map<string, Granting>();
  for (let at = 0; at < ids.length; at += PAGE) {
    const documents = await read.documentsById(tenantId, index, ids.slice(at, at + PAGE));
    for (const { id, root, nested } of documents) {
      const document = documentOf(root, nested);
      const { accessProfiles, entitlements } = referencesIn(document);
      const step = { type, id, name: textOf(document['name']) } as const;
      granting.set(id, { step, accessProfiles, entitlements: new Set(entitlements) });
    }
  }
  return granting;
}

/** The value if it is a string, else null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
