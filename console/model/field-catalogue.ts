// The fields that a query can name: the mapped ones, from the service's own table at build time,
// and the dynamic ones of the tenant, which the explain endpoint lists.
import { staticMapping } from '../../src/query/mapping/document-types.ts';
import type { FieldType } from '../../src/query/mapping/mapping.ts';
import type { IndexName } from '../../src/query/query.ts';

/** A field that a query can name. */
export interface KnownField {
  /** Full path, from the root of the document. */
  readonly path: string;
  readonly type: FieldType;
  /** The nested array that contains it; null: none. */
  readonly nested: string | null;
}

/** A completion of a field name. */
export interface FieldSuggestion {
  /** The text to insert, without colon or parenthesis. */
  readonly name: string;
  readonly hint: string;
  readonly kind: 'field' | 'array';
}

const TYPE_HINTS: Readonly<Record<FieldType, string>> = {
  text: 'text',
  keyword: 'exact text',
  boolean: 'yes or no',
  date: 'date',
  long: 'number',
  double: 'number',
};

/**
 * All fields of an index.
 * @param dynamic paths of dynamic fields, from `freeWords` of an explanation
 */
export function fieldsOf(index: IndexName, dynamic: readonly string[]): KnownField[] {
  const mapping = staticMapping(index, { name: '', pod: '' });
  const mapped = [...mapping.fields.values()].map(({ path, type, nested }) => ({
    path,
    type,
    nested,
  }));
  const unmapped = dynamic
    .filter((path) => !mapping.fields.has(path))
    .map((path) => ({
      path,
      type: 'text' as const,
      nested: mapping.nestedPaths.find((nested) => path.startsWith(`${nested}.`)) ?? null,
    }));
  return [...mapped, ...unmapped].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The nested arrays of an index. */
export function arraysOf(index: IndexName): readonly string[] {
  return staticMapping(index, { name: '', pod: '' }).nestedPaths;
}

/**
 * Completes a prefix to field names: first those that start with it, then those with a part that
 * does.
 * @param nested the nested array of the enclosing parentheses; names are then relative to its
 * elements
 * @param frequent paths to offer before others that fit as well
 */
export function suggestionsFor(
  fields: readonly KnownField[],
  prefix: string,
  nested: string | null,
  limit: number,
  frequent: readonly string[] = [],
): FieldSuggestion[] {
  const placeOf = (name: string) => {
    const at = frequent.indexOf(nested === null ? name : `${nested}.${name}`);
    return at === -1 ? frequent.length : at;
  };
  const lowerPrefix = prefix.replace(/^@/, '').toLowerCase();
  const names = fields
    .filter((field) => nested === null || field.nested === nested)
    .map(
      ({ path, type }): FieldSuggestion => ({
        name: nested === null ? path : path.slice(nested.length + 1),
        hint: TYPE_HINTS[type],
        kind: 'field',
      }),
    );
  const arrays = [...new Set(fields.map((field) => field.nested).filter((path) => path !== null))];
  const arrayNames = arrays.map(
    (path): FieldSuggestion => ({ name: `@${path}`, hint: 'one element', kind: 'array' }),
  );
  const all = prefix.startsWith('@')
    ? arrayNames
    : [...names, ...(nested === null ? arrayNames : [])];
  return all
    .map((suggestion) => ({
      suggestion,
      rank: rankOf(suggestion.name.replace(/^@/, '').toLowerCase(), lowerPrefix),
    }))
    .filter(({ rank }) => rank < 3)
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        placeOf(a.suggestion.name) - placeOf(b.suggestion.name) ||
        a.suggestion.name.length - b.suggestion.name.length,
    )
    .slice(0, limit)
    .map(({ suggestion }) => suggestion);
}

/** The field that a name in a query refers to, inside `nested`. */
export function fieldNamed(
  fields: readonly KnownField[],
  name: string,
  nested: string | null,
): KnownField | undefined {
  const bare = name.replace(/\.exact$/, '');
  const path = nested === null ? bare : `${nested}.${bare}`;
  return fields.find((field) => field.path === path);
}

function rankOf(name: string, lowerPrefix: string): number {
  if (name.startsWith(lowerPrefix)) return 0;
  if (name.split('.').some((part) => part.startsWith(lowerPrefix))) return 1;
  return name.includes(lowerPrefix) ? 2 : 3;
}
