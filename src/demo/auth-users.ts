// The auth users of the demo company and their capabilities. Each is also an identity of the
// documents, with the same id, names and addresses.
import type { AuthUser } from '../service/ports/store.ts';
import { Company } from './company.ts';
import { DEPARTMENTS, TECHNOLOGY } from './company-tables.ts';
import type { DemoOptions } from './documents.ts';
import { People, type Person } from './person.ts';
import { Ids, Random } from './random.ts';

const DAY = 86_400_000;
/** Up to this size every identity is an auth user. */
const ALL_IDENTITIES_MAX = 2000;
/** Auth users per department of a larger company, in addition to those with capabilities. */
const PER_DEPARTMENT = 3;

/** The number of the administrator's identity. */
export function administratorNumber(company: Company): number {
  return company.anchor(TECHNOLOGY, 0);
}

/** The id of the administrator's identity: an ORG_ADMIN of `demoAuthUsers`. */
export function demoAdministratorId({ seed, identities }: Omit<DemoOptions, 'now'>): string {
  return new Ids(seed, 'identity').id(administratorNumber(new Company(seed, identities)));
}

/**
 * Generates auth users in the order of their identities: all up to 2,000 identities, else some of
 * each department.
 * @param options options of `demoDocuments`, and the name of the tenant
 */
export function* demoAuthUsers(
  options: DemoOptions & { readonly tenant: string },
): Generator<AuthUser> {
  const company = new Company(options.seed, options.identities);
  const people = new People(company, options.now);
  const profile = new Ids(options.seed, 'profile').id(100);
  for (const n of numbers(company)) {
    const person = people.person(n);
    if (person.seat.employment === 'service') continue;
    yield authUser(options, person, profile, company.levels.get(n) ?? []);
  }
}

/** The numbers of the identities that are auth users, ascending. */
function numbers(company: Company): Iterable<number> {
  if (company.size <= ALL_IDENTITIES_MAX) return Array(company.size).keys();
  const selected = new Set([0, ...company.levels.keys()]);
  for (let department = 0; department < DEPARTMENTS.length; department += 1) {
    for (let local = 0; local < PER_DEPARTMENT; local += 1) {
      selected.add(company.anchor(department, local));
    }
  }
  return [...selected].sort((a, b) => a - b);
}

function authUser(
  { tenant, now, seed }: DemoOptions & { readonly tenant: string },
  person: Person,
  profile: string,
  capabilities: readonly string[],
): AuthUser {
  const random = new Random(seed, 'login', person.seat.n);
  const active = person.seat.lifecycle === 'active';
  const last = active && random.chance(0.9) ? now - 60_000 - random.below(40 * DAY) : 0;
  const { first, last: family, display, login } = person.name;
  return {
    tenant,
    id: person.id,
    uid: login,
    profile,
    identificationNumber: person.number,
    email: person.email,
    phone: person.phone,
    workPhone: person.phone,
    personalEmail: null,
    firstname: first,
    lastname: family,
    displayName: display,
    alias: login,
    lastPasswordChangeDate:
      last === 0 ? null : new Date(last - random.below(80 * DAY)).toISOString(),
    lastLoginTimestamp: last === 0 ? 0 : last - random.below(3 * DAY),
    currentLoginTimestamp: last,
    lastUnlockTimestamp: person.locked && last !== 0 ? new Date(last - DAY).toISOString() : null,
    capabilities,
  };
}
