// The levels (capabilities) that a user can have, from the public specification. Levels of another
// tenant's own, which imported users bring, are kept and grant nothing.

/** The built-in levels, spelt as on the wire (contract/auth-users.md section 3). */
export const CAPABILITIES = [
  'CERT_ADMIN',
  'CLOUD_GOV_ADMIN',
  'CLOUD_GOV_USER',
  'HELPDESK',
  'INTERNAL',
  'ORG_ADMIN',
  'POLICY_ADMIN',
  'REPORT_ADMIN',
  'ROLE_ADMIN',
  'ROLE_SUBADMIN',
  'SAAS_MANAGEMENT_ADMIN',
  'SAAS_MANAGEMENT_READER',
  'SOURCE_ADMIN',
  'SOURCE_SUBADMIN',
  'das:ui-administrator',
  'das:ui-auditor',
  'das:ui-compliance_manager',
  'das:ui-data-scope',
  'sp:aic-dashboard-read',
  'sp:aic-dashboard-write',
  'sp:ui-config-hub-admin',
  'sp:ui-config-hub-backup-admin',
  'sp:ui-config-hub-read',
] as const;

/** A built-in level. */
export type Capability = (typeof CAPABILITIES)[number];

/** Passes every level check. */
export const ORG_ADMIN: Capability = 'ORG_ADMIN';

/** Levels that no patch may grant; a stored one is kept. */
export const UNASSIGNABLE: ReadonlySet<string> = new Set<Capability>(['INTERNAL']);

const BUILT_IN: ReadonlySet<string> = new Set(CAPABILITIES);

/** Pairs of levels that the vendor's guides forbid together. */
export const EXCLUSIVE_PAIRS: readonly (readonly [Capability, Capability])[] = [
  ['ROLE_ADMIN', 'SOURCE_SUBADMIN'],
  ['ROLE_SUBADMIN', 'SOURCE_ADMIN'],
  ['ROLE_SUBADMIN', 'ROLE_ADMIN'],
  ['SOURCE_SUBADMIN', 'SOURCE_ADMIN'],
];

/** Whether a level exists, by exact spelling. */
export function isKnownCapability(value: string): boolean {
  return BUILT_IN.has(value);
}

/** The first forbidden pair in a list of levels that was not in the list before, or null. */
export function newExclusivePair(
  before: readonly string[],
  after: readonly string[],
): readonly [Capability, Capability] | null {
  const isIn = (held: readonly string[], pair: readonly string[]) =>
    pair.every((one) => held.includes(one));
  return EXCLUSIVE_PAIRS.find((pair) => isIn(after, pair) && !isIn(before, pair)) ?? null;
}
