// Compares parts of requests and responses, as pages show them, with docs/openapi.yaml.
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openapi } from './openapi.ts';

type Json = { readonly [name: string]: unknown };

/** What a part need not fulfil: members may be left out, and ids are shortened. */
const LENIENT = new Set(['required', 'format', 'minItems', 'minProperties', 'minLength']);
const ID = 'openapi-fragments';

const document = JSON.parse(JSON.stringify(openapi), (name, value) =>
  LENIENT.has(name) && (Array.isArray(value) || typeof value !== 'object') ? undefined : value,
) as Json;
const ajv = new Ajv2020({ strict: false, validateSchema: false });
ajv.addSchema(document, ID);
/** The schemas that name members, each with the names. */
const OBJECTS = [...objectsBelow(document, '#')];

/** Fails unless a schema of the document names all members of the value and allows the values. */
export function documentsMembers(value: object): void {
  const names = Object.keys(value);
  const candidates = OBJECTS.filter(({ members }) => names.every((name) => members.has(name)));
  assert.ok(candidates.length > 0, `no schema of docs/openapi.yaml has the members ${names}`);
  assert.ok(
    candidates.some(({ pointer }) => ajv.getSchema(`${ID}${encodeURI(pointer)}`)?.(value)),
    `no schema of docs/openapi.yaml allows ${JSON.stringify(value)}`,
  );
}

/**
 * Fails unless the document has the operation and its parameters. A page may leave out the prefix of a path.
 * @param request such as `GET /profiles/{id}?references=true`
 */
export function documentsRequest(request: string): void {
  const [method = '', path = '', query = ''] = request.split(/ |\?/);
  const short = path.replace(/^\/(?:\{version\}|api)(?=\/)/, '');
  const paths = document['paths'] as Record<string, Record<string, Operation>>;
  const item = Object.entries(paths).find(([template]) => patternOf(template).test(short))?.[1];
  const operation = item?.[method.toLowerCase()];
  assert.ok(operation, `docs/openapi.yaml has no ${method} ${path}`);
  const names = (operation.parameters ?? []).map(({ $ref, name }) =>
    $ref === undefined ? name : namedParameter($ref),
  );
  for (const name of new URLSearchParams(query).keys()) {
    assert.ok(names.includes(name), `${method} ${path} has no parameter ${name}`);
  }
}

interface Operation {
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string }[];
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function namedParameter(ref: string): string | undefined {
  const { parameters } = document['components'] as { parameters: Record<string, { name: string }> };
  return parameters[ref.split('/').at(-1) ?? '']?.name;
}

function* objectsBelow(
  node: unknown,
  pointer: string,
): Generator<{
  readonly pointer: string;
  readonly members: ReadonlySet<string>;
}> {
  if (typeof node !== 'object' || node === null) return;
  const members = membersOf(node as Json);
  if (members.size > 0) yield { pointer, members };
  for (const [name, value] of Object.entries(node)) {
    if (name === 'example' || name === 'examples') continue;
    yield* objectsBelow(value, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

/** The names of the members that a schema has itself or by `allOf`. */
function membersOf(schema: Json): Set<string> {
  const { $ref, properties, allOf } = schema as {
    $ref?: string;
    properties?: Json;
    allOf?: Json[];
  };
  const parts = (Array.isArray(allOf) ? allOf : []).map((part) => membersOf(part));
  if (typeof $ref === 'string' && $ref.startsWith('#/components/schemas/')) {
    const schemas = (document['components'] as { schemas: Record<string, Json> }).schemas;
    parts.push(membersOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {}));
  }
  const own = typeof properties === 'object' ? Object.keys(properties) : [];
  return new Set([...own, ...parts.flatMap((part) => [...part])]);
}
