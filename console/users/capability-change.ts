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
    grants: grantsOf(name),
    assignable: !UNASSIGNABLE.has(name),
  }));
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
