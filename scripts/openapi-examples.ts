// The examples of the OpenAPI document. docs/openapi.examples.yaml has one for each schema, from which readers of the document
// compose those of lists and envelopes; those of errors are made by the functions that answer them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type ErrorCode, type ErrorDetails, ServiceError } from '../src/errors.ts';
import { iscBody, nermBody } from '../src/http/responses/error-body.ts';
import { WIRE } from '../src/http/responses/error-handler.ts';
import type { Json, Schemas } from './openapi-lists.ts';

const EXAMPLES_FILE = join('docs', 'openapi.examples.yaml');
const TRACKING_ID = '0f4b9c1de2a74c58b6d3a1907e52c8f4';
/** The name of the schema of a body, after that of the record. */
const WRITE = 'Write';
/** What a caller does not choose, or need not. */
const KEYS: readonly string[] = ['id', 'uid'];

interface Examples {
  /** By schema. `like` names another one whose members it has, too. */
  readonly schemas: Readonly<Record<string, Json>>;
  /** What is thrown, by response. */
  readonly errors: Readonly<Record<string, ErrorDetails & { code: ErrorCode; message: string }>>;
}

type ComponentResponse = Json & { readonly content?: Json };

/**
 * The components with their examples.
 * @throws Error for an example of a schema or response that does not exist
 */
export function withExamples<T extends { schemas: Json; responses: Json }>(components: T): T {
  const { schemas: given, errors } = parse(readFileSync(EXAMPLES_FILE, 'utf8')) as Examples;
  const schemas = components.schemas as Schemas;
  const responses = components.responses as Readonly<Record<string, ComponentResponse>>;
  const examples = { ...writtenExamples(given, schemas), ...given };
  checkNames(examples, schemas);
  checkNames(errors, responses);
  return {
    ...components,
    schemas: mapValues(schemas, (schema, name) => {
      const example = examples[name];
      return example === undefined ? schema : { ...schema, examples: [alike(example, given)] };
    }),
    responses: mapValues(responses, (response, name) => {
      const error = errors[name];
      return error === undefined ? response : withBody(response, bodyOf(name, error));
    }),
  };
}

/** The bodies of records that have an example: the members that a caller may choose. */
function writtenExamples(given: Examples['schemas'], schemas: Schemas): Examples['schemas'] {
  const bodies = Object.entries(given).flatMap(([name, example]) => {
    const body = schemas[name + WRITE]?.['properties'] as Json | undefined;
    if (body === undefined) return [];
    const members = Object.entries(example).filter(
      ([member, value]) => member in body && value !== null && !KEYS.includes(member),
    );
    return [[name + WRITE, Object.fromEntries(members)]];
  });
  return Object.fromEntries(bodies);
}

function alike(example: Json, given: Examples['schemas']): unknown {
  if (typeof example['like'] !== 'string') return example;
  const { like, ...members } = example;
  return { ...given[like as string], ...members };
}

function bodyOf(name: string, { code, message, ...details }: Examples['errors'][string]): object {
  const error = new ServiceError(code, message, details);
  if (name.startsWith('Profile')) return nermBody(error);
  return iscBody(error, WIRE[code], TRACKING_ID, undefined);
}

function withBody(response: ComponentResponse, example: object): ComponentResponse {
  const media = response.content?.['application/json'] as Json;
  return { ...response, content: { 'application/json': { ...media, example } } };
}

function checkNames(given: object, known: object): void {
  const unknown = Object.keys(given).filter((name) => !(name in known));
  if (unknown.length > 0) throw new Error(`${EXAMPLES_FILE}: ${unknown} are in no component`);
}

function mapValues<V>(
  values: Readonly<Record<string, V>>,
  change: (value: V, name: string) => V,
): Record<string, V> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, change(value, name)]),
  );
}
