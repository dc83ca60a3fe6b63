// Checks responses against docs/openapi.yaml: operation, status, required headers and the schema of
// the body. Responses for unknown paths have no operation, and are checked against the error schema
// only.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { PATH_VERSIONS } from '../../src/http/requests/path-versions.ts';

/** A response of `inject` or `fetch`. */
export interface TestResponse {
  readonly method: string;
  /** Path, with or without query. */
  readonly url: string;
  readonly status: number;
  /** Names are case-insensitive. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** An object of the document; other values are read through `refOf` or passed to ajv. */
type Json = { readonly [name: string]: Json | undefined };

const DOCUMENT_ID = 'openapi.yaml';
const VERSION = new RegExp(`^(?:${PATH_VERSIONS.join('|')})(?=/)`);
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** `docs/openapi.yaml` of the checkout. */
export function openapiFile(): string {
  return fileURLToPath(new URL('../../../docs/openapi.yaml', import.meta.url));
}

/** The document as JSON, since parsing the YAML takes long; documentation.test.ts compares the two. */
export const openapi: Json = JSON.parse(
  readFileSync(new URL('../../documentation/openapi.json', import.meta.url), 'utf8'),
);

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
for (const format of ['int32', 'int64', 'password']) ajv.addFormat(format, true);
ajv.addFormat('date-time', DATE_TIME);
ajv.addFormat('uuid', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
ajv.addSchema(openapi, DOCUMENT_ID);
const validators = new Map<string, ValidateFunction>();

/**
 * The paths of the document, each with a pattern of the actual paths below its prefixes; those with
 * fewer parameters first, because they take precedence.
 */
const PATHS = Object.entries(openapi['paths'] ?? {})
  .map(([template, item]) => ({
    ...{ template, item, prefixes: serversOf(item) },
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
  }))
  .sort((one, other) => one.template.split('{').length - other.template.split('{').length);

/** All operations of the document: method, path template, and the actual path under `version`. */
export function operations(
  version = '/v2024',
): { method: string; template: string; path: string }[] {
  return PATHS.flatMap(({ template, item, prefixes }) =>
    ['get', 'post', 'put', 'patch', 'delete']
      .filter((method) => item?.[method] !== undefined)
      .flatMap((method) =>
        (prefixes ?? [version]).map((prefix) => ({
          ...{ method: method.toUpperCase(), template, path: prefix + template },
        })),
      ),
  );
}

/** The prefixes of a path with its own servers; undefined if it is under the versions. */
function serversOf(item: Json | undefined): string[] | undefined {
  const servers = item?.['servers'] as unknown as { url: string }[] | undefined;
  return servers?.map(({ url }) => (url === '/' ? '' : url));
}

/** Fails unless docs/openapi.yaml allows the response. */
export function assertDocumented(response: TestResponse): void {
  const at = `${response.method} ${response.url} → ${response.status}`;
  const pointer = responsePointer(response, at);
  const documented = pointer === null ? null : resolve(pointer);
  const headers = new Map(
    Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  assert.match(String(headers.get('slpt-request-id')), /^[0-9a-f]{32}$/, `${at}: tracking id`);
  for (const [name, header] of Object.entries(documented?.['headers'] ?? {})) {
    assert.ok(header);
    const { required, schema } = deref(header) as unknown as { required?: boolean; schema: object };
    const value = headers.get(name.toLowerCase());
    if (value === undefined) assert.ok(required !== true, `${at}: header ${name} is missing`);
    else assert.ok(ajv.validate(schema, String(value)), `${at}: header ${name} is ${value}`);
  }
  if (response.method === 'HEAD') return;
  const content = documented === null ? null : documented['content'];
  if (documented !== null && content === undefined) {
    if (response.status !== 302) assert.equal(response.body, '', `${at}: has a body`);
    return;
  }
  const type = String(headers.get('content-type'));
  if (content?.['text/csv'] !== undefined && type === 'text/csv;charset=utf-8') return;
  if (content?.['application/x-ndjson'] !== undefined && type.startsWith('application/x-ndjson;')) {
    for (const line of response.body.split('\n').slice(0, -1)) JSON.parse(line);
    return;
  }
  if (content?.['text/plain'] !== undefined && type.startsWith('text/plain;')) return;
  assert.match(type, /^application\/json/, `${at}: content type`);
  const schema =
    pointer === null
      ? `#/components/schemas/${/^\/api(?:[/?]|$)/.test(response.url) ? 'ProfileError' : 'Error'}`
      : `${documentedPointer(pointer)}/content/application~1json/schema`;
  const validate = validatorOf(schema);
  const valid = validate(JSON.parse(response.body));
  assert.ok(valid, `${at}: ${ajv.errorsText(validate.errors)}\n${response.body.slice(0, 500)}`);
}

/** The pointer to the documentation of a response; null for unknown paths. */
function responsePointer(response: TestResponse, at: string): string | null {
  const sent = response.url.split('?', 1)[0]?.replace(/\/{2,}/g, '/') ?? '';
  const path = sent.replace(/(?<=.)\/$/, '');
  const unversioned = path.replace(VERSION, '');
  const documented = PATHS.find(({ pattern, prefixes }) => {
    if (prefixes === undefined) return unversioned !== path && pattern.test(unversioned);
    return prefixes.some(
      (prefix) => path.startsWith(prefix) && pattern.test(path.slice(prefix.length)),
    );
  });
  const method = response.method === 'HEAD' ? 'get' : response.method.toLowerCase();
  const operation = documented?.item?.[method];
  if (documented === undefined || operation === undefined) {
    assert.ok([400, 404, 405].includes(response.status), `${at} is served but not documented`);
    return null;
  }
  const status = operation['responses']?.[String(response.status)];
  assert.ok(status !== undefined, `${at}: the status is not documented`);
  return `#/paths/${escaped(documented.template)}/${method}/responses/${response.status}`;
}

function escaped(segment: string): string {
  return segment.replace(/~/g, '~0').replace(/\//g, '~1');
}

/** The value at a pointer, with references resolved. */
function resolve(pointer: string): Json {
  const value = pointer
    .slice(2)
    .split('/')
    .reduce<Json | undefined>(
      (node, segment) => node?.[segment.replace(/~1/g, '/').replace(/~0/g, '~')],
      openapi,
    );
  assert.ok(value, `docs/openapi.yaml has no ${pointer}`);
  return deref(value);
}

function deref(value: Json): Json {
  const ref = refOf(value);
  return ref === undefined ? value : { ...resolve(ref), ...value };
}

function refOf(value: Json | undefined): string | undefined {
  return value?.['$ref'] as string | undefined;
}

/** Resolves a `$ref` at the pointer itself, so that the pointer can be extended. */
function documentedPointer(pointer: string): string {
  const segments = pointer.slice(2).split('/');
  const parent = segments
    .slice(0, -1)
    .reduce<Json | undefined>(
      (node, segment) => node?.[segment.replace(/~1/g, '/').replace(/~0/g, '~')],
      openapi,
    );
  return refOf(parent?.[segments.at(-1) ?? '']) ?? pointer;
}

/** Tells whether the schema at a pointer allows a value. */
export function validatorOf(pointer: string): ValidateFunction {
  const cached = validators.get(pointer);
  if (cached !== undefined) return cached;
  const validate = ajv.compile({ $ref: `${DOCUMENT_ID}${encodeURI(pointer)}` });
  validators.set(pointer, validate);
  return validate;
}

/** Null if a schema, whose references are those of the document, allows a value; otherwise the errors. */
export function allows(schema: object, value: unknown): string | null {
  const absolute = JSON.parse(JSON.stringify(schema), (name, member) =>
    name === '$ref' ? DOCUMENT_ID + member : member,
  );
  return ajv.validate(absolute, value) ? null : ajv.errorsText();
}
