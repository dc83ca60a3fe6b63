// The references between roles, access profiles and entitlements in their documents.

export type Json = Readonly<Record<string, unknown>>;

/** What a role or access profile grants directly. */
export interface AccessReferences {
  readonly accessProfiles: readonly string[];
  readonly entitlements: readonly string[];
}

const TEXT = new TextDecoder();

/** A document from its two stored parts (see StoredDocument). */
export function documentOf(root: Uint8Array, nested: Uint8Array): Json {
  return {
    ...(JSON.parse(TEXT.decode(root)) as object),
    ...(JSON.parse(`{${TEXT.decode(nested)}}`) as object),
  };
}

/** The ids that a role or access profile refers to, those of the dimensions of a role included. */
export function referencesIn(document: Json): AccessReferences {
  const parts = [document, ...listOf(document['dimensions'])];
  const idsIn = (name: string) => parts.flatMap((part) => idsOf(listOf(part[name])));
  return { accessProfiles: idsIn('accessProfiles'), entitlements: idsIn('entitlements') };
}

export function idsOf(objects: readonly Json[]): string[] {
  return objects.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
}

/** The objects of an array; none for anything else. */
export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value)
    ? value.filter((item) => typeof item === 'object' && item !== null)
    : [];
}
