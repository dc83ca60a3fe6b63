// Profile n of the demo company: vendors, employees, contractors, then assignments, so that a
// profile refers only to earlier ones. The first contractors are identities of the company's
// documents.
// Invariant: profile n depends only on seed, company, count and n; its values are valid input of
// the API.
import { DOMAIN, PLACES } from './company-tables.ts';
import { Names, type PersonName } from './names.ts';
import type { People } from './person.ts';
import type { WireRecord } from './profile-keys.ts';
import type { ProfileUsers } from './profile-people.ts';
import {
  ASSIGNMENTS,
  PURPOSES_OF_WORK,
  SKILLS,
  TRAININGS,
  VENDOR_NAMES,
  VENDOR_TRADES,
  WORK_MODES,
} from './profile-tables.ts';
import { at, Ids, Random, uuidOf } from './random.ts';

const DAY = 86_400_000;
/** The number of a contractor who works remotely and has a high risk in every company. */
export const RISKY_CONTRACTOR = 6;
/** One contractor in 25 has no sponsor: numbers 3, 28, … */
const WITHOUT_SPONSOR_EVERY = 25;
const WITHOUT_SPONSOR = 3;
/** Hours per week. */
const HOURS = [8, 16, 20, 32, 37.5, 40];

/** The number of profiles of each type; their sum is the requested number. */
export interface ProfileCounts {
  readonly vendors: number;
  readonly employees: number;
  readonly contractors: number;
  readonly assignments: number;
}

/** The period and status of a contract or an assignment. */
interface Engagement {
  readonly start: number;
  readonly end: number;
  readonly status: string;
}

/** A contractor, whether or not the company's documents have an identity of them. */
interface Contractor {
  readonly name: PersonName;
  readonly number: string;
  readonly email: string;
  readonly phone: string;
  readonly title: string;
  readonly department: string;
  readonly city: string;
  readonly engagement: Engagement;
}

export class ProfileRecords {
  readonly counts: ProfileCounts;
  readonly #people: People;
  readonly #users: ProfileUsers;
  readonly #ids: Ids;
  readonly #names: Names;
  /** Numbers of the identities. */
  readonly #employees: readonly number[];
  readonly #contractors: readonly number[];

  constructor(people: People, users: ProfileUsers, profiles: number) {
    const { company } = people;
    this.#people = people;
    this.#users = users;
    this.#ids = new Ids(company.seed, 'profileRecord');
    this.#names = new Names(company.seed);
    const vendors = Math.ceil(profiles / 50);
    const assignments = Math.floor(profiles / 5);
    const [employees, contractors] = workersOf(people, Math.floor(profiles / 10), profiles);
    this.#employees = employees;
    this.#contractors = contractors;
    this.counts = {
      ...{ vendors, assignments, employees: employees.length },
      contractors: profiles - vendors - assignments - employees.length,
    };
  }

