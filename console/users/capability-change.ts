// A change of somebody's capabilities as the JSON Patch that makes it, and what a capability opens: read from the
// service's own table of rights, so that it cannot be told wrong.
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

/** A capability on the page. */
export interface CapabilityRow {
  readonly name: string;
  /** What it opens in this service, a sentence each. */
  readonly opens: readonly string[];
  /** Whether it may be given; one that is held may always be taken. */
  readonly assignable: boolean;
}

/**
 * The operations that lead from one list to another: what goes, from the end, so that no place moves before its turn;
 * then what comes.
 */
export function capabilityPatch(
  before: readonly string[],
  after: ReadonlySet<string>,
): PatchOperation[] {
  const gone = before
    .map((name, at) => ({ name, at }))
    .filter(({ name }) => !after.has(name))
    .reverse();
  const come = [...after].filter((name) => !before.includes(name));
  return [
    ...gone.map(({ at }) => ({ op: 'remove' as const, path: `/capabilities/${at}` })),
    ...come.map((value) => ({ op: 'add' as const, path: '/capabilities/-' as const, value })),
  ];
}

/** All built-in capabilities, and those of the tenant's own that somebody holds. */
export function capabilityRows(held: readonly string[]): CapabilityRow[] {
  const own = held.filter((name) => !(CAPABILITIES as readonly string[]).includes(name));
  return [...CAPABILITIES, ...own].map((name) => ({
    name,
    opens: opensOf(name),
    assignable: !UNASSIGNABLE.has(name),
  }));
}

/** What to mind about a change before it is made. */
export function concernsOf(
  before: readonly string[],
  after: ReadonlySet<string>,
  isOneself: boolean,
): string[] {
  const concerns: string[] = [];
  if (before.includes(ORG_ADMIN) && !after.has(ORG_ADMIN)) {
    concerns.push(
      'ORG_ADMIN goes. The service refuses this where nobody else in the tenant holds it: one administrator is always left.',
    );
    if (isOneself)
      concerns.push('It is your own: you will not be able to take this back yourself.');
  }
  for (const [one, other] of EXCLUSIVE_PAIRS) {
    const isNew = !(before.includes(one) && before.includes(other));
    if (isNew && after.has(one) && after.has(other)) {
      concerns.push(`${one} and ${other} are not meant to be held together.`);
    }
  }
  return concerns;
}

function opensOf(name: string): string[] {
  const rules = Object.values(ACCESS);
  if (name === ORG_ADMIN) return ['Everything'];
  return rules
    .filter(({ levels }) => levels !== 'any' && (levels as readonly string[]).includes(name))
    .map(({ summary }) => summary);
}
