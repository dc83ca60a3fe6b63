// The access there is: sources, entitlements, access profiles, roles, apps, and who owns them. Sized to the company
// and held in memory (some tens of thousands of entries at most); people are not.
// Invariant: an access profile holds entitlements of its own source only; what a role, an access profile or an
// owner refers to is in the catalogue or the company.
import type { Company } from './company.ts';
import {
  DEPARTMENTS,
  DIRECTORY,
  DIRECTORY_ROOT,
  FUNCTIONS,
  GROUPS,
  LEVELS,
  PLACES,
  PURPOSES,
  SEGMENTS,
  SOURCES,
  TAGS,
  TECHNOLOGY,
} from './company-tables.ts';
import type { People, Reference } from './person.ts';
import { at, Ids, Random } from './random.ts';

export interface Source {
  readonly number: number;
  readonly reference: Reference;
  readonly type: string;
}

export interface Entitlement {
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly source: Source;
  readonly attribute: string;
  readonly value: string;
  readonly schema: string;
  readonly privileged: boolean;
  readonly segments: readonly Reference[];
  readonly tags: readonly string[];
}

export interface App {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly source: Source;
  readonly owner: number;
}

interface Bundle {
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly requestable: boolean;
  readonly commentsRequired: boolean;
  /** Number of an identity. */
  readonly owner: number;
  readonly entitlements: readonly Entitlement[];
  readonly segments: readonly Reference[];
  readonly tags: readonly string[];
}

export interface AccessProfile extends Bundle {
  readonly source: Source;
  readonly app: App | null;
}

export interface Role extends Bundle {
  readonly accessProfiles: readonly AccessProfile[];
}

/** What one department may be given. */
interface Offer {
  readonly entitlements: Entitlement[];
  readonly accessProfiles: AccessProfile[];
  readonly roles: Role[];
}

/** A source as one department uses it. */
interface Corner {
  readonly departmentNumber: number;
  readonly source: Source;
  readonly entitlements: Entitlement[];
  profiles: number;
}

/** How many of each there are in a company of that size. */
export function catalogueSize(identities: number): {
  readonly entitlements: number;
  readonly accessProfiles: number;
  readonly roles: number;
} {
  const sized = (share: number, least: number, most: number): number =>
    Math.min(Math.max(Math.round(identities * share), least), most);
  return {
    entitlements: sized(0.06, 2 * CORNERS, 30_000),
    accessProfiles: sized(0.015, CORNERS + 1, 6_000),
    roles: sized(0.008, 2 * DEPARTMENTS.length + 1, 3_000),
  };
}

/** Department and source pairs that have entitlements, as numbers. */
const CORNER_NUMBERS = SOURCES.flatMap((source, sourceNumber) =>
  source.attribute === null
    ? []
    : DEPARTMENTS.flatMap(({ code }, departmentNumber) =>
        source.users.length === 0 || source.users.includes(code)
          ? [{ sourceNumber, departmentNumber }]
          : [],
      ),
);
const CORNERS = CORNER_NUMBERS.length;

/** All access of a company. */
export class Catalogue {
  readonly sources: readonly Source[];
  readonly entitlements: readonly Entitlement[];
  readonly apps: readonly App[];
  readonly accessProfiles: readonly AccessProfile[];
  readonly roles: readonly Role[];
  readonly segments: readonly Reference[];
  readonly groups: readonly (Reference & { readonly owner: number })[];
  /** By department number. */
  readonly offers: readonly Offer[];
  readonly #company: Company;
  readonly #corners: readonly Corner[];

