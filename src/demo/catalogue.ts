// All access of the demo company: sources, entitlements, access profiles, roles, apps and their
// owners. Its size follows the company, and it is kept in memory (at most some tens of thousands of
// objects), unlike people.
// Invariant: an access profile has entitlements of its own source only; all references are to
// objects of the catalogue or identities of the company.
import type { AccessProfile, App, Bundle, Entitlement, Role, Source } from './access.ts';
import type { Company } from './company.ts';
import {
  DEPARTMENTS,
  DIRECTORY,
  DIRECTORY_ROOT,
  FUNCTIONS,
  GROUPS,
  INTERNAL,
  LEVEL_HOLDERS,
  LEVELS,
  PAYROLL,
  PLACES,
  PURPOSES,
  SEGMENTS,
  SOURCES,
  TAGS,
  TECHNOLOGY,
} from './company-tables.ts';
import { PAYROLL_SIZE, type PayrollAccess, payrollAccess } from './payroll.ts';
import type { People, Reference } from './person.ts';
import { at, Ids, Random } from './random.ts';

/** The access offered to one department. */
interface Offer {
  readonly entitlements: Entitlement[];
  readonly accessProfiles: AccessProfile[];
  readonly roles: Role[];
}

/** The use of a source by one department. */
interface SourceUse {
  readonly departmentNumber: number;
  readonly source: Source;
  readonly entitlements: Entitlement[];
  profiles: number;
}

/** The numbers of access objects. */
interface CatalogueSize {
  readonly entitlements: number;
  readonly accessProfiles: number;
  readonly roles: number;
}

/** The size of the catalogue for a company of this size. */
export function catalogueSize(identities: number): CatalogueSize {
  const size = sizeWithoutPayroll(identities);
  return {
    entitlements: size.entitlements + PAYROLL_SIZE.entitlements + LEVEL_NAMES.length,
    accessProfiles: size.accessProfiles + PAYROLL_SIZE.accessProfiles,
    roles: size.roles + PAYROLL_SIZE.roles,
  };
}

function sizeWithoutPayroll(identities: number): CatalogueSize {
  const sized = (share: number, least: number, most: number): number =>
    Math.min(Math.max(Math.round(identities * share), least), most);
  return {
    entitlements: sized(0.06, 2 * SOURCE_USES, 30_000),
    accessProfiles: sized(0.015, SOURCE_USES + 1, 6_000),
    roles: sized(0.008, 2 * DEPARTMENTS.length + 1, 3_000),
  };
}

/** The pairs of department and source with entitlements, by number. */
const SOURCE_USE_NUMBERS = SOURCES.flatMap((source, sourceNumber) =>
  source.attribute === null || sourceNumber === PAYROLL
    ? []
    : DEPARTMENTS.flatMap(({ code }, departmentNumber) =>
        source.users.length === 0 || source.users.includes(code)
          ? [{ sourceNumber, departmentNumber }]
          : [],
      ),
);
const SOURCE_USES = SOURCE_USE_NUMBERS.length;
/** The levels that somebody has. */
const LEVEL_NAMES: readonly string[] = [
  ...new Set(LEVEL_HOLDERS.flatMap(([, , levels]) => levels)),
];

/** All access objects of a company. */
export class Catalogue {
  readonly sources: readonly Source[];
  readonly entitlements: readonly Entitlement[];
  readonly apps: readonly App[];
  readonly accessProfiles: readonly AccessProfile[];
  readonly roles: readonly Role[];
  readonly payroll: PayrollAccess;
  readonly segments: readonly Reference[];
  readonly groups: readonly (Reference & { readonly owner: number })[];
  /** By department number. */
  readonly offers: readonly Offer[];
  readonly #company: Company;
  readonly #sourceUses: readonly SourceUse[];
  readonly #levels: ReadonlyMap<string, Entitlement>;

