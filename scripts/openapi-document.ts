// Completes docs/openapi.source.yaml to the OpenAPI document, docs/openapi.yaml, which is packed and served. The source states
// once what would be the same in many places; the document is plain OpenAPI that every tool reads.
// Invariant: what is added is named by the source, in members that begin with `x-`, or is the path of an area.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, isScalar, parse, visit, type YAMLMap, type YAMLSeq } from 'yaml';
import type { ResourceKind } from '../src/service/ports/resources.ts';
import { withExamples } from './openapi-examples.ts';
import { type Json, type ListOperation, type Schemas, withList } from './openapi-lists.ts';
import { type RecordWords, recordParts } from './openapi-records.ts';

/** The whole document, as it is packed and served. */
export const OPENAPI_FILE = join('docs', 'openapi.yaml');
const SOURCE_FILE = join('docs', 'openapi.source.yaml');
const HEAD =
  '# Written by scripts/generate-openapi.ts from docs/openapi.source.yaml and declarations in src: change it there.\n';

/** Where a server has the pages of docs/, which the source writes as `guide:NAME`. */
const GUIDE = '/docs/guide/';

/** Characters of a map or list in JSON that takes one line. */
const LINE_MAX = 100;

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
const RECORDS = 'x-records';
const COMPONENTS = '#/components/responses/';

type Response = { readonly $ref?: string; readonly headers?: Json };
type Responses = Readonly<Record<string, Response>>;
interface Operation extends ListOperation {
  readonly operationId: string;
  readonly responses?: Responses & Schemas;
  readonly 'x-errors'?: string;
}
type Method = (typeof METHODS)[number];
type PathItem = { readonly [method in Method]?: Operation } & {
  readonly servers?: unknown;
  /** The other path at which it is served. */
  readonly 'x-also'?: string;
};

interface Components {
  readonly parameters: Readonly<Record<string, Json>>;
  readonly requestBodies: Json;
  readonly responses: Responses;
  readonly schemas: Json;
}

/** The members of the source that are used here. */
interface Source {
  /** `x-records` is replaced by the paths of records. */
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Components;
  /** What each response has. */
  readonly 'x-every-response': { readonly headers: Json };
  /** Sets of errors by name: of each status, the name of its component. */
  readonly 'x-errors': Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * The whole document.
 * @param text the source
 * @throws Error for a set of errors that the source does not list
 */
export function openapiDocument(text: string): Json {
  const source = parse(text.replaceAll('](guide:', `](${GUIDE}`)) as Source;
  const { parameters, requestBodies, responses, schemas } = source.components;
  const records = recordParts(wordsOfRecords(source), parameters, source.paths);
  const items = Object.entries(source.paths).flatMap(([path, item]) =>
    path === RECORDS ? Object.entries<PathItem>(records.paths) : [[path, item] as const],
  );
  const paths = items.flatMap(([path, { 'x-also': also, ...item }]) => {
    const completed = mapOperations(item, (operation) => completeOperation(operation, source));
    return [[path, completed], ...alsoAt(also ?? areaPath(path, item), completed)];
  });
  const { 'x-errors': _errors, 'x-every-response': every, ...members } = source;
  return {
    ...members,
    paths: Object.fromEntries(paths),
    components: withExamples({
      ...source.components,
      requestBodies: { ...requestBodies, ...records.requestBodies },
      responses: completeResponses({ ...responses, ...records.responses }, every.headers),
      schemas: { ...schemas, ...records.schemas },
    }),
  };
}

function wordsOfRecords({ paths }: Source): Readonly<Record<ResourceKind, RecordWords>> {
  return paths[RECORDS] as unknown as Readonly<Record<ResourceKind, RecordWords>>;
}

/** What docs/openapi.yaml must hold, in the folder of the project. @throws Error as openapiDocument */
export function currentOpenapiFile(): string {
  return HEAD + asYaml(openapiDocument(readFileSync(SOURCE_FILE, 'utf8')));
}

/** The document as YAML that readers of YAML 1.1 and 1.2 understand alike, without aliases. What is short takes one line. */
function asYaml(json: Json): string {
  const document = new Document(json, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Map: (_, map) => {
      map.flow = map.items.every(({ value }) => isScalar(value)) && isShort(map);
    },
    Seq: (_, list) => {
      list.flow = list.items.every((item) => isScalar(item)) && isShort(list);
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function isShort(node: YAMLMap | YAMLSeq): boolean {
  return JSON.stringify(node).length <= LINE_MAX;
}

function mapOperations(item: PathItem, change: (operation: Operation) => Operation): PathItem {
  const changed = METHODS.flatMap((method) => {
    const operation = item[method];
    return operation === undefined ? [] : [[method, change(operation)]];
  });
  return { ...item, ...Object.fromEntries(changed) };
}

function completeOperation(operation: Operation, source: Source): Operation {
  const listed = withList(operation, source.components.parameters);
  const { 'x-errors': name, responses = {}, ...members } = listed;
  const errors = name === undefined ? {} : source['x-errors'][name];
  if (errors === undefined) {
    throw new Error(`${operation.operationId}: there are no x-errors named ${name}`);
  }
  const all = {
    ...Object.fromEntries(
      Object.entries(errors).map(([status, component]) => [
        status,
        { $ref: COMPONENTS + component },
      ]),
    ),
    ...responses,
  };
  return { ...members, responses: completeResponses(all, source['x-every-response'].headers) };
}

function completeResponses(responses: Responses, headers: Json): Responses {
  return Object.fromEntries(
    Object.entries(responses).map(([name, response]) => [
      name,
      response.$ref === undefined
        ? { ...response, headers: { ...headers, ...response.headers } }
        : response,
    ]),
  );
}

/** The path below its area of a path that is served under the versions: of `/search/count` `/search/v1/count`. */
function areaPath(path: string, { servers }: PathItem): string | null {
  return servers === undefined ? path.replace(/^\/[^/]+/, '$&/v1') : null;
}

/** An item at its other path, if it has one. */
function alsoAt(path: string | null, item: PathItem): [string, PathItem][] {
  if (path === null) return [];
  const there = mapOperations(item, (operation) => ({
    ...operation,
    operationId: `${operation.operationId}V1`,
  }));
  return [[path, { ...there, servers: [{ url: '/' }] }]];
}
