// Identity documents with accounts, apps and access, as the search API returns them
// (contract/search.md section 6).
// Invariant: accessCount is the length of access and the sum of its three kinds; accountCount
// excludes the internal account, which is listed; appCount is the length of apps.
import type { AccessProfile, Entitlement, Role, Source } from './access.ts';
import type { Catalogue } from './catalogue.ts';
import type { Seat } from './company.ts';
import {
  CLOUD,
  CONTRACTOR_REGISTER,
  DIRECTORY,
  INTERNAL,
  PAYROLL,
  SOURCES,
  STAFF_REGISTER,
} from './company-tables.ts';
import { type AccountKind, accountsOf, type HeldAccount, holdingsOf } from './holdings.ts';
import type { Ownership } from './ownership.ts';
import { accountName, type People, type Person } from './person.ts';
import { at, Ids, Random } from './random.ts';

const DAY = 86_400_000;
/** More than the accounts of any identity, so that account ids are unique. */
const ACCOUNTS_MAX = 32;

type Document = Record<string, unknown>;

const iso = (time: number): string => new Date(time).toISOString();

/** Generates identity documents; caches the elements that many share. */
export class IdentityDocuments {
  readonly #people: People;
  readonly #catalogue: Catalogue;
  readonly #ownership: Ownership;
  readonly #accountIds: Ids;
  readonly #profileIds: Ids;
  /** Cached elements of `access`. */
  readonly #elements = new Map<string, Document>();

  constructor(people: People, catalogue: Catalogue, ownership: Ownership) {
    this.#people = people;
    this.#catalogue = catalogue;
    this.#ownership = ownership;
    this.#accountIds = new Ids(people.company.seed, 'account');
    this.#profileIds = new Ids(people.company.seed, 'profile');
  }

