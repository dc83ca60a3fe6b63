// Members of records are spelt in camelCase inside and in snake_case on the wire and in the tables;
// the one follows from the other, letter by letter, so no list of pairs has to be kept.

/** `profileTypeId` → `profile_type_id`. */
export function wireName(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A value with the members of all objects in it spelt as on the wire. */
export function wireValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [wireName(member), wireValue(inner)]),
  );
}
