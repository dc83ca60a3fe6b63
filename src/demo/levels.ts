// The levels of the demo company's auth users, as access: an entitlement of the internal source for
// each level that somebody has, so that searches of access find administrators.
// Invariant: its entitlements are numbered after all others, so the others do not depend on it.
import type { Entitlement, Source } from './access.ts';
import type { Company, Seat } from './company.ts';
import { TECHNOLOGY } from './company-tables.ts';
import { Ids } from './random.ts';

/** Department number, number within it, levels. */
const HOLDERS: readonly (readonly [number, number, readonly string[]])[] = [
  [TECHNOLOGY, 0, ['ORG_ADMIN']],
  [15, 0, ['ORG_ADMIN', 'CERT_ADMIN']],
  [TECHNOLOGY, 1, ['HELPDESK']],
  [TECHNOLOGY, 2, ['HELPDESK']],
  [2, 1, ['HELPDESK']],
  [6, 0, ['REPORT_ADMIN']],
  [12, 0, ['REPORT_ADMIN']],
  [10, 0, ['ROLE_ADMIN']],
  [10, 1, ['ROLE_SUBADMIN']],
  [TECHNOLOGY, 3, ['SOURCE_ADMIN']],
  [TECHNOLOGY, 4, ['SOURCE_SUBADMIN']],
  [17, 0, ['CERT_ADMIN', 'REPORT_ADMIN']],
  [15, 1, ['CLOUD_GOV_ADMIN']],
  [15, 2, ['CLOUD_GOV_USER', 'SAAS_MANAGEMENT_READER']],
  [TECHNOLOGY, 5, ['SAAS_MANAGEMENT_ADMIN']],
  [17, 1, ['das:ui-compliance_manager', 'das:ui-auditor']],
];

const NAMES: readonly string[] = [...new Set(HOLDERS.flatMap(([, , levels]) => levels))];

/** How many entitlements levels add to the catalogue. */
export const LEVEL_COUNT = NAMES.length;

/** The levels of identities that have one, by number. */
export function levelHolders(company: Company): ReadonlyMap<number, readonly string[]> {
  const holders = new Map<number, readonly string[]>();
  for (const [departmentNumber, local, added] of HOLDERS) {
    const n = company.anchor(departmentNumber, local);
    holders.set(n, [...new Set([...(holders.get(n) ?? []), ...added])]);
  }
  return holders;
}

/** Whether an identity may be an auth user; services may not. */
export function mayBeAuthUser({ employment }: Pick<Seat, 'employment'>): boolean {
  return employment !== 'service';
}

/**
 * The levels as entitlements.
 * @param first the number of the first one
 */
export function levelEntitlements(seed: number, source: Source, first: number): Entitlement[] {
  const ids = new Ids(seed, 'entitlement');
  return NAMES.map((name, nth) => ({
    ...{ number: first + nth, id: ids.id(first + nth), name, value: name, source },
    description: `The level ${name} of this service.`,
    ...{ attribute: 'assignedGroups', schema: 'group', privileged: name === 'ORG_ADMIN' },
    ...{ segments: [], tags: [] },
  }));
}
