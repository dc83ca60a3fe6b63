// How somebody holds an element of access, in a few words.
import type { AccessPath } from '../../model/wire.ts';

/** The paths to each element of the access of a person, by its id. */
export type PathsById = ReadonlyMap<string, readonly AccessPath[]>;

/** `through Payroll Clerk → Payroll Preparation and 1 more`, or `granted directly`. */
export function throughText(paths: readonly AccessPath[]): string {
  const [first, ...others] = paths;
  if (first === undefined) return 'granted directly';
  const steps = first.map(({ id, name }) => name ?? id).join(' → ');
  return `through ${steps}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}
