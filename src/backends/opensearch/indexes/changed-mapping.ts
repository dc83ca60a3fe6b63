// Finds out whether another program has changed the mapping of an index, which then refuses documents
// or fields.
import type { OpenSearchClient } from '../requests/client.ts';
import type { IndexMappings, Property } from '../requests/index-template.ts';

const ADMIN_MS = 30_000;

type Properties = Readonly<Record<string, Property>>;

/** The mapping of an index as OpenSearch returns it. */
interface RemoteMappings {
  readonly dynamic?: unknown;
  readonly properties?: Properties;
}

/** Another program has changed the mapping of an index. */
export class ChangedMapping extends Error {
  override readonly name = 'ChangedMapping';

  /** @param part what is not as it should be */
  constructor(index: string, part: string) {
    super(`Another program has changed ${part} of the index ${index}`);
  }
}

/**
 * Compares the mapping of an index with the one that it should have.
 * @throws ChangedMapping for a field that it should not have, or not of this type, and if members
 * without a field are not ignored
 */
export async function checkMapping(
  client: OpenSearchClient,
  name: string,
  expected: IndexMappings,
): Promise<void> {
  const answer = await client.send<Record<string, { readonly mappings?: RemoteMappings }>>(
    { method: 'GET', path: `/${encodeURIComponent(name)}/_mapping` },
    { timeoutMs: ADMIN_MS },
  );
  const part = changedPart(answer[name]?.mappings ?? {}, expected);
  if (part !== null) throw new ChangedMapping(name, part);
}

/** What is not as expected: the parameter `dynamic`, or a field; null if there is nothing. */
export function changedPart(
  { dynamic, properties = {} }: RemoteMappings,
  expected: IndexMappings,
): string | null {
  if (String(dynamic) !== expected.dynamic) return 'the parameter dynamic';
  const path = changedField(properties, expected.properties);
  return path === null ? null : `the field ${path}`;
}

/**
 * The path of the first field that is not expected, or not of this type, or with another `dynamic`;
 * null if there is none. Other parameters of a field cannot be compared: OpenSearch leaves out those
 * with its default.
 */
function changedField(properties: Properties, expected: Properties): string | null {
  for (const [name, property] of Object.entries(properties)) {
    const own = expected[name];
    if (own === undefined || typeOf(own) !== typeOf(property)) return name;
    if (String(own['dynamic']) !== String(property['dynamic'])) return name;
    const below = changedField(property.properties ?? {}, own.properties ?? {});
    if (below !== null) return `${name}.${below}`;
  }
  return null;
}

/** An object without a type is an `object`. */
function typeOf({ type = 'object' }: Property): unknown {
  return type;
}
