// The access and the accounts of a person. Separate from the document, so that activities refer to
// access that their recipient has.
// Invariant: each held entitlement has exactly one account on its source; the contents of a held
// role or access profile are held too.
import type { AccessProfile, Entitlement, Role } from './access.ts';
import type { Catalogue } from './catalogue.ts';
import {
  CONTRACTOR_REGISTER,
  DIRECTORY,
  INTERNAL,
  MAINFRAME,
  PAYROLL,
  STAFF_REGISTER,
} from './company-tables.ts';
import { PAYROLL_ADMIN, PAYROLL_APPROVE, payrollPart } from './payroll.ts';
import type { Person } from './person.ts';
import { at, Random } from './random.ts';

export interface Holdings {
  readonly roles: readonly Role[];
  readonly accessProfiles: readonly AccessProfile[];
  readonly entitlements: readonly Entitlement[];
  /** Held directly, not through a role or an access profile. */
  readonly standalone: ReadonlySet<Entitlement>;
}

/** The kind of an account; `plain` is the usual one, `dormantAdmin` an administrator's, not used. */
export type AccountKind = 'plain' | 'admin' | 'dormant' | 'dormantAdmin';

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
  // Most people of a department share a few roles; the others have few members each.
  if (random.chance(0.5)) roles.push(at(offer.roles, skewedIndex(random, offer.roles.length)));
  return roles;
}

/** A random index below `length`, skewed to small values. */
function skewedIndex(random: Random, length: number): number {
  return Math.floor(length * random.cubed());
}

/** The access of a person; every call returns the same. */
export function holdingsOf(catalogue: Catalogue, person: Person, seed: number): Holdings {
  const holdings = withPayroll(catalogue, person, generalHoldings(catalogue, person, seed));
  const levels = catalogue.levelsOf(person.seat.n);
  if (levels.length === 0) return holdings;
  return {
    ...holdings,
    entitlements: [...holdings.entitlements, ...levels],
    standalone: new Set([...holdings.standalone, ...levels]),
  };
}

function withPayroll({ payroll }: Catalogue, { seat }: Person, holdings: Holdings): Holdings {
  const part = payrollPart(seat);
  if (part === null) return holdings;
  const roles = part === 'admin' ? [] : payroll.roles;
  const accessProfiles = roles.flatMap((role) => role.accessProfiles);
  const contents = accessProfiles.flatMap(({ entitlements }) => entitlements);
  const extra = payroll.entitlements.filter(
    ({ name }) =>
      (part === 'conflict' && name === PAYROLL_APPROVE) ||
      (part === 'admin' && name === PAYROLL_ADMIN),
  );
  return {
    roles: [...holdings.roles, ...roles],
    accessProfiles: [...holdings.accessProfiles, ...accessProfiles],
    entitlements: [...holdings.entitlements, ...contents, ...extra],
    standalone: new Set([...holdings.standalone, ...extra]),
  };
}

function generalHoldings(catalogue: Catalogue, person: Person, seed: number): Holdings {
  if (person.seat.part === 'orphan') return NOTHING;
  const { lifecycle, employment, departmentNumber, n } = person.seat;
  const random = new Random(seed, 'holdings', n);
  const offer = at(catalogue.offers, departmentNumber);
  const single = (): Entitlement =>
    at(offer.entitlements, skewedIndex(random, offer.entitlements.length));
  if (employment === 'service' || lifecycle === 'terminated') {
    // Some services have access of their own, and some leavers still have one entitlement, for
    // audits.
    if (!random.chance(employment === 'service' ? 0.6 : 0.12)) return NOTHING;
    const entitlement = single();
    return { ...NOTHING, entitlements: [entitlement], standalone: new Set([entitlement]) };
  }
  if (lifecycle === 'prehire') return NOTHING;
  const roles = chosenRoles(catalogue, person, random);
  const profiles = new Set(roles.flatMap((role) => role.accessProfiles));
  if (random.chance(0.15)) {
    profiles.add(at(offer.accessProfiles, skewedIndex(random, offer.accessProfiles.length)));
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

/** The accounts of a person: internal, register, directory, then the sources of the access. */
export function accountsOf(person: Person, holdings: Holdings, random: Random): HeldAccount[] {
  const { employment, lifecycle, department, isManager, part, n, local } = person.seat;
  if (part === 'orphan') return [{ sourceNumber: MAINFRAME, kind: 'plain' }];
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
    const drawn = random.chance(technical ? 0.3 : isManager ? 0.01 : 0.002);
    // One administrator's account that nobody uses is in every company.
    const always = department.code === 'ITS' && local === 1;
    if (drawn || always) {
      const kind = always || n % 4 === 3 ? 'dormantAdmin' : 'admin';
      accounts.push({ sourceNumber: DIRECTORY, kind });
    }
    // Any of the sources before the payroll.
    const unusedSource = INTERNAL + 1 + random.below(PAYROLL - INTERNAL - 1);
    if (random.chance(0.08) && !numbers.has(unusedSource)) {
      accounts.push({ sourceNumber: unusedSource, kind: 'dormant' });
    }
  }
  return accounts;
}
