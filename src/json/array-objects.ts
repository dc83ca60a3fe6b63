// The elements of a nested array, in the order in which every backend indexes and counts them.

/** The objects of an array, with arrays inside it flattened; values that are no objects are left out. */
export function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== 'object' || value === null) return [];
  return [value as Readonly<Record<string, unknown>>];
}
