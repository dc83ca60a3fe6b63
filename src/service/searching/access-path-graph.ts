// Which roles and access profiles of an identity grant which elements of its access list.
// Invariant: memory and work are bounded: documents are parsed in steps, what they refer to and the
// paths of a list are limited in number, and names are cut.
import { ServiceError } from '../../errors.ts';
import type { GrantingIndex } from '../../query/language/access-paths.ts';
import { cut } from '../../query/plan-clause.ts';
import type { Steps } from '../../query/steps.ts';
import type { CooperativeScheduler, WorkOptions } from '../../scheduling/cooperative.ts';
import type { StoredDocument } from '../ports/stored-document.ts';
import type { VisibleIndexes } from '../views/visible-indexes.ts';
import { documentOf, idsOf, type Json, referencesIn } from './access-references.ts';

/** A role or access profile on a path. */
export interface PathStep {
  readonly type: 'ROLE' | 'ACCESS_PROFILE';
  readonly id: string;
  /** At most 200 characters. */
  readonly name: string | null;
}

/** From the outermost to the innermost, such as role and access profile. */
export type Path = readonly PathStep[];

/** The paths to one element of an access list. */
export interface FoundPaths {
  /** At most 100, and fewer once those of a list are very many. */
  readonly listed: readonly Path[];
  readonly count: number;
}

/** Most paths that are listed of an element. */
const PATHS_MAX = 100;
/** Most paths that are listed of an access list. */
const PATHS_OF_LIST_MAX = 10_000;
/** From this number on, only the first path of an element is listed. */
const FURTHER_PATHS_MAX = PATHS_OF_LIST_MAX / 2;
const NAME_MAX = 200;
/** Documents that are read at a time. */
const PAGE = 20;
/** Most references of all roles and access profiles that are read. */
const REFERENCES_MAX = 250_000;

/** A role or access profile that was read. */
interface Granting {
  readonly step: PathStep;
  readonly accessProfiles: readonly string[];
  /** Those that some list has. */
  readonly entitlements: readonly string[];
}

/** What access lists hold. */
export class HeldAccess {
  readonly roles = new Set<string>();
  readonly profiles = new Set<string>();
  readonly ids = new Set<string>();

  add(access: readonly Json[]): void {
    for (const id of heldIds(access, 'ROLE')) this.roles.add(id);
    for (const id of heldIds(access, 'ACCESS_PROFILE')) this.profiles.add(id);
    for (const id of idsOf(access)) this.ids.add(id);
  }
}

/** What the graph is read from. */
export interface GraphSources {
  readonly indexes: Pick<VisibleIndexes, 'documentsById'>;
  readonly scheduler: CooperativeScheduler;
  readonly options: WorkOptions;
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
   * @throws ServiceError `limit_exceeded`, `deadline_exceeded`, `cancelled`
   */
  static async read(held: HeldAccess, sources: GraphSources): Promise<AccessPathGraph> {
    const reader = new GrantingReader(held.ids, sources);
    const roles = await reader.read('roles', held.roles);
    const profileIds = new Set(held.profiles);
    for (const { accessProfiles } of roles.values()) {
      for (const id of accessProfiles) profileIds.add(id);
    }
    return new AccessPathGraph(roles, await reader.read('accessprofiles', profileIds));
  }

  /** The paths of one access list, by the id of the element that they lead to. */
  *pathSteps(access: readonly Json[]): Steps<ReadonlyMap<string, FoundPaths>> {
    const paths = new PathCollector(idsOf(access));
    const throughRoles = new Set<string>();
    for (const roleId of heldIds(access, 'ROLE')) {
      const role = this.#roles.get(roleId);
      if (role === undefined) continue;
      paths.add(role.entitlements, [role.step]);
      paths.add(role.accessProfiles, [role.step]);
      for (const profileId of role.accessProfiles) {
        throughRoles.add(profileId);
        const profile = this.#profiles.get(profileId);
        if (profile !== undefined) paths.add(profile.entitlements, [role.step, profile.step]);
        yield;
      }
      yield;
    }
    for (const profileId of heldIds(access, 'ACCESS_PROFILE')) {
      const profile = throughRoles.has(profileId) ? undefined : this.#profiles.get(profileId);
      if (profile === undefined) continue;
      paths.add(profile.entitlements, [profile.step]);
      yield;
    }
    return paths.found;
  }
}

interface CollectedPaths extends FoundPaths {
  readonly listed: Path[];
  count: number;
  /** How often the list has the element. */
  times: number;
}

/** Collects the paths to the elements of one list. */
class PathCollector {
  readonly found = new Map<string, CollectedPaths>();
  #listed = 0;

  constructor(ids: readonly string[]) {
    for (const id of ids) {
      const known = this.found.get(id);
      if (known === undefined) this.found.set(id, { listed: [], count: 0, times: 1 });
      else known.times += 1;
    }
  }

  add(ids: readonly string[], path: Path): void {
    for (const id of ids) {
      const paths = this.found.get(id);
      if (paths === undefined) continue;
      const { listed, times } = paths;
      paths.count += 1;
      const most = listed.length === 0 ? PATHS_OF_LIST_MAX : FURTHER_PATHS_MAX;
      if (listed.length === PATHS_MAX || this.#listed + times > most) continue;
      listed.push(path);
      this.#listed += times;
    }
  }
}

/** Reads roles and access profiles, within one time limit and one limit of references. */
class GrantingReader {
  readonly #ids: ReadonlySet<string>;
  readonly #sources: GraphSources;
  #referencesLeft = REFERENCES_MAX;

  /** @param ids the elements that paths may lead to */
  constructor(ids: ReadonlySet<string>, sources: GraphSources) {
    this.#ids = ids;
    this.#sources = sources;
  }

  async read(
    index: GrantingIndex,
    idSet: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, Granting>> {
    const { indexes, scheduler, options } = this.#sources;
    const type = index === 'roles' ? 'ROLE' : 'ACCESS_PROFILE';
    const ids = [...idSet];
    const granting = new Map<string, Granting>();
    for (let at = 0; at < ids.length; at += PAGE) {
      const documents = await indexes.documentsById(index, ids.slice(at, at + PAGE));
      await scheduler.run(this.#parseSteps(type, documents, granting), options);
    }
    return granting;
  }

  *#parseSteps(
    type: PathStep['type'],
    documents: readonly StoredDocument[],
    granting: Map<string, Granting>,
  ): Steps<void> {
    for (const { id, root, nested } of documents) {
      const document = documentOf(root, nested);
      const references = referencesIn(document);
      const accessProfiles = [...new Set(references.accessProfiles)];
      const entitlements = [...new Set(references.entitlements)].filter((one) =>
        this.#ids.has(one),
      );
      this.#referencesLeft -= accessProfiles.length + entitlements.length;
      if (this.#referencesLeft < 0) throw tooManyReferences();
      const step = { type, id, name: shownName(document['name']) } as const;
      granting.set(id, { step, accessProfiles, entitlements });
      yield;
    }
  }
}

function heldIds(access: readonly Json[], type: PathStep['type']): ReadonlySet<string> {
  return new Set(idsOf(access.filter((element) => element['type'] === type)));
}

function tooManyReferences(): ServiceError {
  const cause = `The roles and access profiles refer to more than ${REFERENCES_MAX} access profiles and entitlements.`;
  return new ServiceError('limit_exceeded', cause, { causes: [cause] });
}

function shownName(value: unknown): string | null {
  return typeof value === 'string' ? cut(value, NAME_MAX) : null;
}