  constructor(people: People) {
    const company = people.company;
    const { seed } = company;
    const size = sizeWithoutPayroll(company.size);
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
    this.#sourceUses = SOURCE_USE_NUMBERS.map(({ sourceNumber, departmentNumber }) => ({
      departmentNumber,
      source: at(this.sources, sourceNumber),
      entitlements: [],
      profiles: 0,
    }));
    this.payroll = payrollAccess(company, at(this.sources, PAYROLL), size);
    const entitlements = this.#makeEntitlements(new Ids(seed, 'entitlement'), size.entitlements);
    const others = [...entitlements, ...this.payroll.entitlements];
    const levels = levelEntitlements(seed, at(this.sources, INTERNAL), others.length);
    this.entitlements = [...others, ...levels];
    this.#levels = new Map(levels.map((level) => [level.name, level]));
    this.apps = this.#makeApps(new Ids(seed, 'app'));
    const accessProfiles = this.#makeAccessProfiles(
      new Ids(seed, 'accessProfile'),
      size.accessProfiles,
      entitlements,
    );
    this.accessProfiles = [...accessProfiles, ...this.payroll.accessProfiles];
    const roles = this.#makeRoles(new Ids(seed, 'role'), size.roles, accessProfiles);
    this.roles = [...roles, ...this.payroll.roles];
  }

  /** The role that every worker has, with one access profile and one entitlement. */
  get birthright(): Role {
    return at(this.roles, 0);
  }

  /** The levels of an identity as an auth user, as access. */
  levelsOf(n: number): readonly Entitlement[] {
    const names = this.#company.levels.get(n) ?? [];
    return names.flatMap((name) => this.#levels.get(name) ?? []);
  }

  #makeEntitlements(ids: Ids, count: number): Entitlement[] {
    return Array.from({ length: count }, (_, number) => {
      const sourceUse = at(this.#sourceUses, number);
      const nth = sourceUse.entitlements.length;
      const kind = at(SOURCES, sourceUse.source.number);
      const level = at(LEVELS, levelNumber(nth, number % SOURCE_USES));
      const subject = at(
        kind.subjects,
        Math.floor(nth / LEVELS.length) + sourceUse.departmentNumber,
      );
      const round = Math.floor(nth / (LEVELS.length * kind.subjects.length));
      const where =
        round === 0
          ? ''
          : ` ${at(PLACES, round - 1).city}${round > PLACES.length ? ` ${round}` : ''}`;
      const department = at(DEPARTMENTS, sourceUse.departmentNumber);
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
        source: sourceUse.source,
        attribute: kind.attribute ?? 'groups',
        value: spelledValue(sourceUse.source.number, department.code, name),
        schema: kind.schema,
        privileged: number !== 0 && level.privileged,
        ...this.#labels(new Random(this.#company.seed, 'entitlement', number)),
      };
      sourceUse.entitlements.push(entitlement);
      at(this.offers, sourceUse.departmentNumber).entitlements.push(entitlement);
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

  #makeAccessProfiles(
    ids: Ids,
    count: number,
    entitlements: readonly Entitlement[],
  ): AccessProfile[] {
    return Array.from({ length: count }, (_, number) => {
      const sourceUse = at(this.#sourceUses, number === 0 ? 0 : number - 1);
      const random = new Random(this.#company.seed, 'accessProfile', number);
      const nth = sourceUse.profiles;
      sourceUse.profiles += number === 0 ? 0 : 1;
      const department = at(DEPARTMENTS, sourceUse.departmentNumber);
      const apps = this.apps.filter((app) => app.source === sourceUse.source);
      const purpose = at(PURPOSES, nth);
      const again = Math.floor(nth / PURPOSES.length);
      const profile: AccessProfile = {
        number,
        id: ids.id(number),
        name:
          number === 0
            ? 'Staff Basics'
            : `${department.name} ${sourceUse.source.reference.name} ${purpose}${again === 0 ? '' : ` ${again + 1}`}`,
        description: `${purpose} in ${sourceUse.source.reference.name} for ${number === 0 ? 'everybody' : department.name}.`,
        source: sourceUse.source,
        app: apps.length > 0 && (number === 0 || random.chance(0.7)) ? random.pick(apps) : null,
        entitlements:
          number === 0
            ? [at(entitlements, 0)]
            : someOf(sourceUse.entitlements, 2 * nth, random.chance(0.4) ? 2 : 1),
        ...this.#terms(random, sourceUse.departmentNumber),
        ...this.#labels(random),
      };
      if (number !== 0) at(this.offers, sourceUse.departmentNumber).accessProfiles.push(profile);
      return profile;
    });
  }

  #makeRoles(ids: Ids, count: number, accessProfiles: readonly AccessProfile[]): Role[] {
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
            ? [at(accessProfiles, 0)]
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

/**
 * The levels of auth users, as entitlements of the internal source: so searches of access find
 * administrators. They are numbered after all others, which therefore do not depend on them.
 */
function levelEntitlements(seed: number, source: Source, first: number): Entitlement[] {
  const ids = new Ids(seed, 'entitlement');
  return LEVEL_NAMES.map((name, nth) => ({
    ...{ number: first + nth, id: ids.id(first + nth), name, value: name, source },
    description: `The level ${name} of this service.`,
    ...{ attribute: 'assignedGroups', schema: 'group', privileged: name === 'ORG_ADMIN' },
    ...{ segments: [], tags: [] },
  }));
}

function named(names: readonly string[], ids: Ids): Reference[] {
  return names.map((name, number) => ({ id: ids.id(number), name }));
}

/** `count` consecutive elements, or all if there are fewer. */
function someOf<T>(list: readonly T[], first: number, count: number): T[] {
  return Array.from({ length: Math.min(count, list.length) }, (_, index) =>
    at(list, first + index),
  );
}

/**
 * Index into LEVELS: Read is first and each level is used once in five, but the order of the others
 * differs between source uses, so that small companies have privileged access too.
 */
function levelNumber(nth: number, sourceUseNumber: number): number {
  const place = nth % LEVELS.length;
  return place === 0 ? 0 : 1 + ((place - 1 + sourceUseNumber) % (LEVELS.length - 1));
}

/** The value in the spelling of the source. */
function spelledValue(sourceNumber: number, code: string, name: string): string {
  if (sourceNumber === DIRECTORY) return `CN=${name},OU=${code},OU=Groups,${DIRECTORY_ROOT}`;
  return name.toUpperCase().replace(/[^\p{L}\p{N}]+/gu, '_');
}