  constructor(people: People) {
    const company = people.company;
    const { seed } = company;
    const size = catalogueSize(company.size);
    this.#company = company;
    this.sources = SOURCES.map(({ name, type }, number) => ({
      number,
      reference: { id: new Ids(seed, 'source').id(number), name },
      type,
    }));
    this.segments = named(SEGMENTS, new Ids(seed, 'segment'));
    this.groups = named(GROUPS, new Ids(seed, 'group')).map((group, index) => ({
      ...group,
      owner: company.anchor(DEPARTMENTS.length - 1 - (index % 3), index),
    }));
    this.offers = DEPARTMENTS.map(() => ({ entitlements: [], accessProfiles: [], roles: [] }));
    this.#corners = CORNER_NUMBERS.map(({ sourceNumber, departmentNumber }) => ({
      departmentNumber,
      source: at(this.sources, sourceNumber),
      entitlements: [],
      profiles: 0,
    }));
    this.entitlements = this.#makeEntitlements(new Ids(seed, 'entitlement'), size.entitlements);
    this.apps = this.#makeApps(new Ids(seed, 'app'));
    this.accessProfiles = this.#makeAccessProfiles(
      new Ids(seed, 'accessProfile'),
      size.accessProfiles,
    );
    this.roles = this.#makeRoles(new Ids(seed, 'role'), size.roles);
  }

  /** What everybody who works here has: the first role, its access profile, its entitlement. */
  get birthright(): Role {
    return at(this.roles, 0);
  }

  #makeEntitlements(ids: Ids, count: number): Entitlement[] {
    return Array.from({ length: count }, (_, number) => {
      const corner = at(this.#corners, number);
      const nth = corner.entitlements.length;
      const kind = at(SOURCES, corner.source.number);
      const level = at(LEVELS, levelNumber(nth, number % CORNERS));
      const subject = at(kind.subjects, Math.floor(nth / LEVELS.length) + corner.departmentNumber);
      const round = Math.floor(nth / (LEVELS.length * kind.subjects.length));
      const where =
        round === 0
          ? ''
          : ` ${at(PLACES, round - 1).city}${round > PLACES.length ? ` ${round}` : ''}`;
      const department = at(DEPARTMENTS, corner.departmentNumber);
      const name =
        number === 0 ? 'All Staff' : `${department.name} ${subject} ${level.name}${where}`;
      const entitlement: Entitlement = {
        number,
        id: ids.id(number),
        name,
        description:
          number === 0
            ? 'Everybody who works here.'
            : `${level.verb} ${subject.toLowerCase()} of ${department.name} in ${kind.name}.`,
        source: corner.source,
        attribute: kind.attribute ?? 'groups',
        value: spelledValue(corner.source.number, department.code, name),
        schema: kind.schema,
        privileged: number !== 0 && level.privileged,
        ...this.#labels(new Random(this.#company.seed, 'entitlement', number)),
      };
      corner.entitlements.push(entitlement);
      at(this.offers, corner.departmentNumber).entitlements.push(entitlement);
      return entitlement;
    });
  }

  #makeApps(ids: Ids): App[] {
    return this.sources.flatMap((source) =>
      at(SOURCES, source.number).apps.map((name, index) => ({
        id: ids.id(source.number * 10 + index),
        name,
        description: `${name}, served from ${source.reference.name}.`,
        source,
        owner: this.#company.anchor(TECHNOLOGY, source.number + index),
      })),
    );
  }

  #makeAccessProfiles(ids: Ids, count: number): AccessProfile[] {
    return Array.from({ length: count }, (_, number) => {
      const corner = at(this.#corners, number === 0 ? 0 : number - 1);
      const random = new Random(this.#company.seed, 'accessProfile', number);
      const nth = corner.profiles;
      corner.profiles += number === 0 ? 0 : 1;
      const department = at(DEPARTMENTS, corner.departmentNumber);
      const apps = this.apps.filter((app) => app.source === corner.source);
      const purpose = at(PURPOSES, nth);
      const again = Math.floor(nth / PURPOSES.length);
      const profile: AccessProfile = {
        number,
        id: ids.id(number),
        name:
          number === 0
            ? 'Staff Basics'
            : `${department.name} ${corner.source.reference.name} ${purpose}${again === 0 ? '' : ` ${again + 1}`}`,
        description: `${purpose} in ${corner.source.reference.name} for ${number === 0 ? 'everybody' : department.name}.`,
        source: corner.source,
        app: apps.length > 0 && (number === 0 || random.chance(0.7)) ? random.pick(apps) : null,
        entitlements:
          number === 0
            ? [at(this.entitlements, 0)]
            : someOf(corner.entitlements, 2 * nth, random.chance(0.4) ? 2 : 1),
        ...this.#terms(random, corner.departmentNumber),
        ...this.#labels(random),
      };
      if (number !== 0) at(this.offers, corner.departmentNumber).accessProfiles.push(profile);
      return profile;
    });
  }

  #makeRoles(ids: Ids, count: number): Role[] {
    return Array.from({ length: count }, (_, number) => {
      const departmentNumber = number % DEPARTMENTS.length;
      const department = at(DEPARTMENTS, departmentNumber);
      const offer = at(this.offers, departmentNumber);
      const random = new Random(this.#company.seed, 'role', number);
      const nth = offer.roles.length;
      const again = Math.floor(nth / FUNCTIONS.length);
      const title = at(FUNCTIONS, nth);
      const role: Role = {
        number,
        id: ids.id(number),
        name:
          number === 0
            ? 'All Staff'
            : `${department.name} ${title}${again === 0 ? '' : ` ${at(PLACES, again - 1).city}`}${again > PLACES.length ? ` ${again}` : ''}`,
        description:
          number === 0
            ? 'What everybody who works here is given on the first day.'
            : `What ${/^[AEIO]/.test(title) ? 'an' : 'a'} ${title.toLowerCase()} in ${department.name} needs.`,
        accessProfiles:
          number === 0
            ? [at(this.accessProfiles, 0)]
            : someOf(offer.accessProfiles, nth * 2 + 1, random.chance(0.3) ? 2 : 1),
        entitlements: number !== 0 && random.chance(0.2) ? [at(offer.entitlements, nth + 2)] : [],
        ...this.#terms(random, departmentNumber),
        ...this.#labels(random),
      };
      if (number !== 0) offer.roles.push(role);
      return role;
    });
  }

  #terms(
    random: Random,
    departmentNumber: number,
  ): Pick<Bundle, 'enabled' | 'requestable' | 'commentsRequired' | 'owner'> {
    return {
      enabled: !random.chance(0.04),
      requestable: random.chance(0.7),
      commentsRequired: random.chance(0.3),
      owner: this.#company.anchor(departmentNumber, random.below(1000)),
    };
  }

  #labels(random: Random): Pick<Bundle, 'segments' | 'tags'> {
    return {
      segments: random.chance(0.15) ? [random.pick(this.segments)] : [],
      tags: random.chance(0.12) ? [random.pick(TAGS)] : [],
    };
  }
}

function named(names: readonly string[], ids: Ids): Reference[] {
  return names.map((name, number) => ({ id: ids.id(number), name }));
}

/** `count` distinct neighbours, or all where there are fewer. */
function someOf<T>(list: readonly T[], first: number, count: number): T[] {
  return Array.from({ length: Math.min(count, list.length) }, (_, index) =>
    at(list, first + index),
  );
}

/**
 * Which of LEVELS: Read comes first and each once in five, but what comes second differs from corner to corner, so
 * that a small company holds privileged access, too.
 */
function levelNumber(nth: number, corner: number): number {
  const place = nth % LEVELS.length;
  return place === 0 ? 0 : 1 + ((place - 1 + corner) % (LEVELS.length - 1));
}

/** The value as the source itself spells it. */
function spelledValue(sourceNumber: number, code: string, name: string): string {
  if (sourceNumber === DIRECTORY) return `CN=${name},OU=${code},OU=Groups,${DIRECTORY_ROOT}`;
  return name.toUpperCase().replace(/[^\p{L}\p{N}]+/gu, '_');
}