  document(person: Person): Document {
    const { seat, dates, name } = person;
    const seed = this.#people.company.seed;
    const random = new Random(seed, 'account', seat.n);
    const holdings = holdingsOf(this.#catalogue, person, seed);
    const heldAccounts = accountsOf(person, holdings, random);
    const accounts = heldAccounts.map((account, index) =>
      this.#account(person, account, index, holdings.entitlements, random),
    );
    const apps = this.#apps(holdings.accessProfiles, heldAccounts, accounts);
    const access = [
      ...holdings.entitlements.map((entitlement) =>
        this.#entitlement(entitlement, holdings.standalone.has(entitlement)),
      ),
      ...holdings.accessProfiles.map((profile) => this.#accessProfile(profile)),
      ...holdings.roles.map((role) => this.#role(role)),
    ];
    const segments = this.#catalogue.segments.filter(
      (segment) => segment.name === person.place.region,
    );
    const owns = this.#ownership.of(seat.n);
    const gone = seat.lifecycle === 'terminated';
    const tags = seat.n % 50 === 7 ? ['Executive Assistant Pool'] : [];
    return {
      _type: 'identity',
      id: person.id,
      name: name.login,
      ...(seat.employment === 'service' ? {} : { firstName: name.first, lastName: name.last }),
      displayName: name.display,
      ...(seat.employment === 'service'
        ? {}
        : { email: person.email, phone: person.phone, employeeNumber: person.number }),
      created: iso(dates.created),
      modified: iso(dates.modified),
      synced: iso(dates.synced),
      inactive: gone || seat.lifecycle === 'prehire',
      protected: seat.n === 0,
      disabled: gone,
      locked: person.locked,
      isManager: seat.isManager,
      status: status(person),
      ...this.#processing(person),
      ...(seat.managerNumber === null
        ? {}
        : { manager: this.#people.reference(seat.managerNumber) }),
      ...this.#origin(person),
      attributes: attributes(person),
      accounts,
      accountCount: heldAccounts.filter(({ sourceNumber }) => sourceNumber !== INTERNAL).length,
      apps,
      appCount: apps.length,
      access,
      accessCount: access.length,
      entitlementCount: holdings.entitlements.length,
      accessProfileCount: holdings.accessProfiles.length,
      roleCount: holdings.roles.length,
      owns: owns.list,
      ownsCount: owns.count,
      tags,
      tagCount: tags.length,
      visibleSegments: segments.map(({ id }) => id),
      visibleSegmentCount: segments.length,
    };
  }

  /** The source of the identity; none for service accounts, which no register lists. */
  #origin({ seat: { employment } }: Person): Document {
    if (employment === 'service') return {};
    const number = employment === 'contractor' ? CONTRACTOR_REGISTER : STAFF_REGISTER;
    return {
      identityProfile: {
        id: this.#profileIds.id(number),
        name: employment === 'contractor' ? 'Contractors' : 'Staff',
      },
      source: at(this.#catalogue.sources, number).reference,
    };
  }

  #processing({ seat: { n }, dates }: Person): Document {
    if (n % 97 !== 13) return {};
    return {
      processingState: 'ERROR',
      processingDetails: {
        date: iso(dates.modified),
        stage: 'ATTRIBUTE_PROMOTION',
        retryCount: 1 + (n % 4),
        stackTrace: 'TransformException: no value for attribute costCenter',
        message: 'The cost center could not be worked out.',
      },
    };
  }

  #account(
    person: Person,
    { sourceNumber, kind }: HeldAccount,
    index: number,
    entitlements: readonly Entitlement[],
    random: Random,
  ): Document {
    const { seat, dates } = person;
    const source = at(this.#catalogue.sources, sourceNumber);
    const admin = kind === 'admin' || kind === 'dormantAdmin';
    const native = accountName(sourceNumber, person);
    const accountId = admin ? native.replace('CN=', 'CN=adm-') : native;
    const from = Math.min(Math.max(dates.created, dates.start - 5 * DAY), this.#people.now - DAY);
    const opened = from + Math.floor(random.fraction() * 0.2 * (this.#people.now - from));
    // An administrator's account may be older than the employment of its holder.
    const created =
      kind === 'dormantAdmin' ? Math.min(opened, this.#people.now - 300 * DAY) : opened;
    const changed = created + Math.floor(random.fraction() * (this.#people.now - created));
    const { passwords } = at(SOURCES, sourceNumber);
    // One in eight accounts of leavers is still enabled.
    const chance = seat.lifecycle === 'terminated' ? !random.chance(0.12) : random.chance(0.02);
    const disabled = chance && !staysOpen(seat, sourceNumber, kind);
    return {
      id: this.#accountIds.id(seat.n * ACCOUNTS_MAX + index),
      name: accountDisplayName(sourceNumber, person, admin),
      accountId,
      source: { ...source.reference, type: source.type },
      disabled,
      locked: person.locked && sourceNumber === DIRECTORY,
      privileged: admin || (kind === 'plain' && holdsPrivileged(entitlements, source)),
      manuallyCorrelated: sourceNumber > INTERNAL && random.chance(0.05),
      ...(passwords ? { passwordLastSet: iso(changed) } : {}),
      entitlementAttributes: kind === 'plain' ? entitlementAttributes(entitlements, source) : {},
      accountAttributes: this.#accountAttributes(person, sourceNumber, kind, created, random),
      created: iso(created),
      supportsPasswordChange: passwords,
    };
  }

  #accountAttributes(
    person: Person,
    sourceNumber: number,
    kind: AccountKind,
    created: number,
    random: Random,
  ): Document {
    const { now } = this.#people;
    switch (sourceNumber) {
      case INTERNAL:
        return {};
      case STAFF_REGISTER:
      case CONTRACTOR_REGISTER:
        return { costCenter: `${person.seat.department.code}-${person.place.country}` };
      default: {
        const dormant = kind === 'dormant' || kind === 'dormantAdmin';
        const days = dormant ? 200 + 900 * random.fraction() : 60 * random.squared();
        const login = Math.max(created, now - Math.floor(days * DAY));
        const lastLogin = iso(login);
        if (sourceNumber !== DIRECTORY) return { lastLogin, loginCount: random.below(900) };
        const prefix = kind === 'admin' || kind === 'dormantAdmin' ? 'adm-' : '';
        return {
          sAMAccountName: `${prefix}${person.name.login}`,
          lastLogin,
          passwordNeverExpires: person.seat.employment === 'service',
        };
      }
    }
  }

  /** Each app once, with the account that uses it. */
  #apps(
    profiles: readonly AccessProfile[],
    heldAccounts: readonly HeldAccount[],
    accounts: readonly Document[],
  ): Document[] {
    const apps = new Set(profiles.flatMap(({ app }) => (app === null ? [] : [app])));
    return [...apps].map((app) => {
      const account = at(
        accounts,
        heldAccounts.findIndex(
          ({ sourceNumber, kind }) => sourceNumber === app.source.number && kind === 'plain',
        ),
      );
      return {
        id: app.id,
        name: app.name,
        source: app.source.reference,
        account: { id: account['id'], accountId: account['accountId'] },
      };
    });
  }

  #element(key: string, make: () => Document): Document {
    let element = this.#elements.get(key);
    if (element === undefined) {
      element = make();
      this.#elements.set(key, element);
    }
    return element;
  }

  #entitlement(entitlement: Entitlement, standalone: boolean): Document {
    return this.#element(`${standalone ? 's' : 'e'}${entitlement.number}`, () => ({
      id: entitlement.id,
      name: entitlement.name,
      displayName: entitlement.name,
      type: 'ENTITLEMENT',
      description: entitlement.description,
      source: entitlement.source.reference,
      attribute: entitlement.attribute,
      value: entitlement.value,
      schema: entitlement.schema,
      privileged: entitlement.privileged,
      standalone,
      cloudGoverned: entitlement.source.number === CLOUD,
    }));
  }

  #accessProfile(profile: AccessProfile): Document {
    return this.#element(`p${profile.number}`, () => ({
      id: profile.id,
      name: profile.name,
      displayName: profile.name,
      type: 'ACCESS_PROFILE',
      description: profile.description,
      source: profile.source.reference,
      owner: this.#people.reference(profile.owner),
      revocable: profile.requestable,
      privileged: profile.entitlements.some(({ privileged }) => privileged),
    }));
  }

  #role(role: Role): Document {
    return this.#element(`r${role.number}`, () => ({
      id: role.id,
      name: role.name,
      displayName: role.name,
      type: 'ROLE',
      description: role.description,
      owner: this.#people.reference(role.owner),
      disabled: !role.enabled,
      revocable: role.requestable,
      privileged: contentsOf(role).some(({ privileged }) => privileged),
    }));
  }
}

