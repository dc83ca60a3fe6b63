// Reads members of documents for the objects of lists. What a document does not have is undefined,
// which JSON leaves out, or null where the public schema requires the member.

export type Json = Readonly<Record<string, unknown>>;

/** An object; empty for anything else. */
export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : {};
}

/** The objects of an array; none for anything else. */
export function objectsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter((item) => Object.keys(objectOf(item)).length > 0) : [];
}

/** A text, or undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** True or false, or undefined. */
export function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** A reference to an object of a type; null if there is none. */
export function referenceOf(value: unknown, type: string): Json | null {
  const { id, name, displayName } = objectOf(value);
  if (id === undefined && name === undefined) return null;
  return { type, id, name: displayName ?? name };
}

/** References to the objects of an array; undefined if the document has no such array. */
export function referencesOf(value: unknown, type: string): readonly Json[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return objectsOf(value)
    .map((each) => referenceOf(each, type))
    .filter((reference) => reference !== null);
}

/** The ids of the objects of an array; undefined if the document has no such array. */
export function idsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return objectsOf(value).flatMap(({ id }) => textOf(id) ?? []);
}

/** A list of texts: a document may have one alone; null if it has none. */
export function textsOf(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? null : [value];
}
