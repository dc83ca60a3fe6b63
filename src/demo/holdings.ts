// What a person holds and by which accounts. Kept apart from the document so that an activity can tell of access
// that its recipient really has.
// Invariant: a held entitlement has an account on its source, and none twice; what a held role or access profile
// contains is held too.
import type { AccessProfile, Catalogue, Entitlement, Role } from './catalogue.ts';
import {
  CONTRACTOR_REGISTER,
  DIRECTORY,
  INTERNAL,
  SOURCES,
  STAFF_REGISTER,
} from './company-tables.ts';
import type { Person } from './person.ts';
import { at, Random } from './random.ts';

export interface Holdings {
  readonly roles: readonly Role[];
  readonly accessProfiles: readonly AccessProfile[];
  readonly entitlements: readonly Entitlement[];
  /** Held for themselves, not by way of a role or an access profile. */
  readonly standalone: ReadonlySet<Entitlement>;
}

/** What kind of account it is, beside the plain one. */
export type AccountKind = 'plain' | 'admin' | 'dormant';

export interface HeldAccount {
  readonly sourceNumber: number;
  readonly kind: AccountKind;
}

const NOTHING: Holdings = {
  roles: [],
  accessProfiles: [],
  entitlements: [],
  standalone: new Set(),
};

function chosenRoles(catalogue: Catalogue, person: Person, random: Random): Role[] {
  const offer = at(catalogue.offers, person.seat.departmentNumber);
  const roles = [catalogue.birthright];
  // Most of a department share few roles; the long tail has few members each.
  if (random.chance(0.5)) roles.push(at(offer.roles, rareNumber(random, offer.roles.length)));
  return roles;
}

/** A number below `length` of which small ones are frequent. */
function rareNumber(random: Random, length: number): number {
  return Math.floor(length * random.cubed());
}

/** The access of a person; the same for the same person at each call. */
export function holdingsOf(catalogue: Catalogue, person: Person, seed: number): Holdings {
  const { lifecycle, employment, departmentNumber, n } = person.seat;
  const random = new Random(seed, 'holdings', n);
  const offer = at(catalogue.offers, departmentNumber);
  const single = (): Entitlement =>
    at(offer.entitlements, rareNumber(random, offer.entitlements.length));
  if (employment === 'service' || lifecycle === 'terminated') {
    // Some services have rights of their own; some who have left kept one: what an audit looks for.
    if (!random.chance(employment === 'service' ? 0.6 : 0.12)) return NOTHING;
    const kept = single();
    return { ...NOTHING, entitlements: [kept], standalone: new Set([kept]) };
  }
  if (lifecycle === 'prehire') return NOTHING;
  const roles = chosenRoles(catalogue, person, random);
  const profiles = new Set(roles.flatMap((role) => role.accessProfiles));
  if (random.chance(0.15)) {
    profiles.add(at(offer.accessProfiles, rareNumber(random, offer.accessProfiles.length)));
  }
  const entitlements = new Set([
    ...roles.flatMap((role) => role.entitlements),
    ...[...profiles].flatMap((profile) => profile.entitlements),
  ]);
  const standalone = new Set<Entitlement>();
  const extra = random.chance(0.2) ? 1 + random.below(2) : 0;
  for (let count = 0; count < extra; count += 1) {
    const entitlement = single();
    if (entitlements.has(entitlement)) continue;
    entitlements.add(entitlement);
    standalone.add(entitlement);
  }
  return {
    roles,
    accessProfiles: [...profiles],
    entitlements: [...entitlements],
    standalone,
  };
}

/** The accounts of a person: the internal one first, then the register, the directory, and what the access needs. */
export function accountsOf(person: Person, holdings: Holdings, random: Random): HeldAccount[] {
  const { employment, lifecycle, department, isManager } = person.seat;
  const numbers = new Set<number>();
  if (employment !== 'service') {
    numbers.add(INTERNAL);
    numbers.add(employment === 'contractor' ? CONTRACTOR_REGISTER : STAFF_REGISTER);
  }
  if (lifecycle !== 'prehire') numbers.add(DIRECTORY);
  for (const { source } of holdings.entitlements) numbers.add(source.number);
  const accounts: HeldAccount[] = [...numbers].map((sourceNumber) => ({
    sourceNumber,
    kind: 'plain',
  }));
  const technical = department.code === 'ITS' || department.code === 'SEC';
  if (lifecycle === 'active' && employment === 'employee') {
    if (random.chance(technical ? 0.3 : isManager ? 0.01 : 0.002)) {
      accounts.push({ sourceNumber: DIRECTORY, kind: 'admin' });
    }
    const left = INTERNAL + 1 + random.below(SOURCES.length - INTERNAL - 1);
    if (random.chance(0.08) && !numbers.has(left)) {
      accounts.push({ sourceNumber: left, kind: 'dormant' });
    }
  }
  return accounts;
}