/** The entitlements that a role grants. */
function contentsOf({ entitlements, accessProfiles }: Role): readonly Entitlement[] {
  return [...entitlements, ...accessProfiles.flatMap((profile) => profile.entitlements)];
}

/** Accounts that an audit asks about are open in every company. */
function staysOpen({ part }: Seat, sourceNumber: number, kind: AccountKind): boolean {
  if (part === 'orphan' || kind === 'dormantAdmin') return true;
  return part === 'leaver' && (sourceNumber === DIRECTORY || sourceNumber === PAYROLL);
}

function status({ seat: { lifecycle, employment }, locked }: Person): string {
  if (locked) return 'LOCKED';
  if (employment === 'service' || lifecycle === 'prehire') return 'UNREGISTERED';
  return lifecycle === 'terminated' ? 'DISABLED' : 'ACTIVE';
}

/** The identity attributes, all strings, since one client decodes nothing else. */
function attributes(person: Person): Document {
  const { seat, name, place, dates } = person;
  if (seat.employment === 'service') {
    return {
      uid: name.login,
      displayName: name.display,
      identityState: 'ACTIVE',
      cloudStatus: 'UNREGISTERED',
    };
  }
  const gone = seat.lifecycle === 'terminated';
  return {
    uid: name.login,
    firstname: name.first,
    lastname: name.last,
    displayName: name.display,
    email: person.email,
    phone: person.phone,
    identificationNumber: person.number,
    employeeType: seat.employment,
    department: seat.department.name,
    jobTitle: person.title,
    city: place.city,
    country: place.country,
    location: place.region,
    costCenter: `${seat.department.code}-${place.country}`,
    startDate: iso(dates.start).slice(0, 10),
    ...(dates.end === null ? {} : { endDate: iso(dates.end).slice(0, 10) }),
    cloudLifecycleState: seat.lifecycle,
    cloudStatus: status(person),
    identityState: gone ? 'INACTIVE_LONG_TERM' : 'ACTIVE',
  };
}

function accountDisplayName(sourceNumber: number, person: Person, admin: boolean): string {
  if (admin) return `adm-${person.name.login}`;
  return sourceNumber === STAFF_REGISTER || sourceNumber === CONTRACTOR_REGISTER
    ? person.name.display
    : person.name.login;
}

function holdsPrivileged(entitlements: readonly Entitlement[], source: Source): boolean {
  return entitlements.some(
    (entitlement) => entitlement.privileged && entitlement.source === source,
  );
}

function entitlementAttributes(entitlements: readonly Entitlement[], source: Source): Document {
  const ofSource = entitlements.filter((entitlement) => entitlement.source === source);
  const [first] = ofSource;
  return first === undefined ? {} : { [first.attribute]: ofSource.map(({ value }) => value) };
}
