// The part of the OpenAPI document about the records of profile management whose kinds are data: paths, parameters, bodies and
// answers follow from the descriptors by which the service reads and lists them. The source adds the words for people, and the
// members that a descriptor leaves to its own code (`x-records` in docs/openapi.source.yaml).
import { RESOURCE_PATHS } from '../src/http/routes/profiles/resources.ts';
import { LIMIT_MAX } from '../src/service/ports/collection.ts';
import type { ResourceKind } from '../src/service/ports/resources.ts';
import type { Descriptor, FieldRule } from '../src/service/profiles/resources/descriptor.ts';
import { descriptors } from '../src/service/profiles/resources/descriptors.ts';
import { wireName } from '../src/service/profiles/resources/wire-names.ts';
import {
  collectionParameters,
  type Json,
  json,
  pascal,
  refTo,
  type Schemas,
} from './openapi-lists.ts';

/** What the source says of a kind. */
export interface RecordWords {
  /** The group of its operations. */
  readonly tag: string;
  /** With the article, such as `a user`. */
  readonly one: string;
  /** Such as `users`. */
  readonly many: string;
  /** The name of its schema; that of the kind if omitted. */
  readonly schema?: string;
  /** What a new record must have; follows from its members if omitted. */
  readonly needed?: string;
  /** Keywords of members, by wire name: in answers and bodies, and in one of them only. */
  readonly members?: Schemas;
  readonly shown?: Schemas;
  readonly sent?: Schemas;
  /** The answer to a deletion; the record if omitted. */
  readonly deleted?: string;
  /** Operations of the collection that no other kind has. */
  readonly operations?: Json;
}

/** The paths of all kinds, and the components that they refer to. */
export interface RecordParts {
  readonly paths: Readonly<Record<string, Json>>;
  readonly requestBodies: Schemas;
  readonly responses: Schemas;
  readonly schemas: Schemas;
}

const AT_API = { servers: [{ url: '/api' }, { url: '/api/v1' }] };
const ALL_OR_NOTHING = 'All or nothing; errors are keyed by the position in the array.';
const EACH_BY_ID =
  'Each by its `id`; all or nothing; errors are keyed by the position in the array.';
const KEPT = 'Members that are not sent keep their values.';
const BY_ID = [{ $ref: '#/components/parameters/recordId' }];
const TIME = { type: 'string', format: 'date-time' };
const KEYS = {
  id: { $ref: '#/components/schemas/RecordId' },
  uid: { $ref: '#/components/schemas/RecordUid' },
};
const SENT_KEYS = {
  id: { type: 'string', description: 'In a call that changes many.' },
  uid: { type: 'string', description: 'Of a new one; 32 random digits when left out.' },
};

/**
 * @param words of each kind
 * @param parameters the components for parameters, which are referred to where one says the same
 * @param taken the paths of the source: a collection whose path is taken is at its path below `/api`
 */
export function recordParts(
  words: Readonly<Record<ResourceKind, RecordWords>>,
  parameters: Schemas,
  taken: Json,
): RecordParts {
  const kinds = Object.entries(words).map(([kind, of]) =>
    kindParts(kind as ResourceKind, of, parameters, taken),
  );
  const all = (part: keyof RecordParts) => Object.assign({}, ...kinds.map((kind) => kind[part]));
  return {
    ...{ paths: all('paths'), requestBodies: all('requestBodies') },
    ...{ responses: all('responses'), schemas: all('schemas') },
  };
}

function kindParts(
  kind: ResourceKind,
  words: RecordWords,
  parameters: Schemas,
  taken: Json,
): RecordParts {
  const descriptor = descriptors[kind];
  const { singular, collection } = descriptor;
  const { key } = collection;
  const { many, changes } = RESOURCE_PATHS[kind];
  const [One, Many, Schema] = [pascal(singular), pascal(key), words.schema ?? pascal(kind)];
  const [shown, sent] = [refTo('schemas', Schema), refTo('schemas', `${Schema}Write`)];
  const items = { type: 'array', minItems: 1, maxItems: LIMIT_MAX, items: sent };
  const description = `The ${words.one.replace(/^an? /, '')}.`;
  return {
    paths: kindPaths(kind, words, shown, collectionParameters(collection, parameters), taken),
    requestBodies: {
      ...(many && { [Many]: { required: true, ...json(wrapped(key, items)) } }),
      ...(changes && { [One]: { required: true, ...json(wrapped(singular, sent)) } }),
    },
    responses: {
      ...(many && {
        [Many]: {
          description: `The ${words.many}, in the order sent.`,
          ...json(closed(wrapped(key, { type: 'array', items: shown }))),
        },
      }),
      [One]: { description, ...json(closed(wrapped(singular, shown))) },
    },
    schemas: {
      [Schema]: shownSchema(descriptor, words),
      ...(changes && { [`${Schema}Write`]: sentSchema(descriptor, words) }),
    },
  };
}

