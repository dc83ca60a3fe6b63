// Random mappings: the field names of an index, their types, and its nested arrays. Two indexes of
// a world may have the same name with different types, as attributes of tenants do.
import type { FieldType, Mapping } from '../../src/query/mapping/mapping.ts';
import type { IndexName } from '../../src/query/query.ts';
import { testMapping } from '../support/segments.ts';
import type { Random } from './random.ts';

type Typed = FieldType | `${FieldType}?`;
type Shape = Readonly<Record<string, readonly Typed[]>>;

/** A field whose values may be very long. */
export const ESSAY = 'essay';

const ROOT: Shape = {
  name: ['text'],
  displayName: ['text', 'text', 'keyword'],
  tags: ['text', 'keyword'],
  status: ['keyword', 'keyword', 'text'],
  codes: ['keyword'],
  email: ['text', 'keyword'],
  created: ['date'],
  modified: ['date'],
  count: ['long', 'long', 'double'],
  ratio: ['double'],
  active: ['boolean'],
  'manager.id': ['keyword'],
  'manager.name': ['text'],
  'attributes.city': ['text?'],
  'attributes.end': ['text?'],
  'attributes.level': ['long?', 'double?', 'text?'],
  'attributes.flag': ['boolean?', 'text?'],
  'attributes.cost center': ['text?'],
  'attributes.naïve-Key%': ['text?', 'long?'],
};

const TABLES: Readonly<Record<string, Shape>> = {
  accounts: {
    id: ['keyword'],
    name: ['text', 'keyword'],
    'source.name': ['text'],
    disabled: ['boolean'],
    created: ['date'],
    level: ['long', 'double'],
    'accountAttributes.dept': ['text?'],
    'accountAttributes.size': ['long?', 'text?'],
  },
  apps: { id: ['keyword'], name: ['text'] },
  access: { type: ['keyword'], value: ['text'], privileged: ['boolean'], count: ['long'] },
};

/** @returns a mapping with at least `name`, `id` and one nested array */
export function randomMapping(random: Random, index: IndexName): Mapping {
  const fields: Record<string, Typed> = { id: 'keyword' };
  const some = (shape: Shape, prefix: string): void => {
    for (const [at, [name, types]] of Object.entries(shape).entries()) {
      if (at === 0 || random.chance(0.8)) fields[`${prefix}${name}`] = random.pick(types);
    }
  };
  some(ROOT, '');
  if (random.chance(0.1)) fields[ESSAY] = 'text';
  const tables = Object.keys(TABLES).filter(() => random.chance(0.75));
  const nestedPaths = tables.length === 0 ? ['accounts'] : tables;
  for (const path of nestedPaths) some(TABLES[path] ?? {}, `${path}.`);
  return {
    ...testMapping(fields, nestedPaths),
    index,
    identifying: random.chance(0.7) ? [{ path: 'name', boost: 4 }] : [],
    constants: {
      _type: index.slice(0, 4),
      org: 'Acme',
      ...(random.chance(0.5) ? { type: 'person' } : {}),
    },
  };
}

function fullMapping(): Mapping {
  const fields: Record<string, Typed> = { id: 'keyword' };
  const all = (shape: Shape, prefix: string): void => {
    for (const [name, [type = 'text']] of Object.entries(shape)) fields[`${prefix}${name}`] = type;
  };
  all(ROOT, '');
  for (const [path, shape] of Object.entries(TABLES)) all(shape, `${path}.`);
  const mapping = testMapping(fields, Object.keys(TABLES));
  return { ...mapping, constants: { _type: 'identity', org: 'acme' } };
}

/** A mapping with all names, for tests with one mapping. */
export const MAPPING: Mapping = fullMapping();
