// The JSON Patch for a change of capabilities, and what a capability allows. The latter comes from
// the access table of the service, so that both agree.
import { ACCESS } from '../../src/auth/access.ts';
import {
  CAPABILITIES,
  EXCLUSIVE_PAIRS,
  ORG_ADMIN,
  UNASSIGNABLE,
} from '../../src/auth/capabilities.ts';

/** One operation of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add'; readonly path: '/capabilities/-'; readonly value: string }
  | { readonly op: 'remove'; readonly path: string };

/** A capability as the page shows it. */
export interface CapabilityRow {
  readonly name: string;
  /** In words, for people. */
  readonly title: string;
  /** The operations that it allows in this service. */
  readonly grants: readonly string[];
  /** False if it cannot be assigned; it can always be removed. */
  readonly assignable: boolean;
}

/**
 * The operations that change one list into another: first the removals, from the end so that the
 * other indexes stay valid, then the additions.
 */
export function capabilityPatch(
  before: readonly string[],
  after: ReadonlySet<string>,
): PatchOperation[] {
  const removed = before
    .map((name, at) => ({ name, at }))
    .filter(({ name }) => !after.has(name))
    .reverse();
  const added = [...after].filter((name) => !before.includes(name));
  return [
    ...removed.map(({ at }) => ({ op: 'remove' as const, path: `/capabilities/${at}` })),
    ...added.map((value) => ({ op: 'add' as const, path: '/capabilities/-' as const, value })),
  ];
}

/** All built-in capabilities, then the custom ones that the user has. */
export function capabilityRows(held: readonly string[]): CapabilityRow[] {
  const custom = held.filter((name) => !(CAPABILITIES as readonly string[]).includes(name));
  return [...CAPABILITIES, ...custom].map((name) => ({
    name,
    title: titleOf(name),
    grants: grantsOf(name),
    assignable: !UNASSIGNABLE.has(name),
  }));
}

const TITLES: Readonly<Record<string, string>> = {
  CERT_ADMIN: 'Certification administrator',
  CLOUD_GOV_ADMIN: 'Cloud governance administrator',
  CLOUD_GOV_USER: 'Cloud governance user',
  HELPDESK: 'Help desk',
  INTERNAL: 'Internal',
  ORG_ADMIN: 'Organisation administrator',
  POLICY_ADMIN: 'Policy administrator',
  REPORT_ADMIN: 'Report administrator',
  ROLE_ADMIN: 'Role administrator',
  ROLE_SUBADMIN: 'Role sub-administrator',
  SAAS_MANAGEMENT_ADMIN: 'SaaS management administrator',
  SAAS_MANAGEMENT_READER: 'SaaS management reader',
  SOURCE_ADMIN: 'Source administrator',
  SOURCE_SUBADMIN: 'Source sub-administrator',
  'das:ui-administrator': 'Data access administrator',
  'das:ui-auditor': 'Data access auditor',
  'das:ui-compliance_manager': 'Data access compliance manager',
  'das:ui-data-scope': 'Data access scope',
  'sp:aic-dashboard-read': 'Access intelligence dashboards, read',
  'sp:aic-dashboard-write': 'Access intelligence dashboards, write',
  'sp:ui-config-hub-admin': 'Configuration hub administrator',
  'sp:ui-config-hub-backup-admin': 'Configuration hub backup administrator',
  'sp:ui-config-hub-read': 'Configuration hub reader',
};

/** The name of a capability in words; a custom one has only its id. */
export function titleOf(name: string): string {
  return Object.hasOwn(TITLES, name) ? (TITLES[name] ?? name) : name;
}

/** True if a capability is found by words: in its name, its title or what it allows. */
export function isNamed({ name, title, grants }: CapabilityRow, words: string): boolean {
  const text = [name, title, ...grants].join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** What a change of capabilities added and removed. */
export interface CapabilityDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export function capabilityDifference(
  before: readonly string[],
  after: readonly string[],
): CapabilityDifference {
  return {
    added: after.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !after.includes(name)),
  };
}

/** Warnings to show before a change is sent. */
export function warningsFor(
  before: readonly string[],
  after: ReadonlySet<string>,
  isOneself: boolean,
): string[] {
  const warnings: string[] = [];
  if (before.includes(ORG_ADMIN) && !after.has(ORG_ADMIN)) {
    warnings.push(
      'Removes ORG_ADMIN. The service refuses this if no other user in the tenant has it.',
    );
    if (isOneself)
      warnings.push('This is your own capability: you will not be able to undo this yourself.');
  }
  for (const [one, other] of EXCLUSIVE_PAIRS) {
    const isNew = !(before.includes(one) && before.includes(other));
    if (isNew && after.has(one) && after.has(other)) {
      warnings.push(`${one} and ${other} should not be assigned together.`);
    }
  }
  return warnings;
}

function grantsOf(name: string): string[] {
  const rules = Object.values(ACCESS);
  if (name === ORG_ADMIN) return ['Everything'];
  return rules
    .filter(({ levels }) => levels !== 'any' && (levels as readonly string[]).includes(name))
    .map(({ summary }) => summary);
}