function kindPaths(
  kind: ResourceKind,
  words: RecordWords,
  shown: Json,
  parameters: readonly Json[],
  taken: Json,
): RecordParts['paths'] {
  const { singular, collection } = descriptors[kind];
  const { key } = collection;
  const { read, write } = operationsOf(words.tag);
  const { single = '', createdStatus, many, changes, removal = [] } = RESOURCE_PATHS[kind];
  const [One, Many] = [pascal(singular), pascal(key)];
  const isTaken = taken[`/${key}`] !== undefined;
  const list = isTaken ? `/api/${key}` : `/${key}`;
  const place = (below = '') =>
    isTaken ? { ...{ servers: [{ url: '/' }] }, 'x-also': `/api/v1/${key}${below}` } : AT_API;
  const create = { post: write(`create${One}`, `Create ${words.one}`, One, '', createdStatus) };
  const remove = (name: string) => ({
    delete: read(name, `Delete ${words.one}`, removed(words, singular, shown)),
  });
  return {
    [list]: {
      ...place(),
      get: {
        ...read(`list${Many}`, `List ${words.many}`, page(words, key, shown)),
        parameters,
      },
      ...(single === `/${key}` && create),
      ...(many && {
        post: write(`create${Many}`, `Create many ${words.many}`, Many, ALL_OR_NOTHING),
        patch: write(`patch${Many}`, `Change many ${words.many}`, Many, EACH_BY_ID),
      }),
      ...words.operations,
    },
    ...(single !== '' && single !== `/${key}` && { [single]: { ...AT_API, ...create } }),
    [`${list}/{id}`]: {
      ...{ ...place('/{id}'), parameters: BY_ID },
      get: read(`get${One}`, `Read ${words.one}`, refTo('responses', One)),
      ...(changes && { patch: write(`patch${One}`, `Change ${words.one}`, One, KEPT) }),
      ...(removal.length > 0 && remove(`delete${One}`)),
    },
    ...(removal.includes(`/${singular}`) && {
      [`/${singular}/{id}`]: {
        ...{ ...AT_API, parameters: BY_ID },
        ...remove(`delete${One}BySingularPath`),
      },
    }),
  };
}

/** Makes operations of a group. */
function operationsOf(tag: string) {
  const read = (operationId: string, summary: string, answer: Json): Json => ({
    ...{ tags: [tag], operationId, summary },
    ...{ responses: { '200': answer }, 'x-errors': 'profileRead' },
  });
  /** @param wrapper the component of the body and of the answer */
  const write = (
    operationId: string,
    summary: string,
    wrapper: string,
    description: string,
    status = 200,
  ): Json => ({
    ...{ tags: [tag], operationId, summary },
    ...(description !== '' && { description }),
    requestBody: refTo('requestBodies', wrapper),
    ...{ responses: { [status]: refTo('responses', wrapper) }, 'x-errors': 'profileWrite' },
  });
  return { read, write };
}

function shownSchema({ fields, showsTimes }: Descriptor, { members, shown }: RecordWords): Json {
  const own: Schemas = { ...members, ...shown };
  const visible = Object.entries(fields).filter(([, { hidden }]) => hidden !== true);
  const properties = {
    ...KEYS,
    ...Object.fromEntries(visible.map(([member, rule]) => memberSchema(member, rule, own))),
    ...(showsTimes && { created_at: TIME, updated_at: TIME }),
  };
  return closed({ type: 'object', required: Object.keys(properties), properties });
}

function sentSchema({ fields }: Descriptor, { members, sent, needed }: RecordWords): Json {
  const own: Schemas = { ...members, ...sent };
  const written = Object.entries(fields).filter(
    ([member, { type, write }]) =>
      write !== 'never' && (type !== 'own' || own[wireName(member)] !== undefined),
  );
  const required = Object.entries(fields).flatMap(([member, rule]) =>
    rule.required && rule.byDefault === undefined ? `\`${wireName(member)}\`` : [],
  );
  const names = [required.slice(0, -1).join(', '), required.at(-1)].filter((part) => part !== '');
  return {
    type: 'object',
    description: needed ?? `Of a new one ${names.join(' and ')} must be there.`,
    properties: {
      ...SENT_KEYS,
      ...Object.fromEntries(
        written.map(([member, rule]) => {
          const [name, schema] = memberSchema(member, rule, own);
          const bounds = 'lengthMax' in rule && { maxLength: rule.lengthMax };
          return [name, { ...schema, ...bounds }];
        }),
      ),
      ...sent,
    },
  };
}

/** A member by its wire name, with what the source says of it. */
function memberSchema(member: string, rule: FieldRule, own: Schemas): [string, Json] {
  const name = wireName(member);
  return [name, { ...ruleSchema(rule), ...own[name] }];
}

function ruleSchema(rule: FieldRule): Json {
  const orNull = (type: string) => ({ type: rule.required ? type : [type, 'null'] });
  switch (rule.type) {
    case 'flag':
      return { type: 'boolean' };
    case 'integer':
    case 'number':
      return orNull(rule.type);
    case 'text':
      // What callers cannot write are times.
      return { ...orNull('string'), ...(rule.write === 'never' && { format: TIME.format }) };
    case 'word':
      return { enum: rule.required ? rule.words : [...rule.words, null] };
    case 'reference':
      return { ...orNull('string'), ...(rule.required && { description: 'Id.' }) };
    case 'texts':
    case 'references':
      return { type: 'array', items: { type: 'string' } };
    case 'own':
      return {};
  }
}

/** The answer to a list: an array, or an object with the page. */
function page({ many }: RecordWords, key: string, shown: Json): Json {
  const list = { type: 'array', items: shown };
  const _metadata = refTo('schemas', 'PageMetadata');
  const keyed = {
    ...{ type: 'object', required: [key] },
    properties: { [key]: list, _metadata },
  };
  return {
    description: `The ${many}.`,
    headers: { Warning: refTo('headers', 'UnknownParameters') },
    ...json({ oneOf: [list, closed(keyed)] }),
  };
}

function removed({ deleted }: RecordWords, singular: string, shown: Json): Json {
  if (deleted !== undefined) return refTo('responses', deleted);
  return { description: 'What was deleted.', ...json(closed(wrapped(singular, shown))) };
}

function wrapped(name: string, schema: Json): Json {
  return { type: 'object', required: [name], properties: { [name]: schema } };
}

function closed(schema: Json): Json {
  return { ...schema, additionalProperties: false };
}
