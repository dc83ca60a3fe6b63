// The members of a JSON object in a body, by names that callers choose.

/** The members of a JSON object, or null for other values. */
export function membersOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return new Map(Object.entries(value));
}
