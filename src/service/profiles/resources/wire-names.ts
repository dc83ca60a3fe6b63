// Members are camelCase in code and snake_case on the wire and in tables; one is derived from the
// other, so no list of pairs is needed.

/** `profileTypeId` → `profile_type_id`. */
export function wireName(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Renames the members of all objects in a value as on the wire. */
export function wireValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [wireName(member), wireValue(inner)]),
  );
}
