// People that every large enough company has, so that audit questions have answers
// in a small one too: the last members of some departments.
// Invariant: none of them owns anything, manages anybody or holds a capability.

/**
 * `leaver`: has left, with open accounts and a role. `orphan`: an account that belongs to nobody.
 * `leaving`: a contractor who leaves soon, without a manager. `overdue`: a contractor whose contract
 * has ended.
 */
export type Part = 'leaver' | 'orphan' | 'leaving' | 'overdue';

/** By number of the department, from its last member on. */
const PARTS: Readonly<Record<number, readonly Part[]>> = {
  0: ['orphan'],
  1: ['leaving', 'overdue'],
  6: ['leaver'],
};
/** Members that a department has besides. */
const OTHERS_LEAST = 2;

/** The number of parts in a department of this size. */
export function partsOf(departmentNumber: number, size: number): number {
  const parts = PARTS[departmentNumber]?.length ?? 0;
  return size >= parts + OTHERS_LEAST ? parts : 0;
}

/** The part of a member; null for most. */
export function partOf(departmentNumber: number, size: number, local: number): Part | null {
  const fromEnd = size - 1 - local;
  if (fromEnd >= partsOf(departmentNumber, size)) return null;
  return PARTS[departmentNumber]?.[fromEnd] ?? null;
}
