// What `npm run check` demands of the OpenAPI document beyond the rules of Redocly's linter, so that the page at /docs stays usable:
// groups that can be read, summaries with the same verb for the same thing, and a description and an example wherever a reader
// needs one.
import type { Json } from './openapi-lists.ts';

/** Operations of one tag. Second paths of an operation, whose `operationId` ends in `V1`, are not counted. */
const TAG_MAX = 25;

/** Schemas inside one another whose examples make one. */
const DEPTH_MAX = 4;

/** What a summary begins with. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  get: ['List', 'Read', 'Download', 'Run'],
  put: ['Replace', 'Set'],
  patch: ['Change'],
  delete: ['Delete'],
  post: [
    ...[
      'Aggregate',
      'Answer',
      'Count',
      'Create',
      'Explain',
      'Import',
      'Preview',
      'Read',
      'Remove',
      'Reset',
    ],
    ...['Restore', 'Revoke', 'Run', 'Search', 'Sign'],
  ],
};

type Schema = Json & {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
};
interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Json>>;
}
type Content = Readonly<Record<string, Media>>;
interface Parameter extends Json {
  readonly name: string;
  readonly description?: string;
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** An example of a body or an answer, and where it is. */
export interface Example {
  /** Such as `getIdentity 200 application/json`. */
  readonly at: string;
  /** The schema, with its references. */
  readonly schema: Schema;
  /** Undefined without an example. */
  readonly value: unknown;
}

/** The operations of the document, each at one path. */
function operations(
  document: Json,
): { method: string; operation: Operation; own: readonly Parameter[] }[] {
  const paths = document['paths'] as Readonly<Record<string, Json>>;
  return Object.values(paths).flatMap(({ parameters = [], ...item }) =>
    Object.keys(VERBS).flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      if (operation === undefined || operation.operationId.endsWith('V1')) return [];
      const own = [...(parameters as Parameter[]), ...(operation.parameters ?? [])];
      return [{ method, operation, own }];
    }),
  );
}

/** The examples of all bodies, successes and errors in media types; several where a media type has several. */
export function examplesOf(document: Json): readonly Example[] {
  return operations(document).flatMap(({ operation }) => {
    const { operationId, requestBody, responses } = operation;
    const contents = [
      ...(requestBody === undefined ? [] : [['body', requestBody] as const]),
      ...Object.entries(responses),
    ];
    return contents.flatMap(([part, holder]) => {
      const { content = {} } = resolved(holder as Json, document) as { content?: Content };
      return Object.entries(content).flatMap(([type, media]) =>
        valuesOf(media, document).map((value) => ({
          at: `${operationId} ${part} ${type}`,
          ...{ schema: media.schema ?? {}, value },
        })),
      );
    });
  });
}

/** What breaks the rules, a line each. */
export function brokenRules(document: Json): readonly string[] {
  const all = operations(document);
  const sizes = new Map<string, number>();
  for (const { operation } of all) {
    for (const tag of operation.tags) sizes.set(tag, (sizes.get(tag) ?? 0) + 1);
  }
  return [
    ...[...sizes]
      .filter(([, size]) => size > TAG_MAX)
      .map(([tag, size]) => `the tag ${tag} has ${size} operations, over ${TAG_MAX}`),
    ...all
      .filter(({ method, operation }) => !VERBS[method]?.includes(verbOf(operation)))
      .map(({ method, operation: { operationId, summary } }) => {
        return `${operationId}: the summary "${summary}" begins with none of ${VERBS[method]?.join(', ')}`;
      }),
    ...all.flatMap(({ operation, own }) =>
      own
        .map((parameter) => resolved(parameter, document) as Parameter)
        .filter(({ description }) => description === undefined)
        .map(({ name }) => `${operation.operationId}: the parameter ${name} has no description`),
    ),
    ...examplesOf(document)
      .filter(({ value }) => value === undefined)
      .map(({ at }) => `${at}: no example`),
  ];
}

function verbOf({ summary }: Operation): string {
  return summary.split(' ', 1)[0] ?? '';
}

function valuesOf({ schema = {}, example, examples }: Media, document: Json): readonly unknown[] {
  if (example !== undefined) return [example];
  if (examples !== undefined) {
    return Object.values(examples).map((one) => resolved(one, document)['value']);
  }
  return [exampleOf(schema, document)];
}

/** The example of a schema, or one composed of those of all its parts, as readers of the document show it. */
function exampleOf(schema: Schema, document: Json, depth = 0): unknown {
  if (depth > DEPTH_MAX) return undefined;
  const {
    examples,
    example = examples?.[0],
    items,
    oneOf,
    properties,
    ...rules
  } = resolved(schema, document) as Schema;
  if (example !== undefined) return example;
  if (rules.const !== undefined) return rules.const;
  if (oneOf !== undefined)
    return oneOf.map((one) => exampleOf(one, document, depth + 1)).find((one) => one !== undefined);
  if (items !== undefined) {
    const one = exampleOf(items, document, depth + 1);
    return one === undefined ? undefined : [one];
  }
  if (properties === undefined) return undefined;
  const members = Object.entries(properties).map(([name, of]) => [
    name,
    exampleOf(of, document, depth + 1),
  ]);
  return members.every(([, value]) => value !== undefined)
    ? Object.fromEntries(members)
    : undefined;
}

/** The component that a reference names, with the members beside the reference. */
function resolved({ $ref, ...members }: Json, document: Json): Json {
  if (typeof $ref !== 'string') return members;
  const target = $ref
    .slice(2)
    .split('/')
    .reduce<Json>((node, name) => node[name] as Json, document);
  return { ...resolved(target, document), ...members };
}