  id(n: number): string {
    return uuidOf(this.#ids.id(n));
  }

  /** The profile number of the k-th contractor. */
  contractor(k: number): number {
    const { vendors, employees, contractors } = this.counts;
    return vendors + employees + (k % contractors);
  }

  /** A profile in the form of GET /api/profiles, with references by id or uid. */
  record(n: number): WireRecord {
    const { vendors, employees, contractors } = this.counts;
    const random = new Random(this.#people.company.seed, 'profileRecord', n);
    if (n < vendors) return this.#vendor(n, random);
    if (n < vendors + employees) return this.#employee(n, n - vendors, random);
    const k = n - vendors - employees;
    return k < contractors ? this.#contractor(n, k, random) : this.#assignment(n, random);
  }

  vendorName(n: number): string {
    const column = n % VENDOR_NAMES.length;
    const trade = at(VENDOR_TRADES, Math.floor(n / VENDOR_NAMES.length) + column);
    const round = Math.floor(n / (VENDOR_NAMES.length * VENDOR_TRADES.length));
    return `${at(VENDOR_NAMES, n)} ${trade}${round === 0 ? '' : ` ${round + 1}`}`;
  }

  #vendor(n: number, random: Random): WireRecord {
    const name = this.vendorName(n);
    const start = this.#people.now - Math.floor((200 + 2500 * random.fraction()) * DAY);
    const status = random.chance(0.92) ? 'Active' : 'Inactive';
    return this.#profile(n, `V${padded(n + 1, 5)}`, name, 'vendor', { start, status }, random, {
      organization_name: name,
      registration_number: `HRB ${100_000 + n * 7}`,
      city: random.pick(PLACES).city,
      start_date: dateOf(start, 'mm/dd/yyyy'),
      vendor_owner: this.#users.uid(random.below(1000)),
      reviewers: this.#severalUsers(random),
    });
  }

  #employee(n: number, k: number, random: Random): WireRecord {
    const person = this.#people.person(at(this.#employees, k));
    const { name, number, email, phone, title, seat, place, dates } = person;
    const { start } = dates;
    return this.#profile(n, `E${number}`, name.display, 'employee', { start }, random, {
      ...{ first_name: name.first, last_name: name.last, worker_number: `E${number}` },
      ...{ email, phone, job_title: title, department: seat.department.name, city: place.city },
      start_date: dateOf(start, 'mm/dd/yyyy'),
      hours_per_week: random.chance(0.85) ? '40' : '20',
      trainings: someOf(TRAININGS, random),
      sync_state: 'synced',
    });
  }

  #contractor(n: number, k: number, random: Random): WireRecord {
    const contractor = this.#contractorData(k, random);
    const { name, number, email, phone, title, department, city, engagement } = contractor;
    const { start, end } = engagement;
    const vendor = this.counts.vendors === 0 ? null : this.id(this.#vendorOf(random));
    const badge = end + Math.floor((random.fraction() - 0.3) * 60) * DAY;
    const checked = start - Math.floor(5 + 500 * random.squared()) * DAY;
    const state = random.fraction();
    return this.#profile(n, `C${number}`, name.display, 'contractor', engagement, random, {
      ...{ first_name: name.first, last_name: name.last, worker_number: `C${number}` },
      ...{ email, job_title: title, department, city },
      ...(random.chance(0.6) ? { phone } : {}),
      ...{ start_date: dateOf(start, 'mm/dd/yyyy'), end_date: dateOf(end, 'mm/dd/yyyy') },
      ...(random.chance(0.7) ? { badge_expires: dateOf(badge, 'yyyy-mm-dd') } : {}),
      ...(random.chance(0.9) ? { checked_on: dateOf(checked, 'dd/mm/yyyy') } : {}),
      ...(random.chance(0.6) ? { hours_per_week: String(random.pick(HOURS)) } : {}),
      ...(random.chance(0.3) ? { purpose: random.pick(PURPOSES_OF_WORK) } : {}),
      work_mode: workMode(k, random),
      trainings: someOf(TRAININGS, random),
      skills: someOf(SKILLS, random),
      ...(vendor === null ? {} : { organization: vendor }),
      ...(random.chance(0.5) ? this.#hostOf(random) : {}),
      ...this.#sponsorOf(k, random),
      ...(random.chance(0.25) ? { deputy: this.#users.uid(random.below(1000)) } : {}),
      ...(random.chance(0.3) ? { reviewers: this.#severalUsers(random) } : {}),
      ...(state < 0.82 ? { sync_state: 'synced' } : state < 0.87 ? { sync_state: 'failed' } : {}),
    });
  }

  #assignment(n: number, random: Random): WireRecord {
    const name = `${random.pick(ASSIGNMENTS)} ${padded(n, 6)}`;
    const engagement = this.#engagement(random);
    const { contractors, vendors } = this.counts;
    return this.#profile(n, `A${padded(n, 6)}`, name, 'assignment', engagement, random, {
      assignment_title: name,
      ...(contractors > 0 ? { worker: this.id(this.contractor(random.below(contractors))) } : {}),
      ...(vendors > 0 ? { organization: this.id(this.#vendorOf(random)) } : {}),
      ...{ start_date: dateOf(engagement.start, 'mm/dd/yyyy') },
      ...{ end_date: dateOf(engagement.end, 'mm/dd/yyyy') },
      city: random.pick(PLACES).city,
      sponsor: this.#users.uid(random.below(1000)),
    });
  }

  #profile(
    n: number,
    uid: string,
    name: string,
    type: string,
    { start, end, status }: Partial<Engagement> & { readonly start: number },
    random: Random,
    attributes: Readonly<Record<string, string>>,
  ): WireRecord {
    const { now } = this.#people;
    const created = Math.min(start - 9 * DAY, now - 2 * DAY) - random.below(DAY);
    const updated = created + Math.floor((now - DAY - created) * random.fraction());
    const gone = status === 'Terminated' && end !== undefined && now - end > 400 * DAY;
    const proofing = random.fraction();
    return {
      ...{ id: this.id(n), uid, name, profile_type_id: type, status: status ?? 'Active' },
      id_proofing_status:
        type !== 'contractor' || proofing < 0.5 ? null : proofing < 0.9 ? 'pass' : 'pending',
      archived: gone,
      created_at: new Date(created).toISOString(),
      updated_at: new Date(updated).toISOString(),
      attributes,
    };
  }

  /** The k-th contractor: identities of the company's documents first, then generated people. */
  #contractorData(k: number, random: Random): Contractor {
    const identityNumber = this.#contractors[k];
    if (identityNumber === undefined) {
      const { size } = this.#people.company;
      const name = this.#names.name(size + k);
      const { city, dial } = random.pick(PLACES);
      const { department } = this.#people.company.seat(1 + random.below(Math.max(1, size - 1)));
      const digits = String(random.below(10_000_000)).padStart(7, '0');
      return {
        ...{ name, city, department: department.name, title: random.pick(department.titles) },
        number: String(500_000 + k - this.#contractors.length),
        email: `${name.login}@partners.${DOMAIN}`,
        phone: `${dial} ${digits.slice(0, 3)} ${digits.slice(3)}`,
        engagement: settledEngagement(k, this.#engagement(random), this.#people.now),
      };
    }
    const { name, number, email, phone, title, seat, place, dates } =
      this.#people.person(identityNumber);
    const { start, end } = dates;
    const status = { active: 'Active', leave: 'On Leave', prehire: 'Inactive' } as const;
    const { lifecycle } = seat;
    return {
      ...{ name, number, email, phone, title, department: seat.department.name, city: place.city },
      engagement: {
        ...{ start, end: end ?? start + 365 * DAY },
        status: status[lifecycle as keyof typeof status] ?? 'Terminated',
      },
    };
  }

  /**
   * A period around the reference date, so that there are always recent starts, ends and overdue
   * ends.
   */
  #engagement(random: Random): Engagement {
    const { now } = this.#people;
    const start = now - Math.floor((1100 * random.fraction() - 40) * DAY);
    const end = start + Math.floor((60 + 660 * random.fraction()) * DAY);
    const late = random.chance(0.03);
    const leave = random.chance(0.03);
    if (start > now) return { start, end, status: 'Inactive' };
    if (end < now) return { start, end, status: late ? 'Active' : 'Terminated' };
    return { start, end, status: leave ? 'On Leave' : 'Active' };
  }

  /** A vendor, skewed to the first ones. */
  #vendorOf(random: Random): number {
    return Math.floor(this.counts.vendors * random.squared());
  }

  #hostOf(random: Random): { readonly host?: string } {
    const { vendors, employees } = this.counts;
    const pick = random.fraction();
    return employees === 0 ? {} : { host: this.id(vendors + Math.floor(pick * employees)) };
  }

  /** The sponsor of a contractor; a few have none. */
  #sponsorOf(k: number, random: Random): { readonly sponsor?: string } {
    const sponsor = this.#users.uid(random.below(1000));
    return k % WITHOUT_SPONSOR_EVERY === WITHOUT_SPONSOR ? {} : { sponsor };
  }

  #severalUsers(random: Random): string {
    const uids = [0, 1, 2].map(() => this.#users.uid(random.below(1000)));
    return [...new Set(uids.slice(0, 1 + random.below(3)))].join(',');
  }
}

