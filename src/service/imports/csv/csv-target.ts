// What the rows of a CSV file become: documents of an index, or auth users. A target knows the members
// that a row can have and their types.
import { ALIASES } from '../../../query/mapping/field-names.ts';
import type { Field, Mapping } from '../../../query/mapping/mapping.ts';
import { AUTH_USER_MEMBERS } from '../../ports/auth-user.ts';
import {
  attributeReader,
  type CellFormat,
  cellReader,
  type ReadCell,
  type ValueType,
} from './cell-value.ts';

export interface CsvTarget {
  /** For messages: `identities`, `auth users`. */
  readonly name: string;
  /** Nested arrays, whose elements have an `id`. */
  readonly nestedPaths: readonly string[];
  /** All names, for suggestions. */
  readonly names: readonly string[];
  /** The member of that name; null if there is none. */
  member(name: string): TargetMember | null;
}

export interface TargetMember {
  /** Absolute dotted name. */
  readonly path: string;
  /** The nested array that it is a member of; null for one of the record. */
  readonly nested: string | null;
  /** Reads a cell without a type of its own. */
  reader(format: CellFormat): ReadCell;
}

/** Members of documents that are lists, wherever a search returns them. */
const LISTS: ReadonlySet<string> = new Set([
  'tags',
  'visibleSegments',
  'objects',
  'errors',
  'warnings',
]);

const TYPES: Readonly<Record<Field['type'], ValueType>> = {
  text: 'text',
  keyword: 'text',
  date: 'date',
  long: 'number',
  double: 'number',
  boolean: 'boolean',
};

/** Documents with that mapping. */
export function documentTarget(mapping: Mapping): CsvTarget {
  const { fields, nestedPaths, dynamicRoots, constants } = mapping;
  return {
    name: mapping.index,
    nestedPaths,
    names: [...fields.keys()],
    member(given) {
      const bare = given.replace(/^@/, '');
      const path = ALIASES.get(bare) ?? bare;
      if (!isName(path)) return null;
      const nested = nestedPaths.find((one) => path.startsWith(`${one}.`)) ?? null;
      const field = fields.get(path);
      if (field?.dynamic === false) {
        const type = LISTS.has(path) ? 'list' : TYPES[field.type];
        return { path, nested, reader: (format) => cellReader(type, format) };
      }
      if (Object.hasOwn(constants, path)) {
        return { path, nested, reader: (format) => cellReader('text', format) };
      }
      if (!dynamicRoots.some((root) => path.startsWith(`${root}.`))) return null;
      const type = field === undefined ? 'text' : TYPES[field.type];
      const read =
        type === 'number' || type === 'boolean' ? attributeReader(type) : cellReader('text', {});
      return { path, nested, reader: () => read };
    },
  };
}

/** Auth users. */
export const AUTH_USER_TARGET: CsvTarget = {
  name: 'auth users',
  nestedPaths: [],
  names: Object.keys(AUTH_USER_MEMBERS),
  member(path) {
    const type = Object.hasOwn(AUTH_USER_MEMBERS, path)
      ? AUTH_USER_MEMBERS[path as keyof typeof AUTH_USER_MEMBERS]
      : null;
    if (type === null) return null;
    return { path, nested: null, reader: (format) => cellReader(type, format) };
  },
};

/** True for parts that are names, none of which an object has by itself. */
function isName(path: string): boolean {
  return path.split('.').every((part) => part.trim() !== '' && part !== '__proto__');
}
