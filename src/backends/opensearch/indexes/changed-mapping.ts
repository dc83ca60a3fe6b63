// Finds out whether another program has changed the mapping of an index, which then refuses documents
// or fields.
import type { OpenSearchClient } from '../client.ts';
import type { Property } from './index-template.ts';

const ADMIN_MS = 30_000;

type Properties = Readonly<Record<string, Property>>;

/** Another program has changed the mapping of an index. */
export class ChangedMapping extends Error {
  override readonly name = 'ChangedMapping';

  constructor(index: string, path: string) {
    super(`Another program has changed the field ${path} of the index ${index}`);
  }
}

/**
 * Compares the mapping of an index with the one that it should have.
 * @throws ChangedMapping for a field that it should not have, or not of this type
 */
export async function checkMapping(
  client: OpenSearchClient,
  name: string,
  expected: Properties,
): Promise<void> {
  const answer = await client.send<
    Record<string, { readonly mappings?: { readonly properties?: Properties } }>
  >({ method: 'GET', path: `/${encodeURIComponent(name)}/_mapping` }, { timeoutMs: ADMIN_MS });
  const path = changedField(answer[name]?.mappings?.properties ?? {}, expected);
  if (path !== null) throw new ChangedMapping(name, path);
}

/**
 * The path of the first field that is not expected, or not of this type; null if there is none. Other
 * parameters of a field cannot be compared: OpenSearch leaves out those with its default.
 */
export function changedField(properties: Properties, expected: Properties): string | null {
  for (const [name, property] of Object.entries(properties)) {
    const own = expected[name];
    if (own === undefined || typeOf(own) !== typeOf(property)) return name;
    const below = changedField(property.properties ?? {}, own.properties ?? {});
    if (below !== null) return `${name}.${below}`;
  }
  return null;
}

/** An object without a type is an `object`. */
function typeOf({ type = 'object' }: Property): unknown {
  return type;
}