function workMode(k: number, random: Random): string {
  const mode = random.pick(WORK_MODES);
  return k === RISKY_CONTRACTOR ? 'Remote' : mode;
}

/** Every second contractor without a sponsor leaves within a month, and the risky one is active. */
function settledEngagement(k: number, engagement: Engagement, now: number): Engagement {
  const isLeaving = k % (2 * WITHOUT_SPONSOR_EVERY) === WITHOUT_SPONSOR;
  if (!isLeaving && k !== RISKY_CONTRACTOR) return engagement;
  const days = isLeaving ? 5 + (k % 20) : 200;
  const start = Math.min(engagement.start, now - 30 * DAY);
  return { start, end: now + days * DAY, status: 'Active' };
}

/** Numbers of the identities that are employees or contractors, up to the given counts. */
function workersOf(people: People, employeesMost: number, contractorsMost: number) {
  const [employees, contractors]: [number[], number[]] = [[], []];
  const { company } = people;
  for (let n = 0; n < company.size; n += 1) {
    const full = employees.length >= employeesMost;
    if (full && contractors.length >= contractorsMost) break;
    const { employment, lifecycle } = company.seat(n);
    if (employment === 'contractor' && contractors.length < contractorsMost) contractors.push(n);
    else if (employment === 'employee' && lifecycle === 'active' && !full) employees.push(n);
  }
  return [employees, contractors] as const;
}

function someOf(words: readonly string[], random: Random): string {
  const first = random.below(words.length);
  const count = random.below(4);
  return Array.from({ length: Math.min(count, words.length) }, (_, i) =>
    at(words, first + i * 3),
  ).join(', ');
}

function dateOf(time: number, format: 'mm/dd/yyyy' | 'dd/mm/yyyy' | 'yyyy-mm-dd'): string {
  const [year = '', month = '', day = ''] = new Date(time).toISOString().slice(0, 10).split('-');
  return format.replace('yyyy', year).replace('mm', month).replace('dd', day);
}

function padded(number: number, length: number): string {
  return String(number).padStart(length, '0');
}
