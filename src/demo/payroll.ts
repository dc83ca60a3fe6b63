// The payroll system of the company, of the same size in every company: who pays people and who
// approves it must not be one person, and some are.
// Invariant: its access is numbered after the rest, so the rest does not depend on it.
import type { AccessProfile, Entitlement, Role, Source } from './access.ts';
import type { Company, Seat } from './company.ts';
import { PAYROLL, SOURCES } from './company-tables.ts';
import { at, Ids } from './random.ts';

/** What the payroll adds to the catalogue. */
export const PAYROLL_SIZE = { entitlements: 4, accessProfiles: 1, roles: 1 };

/** The numbers of Finance and Human Resources, which run the payroll. */
const FINANCE = 6;
const HUMAN_RESOURCES = 10;

const CLERK_EVERY = 4;
/** Of the clerks, one in four may also approve what they prepare. */
const CONFLICT_EVERY = 16;

/** Names of entitlements. */
export const PAYROLL_APPROVE = 'Payroll Run Approve';
export const PAYROLL_ADMIN = 'Payroll Admin';

/** Name and description; the first two are for clerks. */
const ENTITLEMENTS: readonly (readonly [name: string, description: string])[] = [
  ['Payroll Run Read', 'See payroll runs and payslips.'],
  ['Payroll Run Prepare', 'Prepare payroll runs. Not together with Payroll Run Approve.'],
  [PAYROLL_APPROVE, 'Approve payroll runs. Not together with Payroll Run Prepare.'],
  [PAYROLL_ADMIN, 'Fully control the payroll system.'],
];

export interface PayrollAccess {
  /** To read, prepare and approve runs, and full control. */
  readonly entitlements: readonly Entitlement[];
  readonly accessProfiles: readonly AccessProfile[];
  readonly roles: readonly Role[];
}

/** @param first the numbers of the first entitlement, access profile and role */
export function payrollAccess(
  company: Company,
  source: Source,
  first: typeof PAYROLL_SIZE,
): PayrollAccess {
  const { seed } = company;
  const { attribute, schema } = at(SOURCES, PAYROLL);
  const [entitlementIds, profileIds, roleIds] = [
    new Ids(seed, 'entitlement'),
    new Ids(seed, 'accessProfile'),
    new Ids(seed, 'role'),
  ];
  const entitlements = ENTITLEMENTS.map(([name, description], nth): Entitlement => {
    const number = first.entitlements + nth;
    return {
      ...{ number, id: entitlementIds.id(number), name, description, source, schema },
      attribute: attribute ?? 'permissions',
      value: name.toUpperCase().replaceAll(' ', '_'),
      privileged: name === PAYROLL_ADMIN,
      ...{ segments: [], tags: ['SOX'] },
    };
  });
  const terms = { enabled: true, requestable: true, commentsRequired: true };
  const labels = { segments: [], tags: ['SOX'] };
  const profile: AccessProfile = {
    ...{ number: first.accessProfiles, id: profileIds.id(first.accessProfiles), source, app: null },
    ...{ name: 'Payroll Preparation', description: 'What a clerk needs to prepare payroll runs.' },
    ...{ ...terms, ...labels, owner: company.anchor(HUMAN_RESOURCES, 0) },
    entitlements: entitlements.slice(0, 2),
  };
  const role: Role = {
    ...{ number: first.roles, id: roleIds.id(first.roles), accessProfiles: [profile] },
    ...{ name: 'Payroll Clerk', description: 'Prepares payroll runs.', entitlements: [] },
    ...{ ...terms, ...labels, owner: company.anchor(FINANCE, 0) },
  };
  return { entitlements, accessProfiles: [profile], roles: [role] };
}

export type PayrollPart = 'clerk' | 'conflict' | 'leaver' | 'admin';

/**
 * `leaver`: a clerk who has left and was not removed. `conflict`: a clerk who may also approve.
 * `admin`: has full control, without a role.
 */
export function payrollPart(seat: Seat): PayrollPart | null {
  const { departmentNumber, local, lifecycle, employment, part } = seat;
  if (part === 'leaver') return 'leaver';
  if (departmentNumber !== FINANCE && departmentNumber !== HUMAN_RESOURCES) return null;
  if (departmentNumber === HUMAN_RESOURCES && local === 0) return 'admin';
  if (employment !== 'employee' || local % CLERK_EVERY !== 1) return null;
  if (lifecycle === 'terminated') return 'leaver';
  if (lifecycle !== 'active') return null;
  return local % CONFLICT_EVERY === 1 ? 'conflict' : 'clerk';
}
