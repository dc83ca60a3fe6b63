// Which fields can be asked for: those every index has, from the service's own table at build time, and those the
// tenant's documents brought, which the service lists when it explains a search.
import { staticMapping } from '../../src/query/mapping/document-types.ts';
import type { FieldType } from '../../src/query/mapping/mapping.ts';
import type { IndexName } from '../../src/query/query.ts';

/** A field that a query can name. */
export interface KnownField {
  /** From the root of the document. */
  readonly path: string;
  readonly type: FieldType;
  /** The array whose elements it is in; null: none. */
  readonly nested: string | null;
}

/** Something to complete a name to. */
export interface FieldOffer {
  /** What stands in the query then, without colon or parenthesis. */
  readonly name: string;
  readonly hint: string;
  readonly kind: 'field' | 'array';
}

/** Every field of an index. @param brought paths that documents brought, as `freeWords` of an explanation lists them */
export function fieldsOf(index: IndexName, brought: readonly string[]): KnownField[] {
  const mapping = staticMapping(index, { name: '', pod: '' });
  const known = [...mapping.fields.values()].map(({ path, type, nested }) => ({
    path,
    type,
    nested,
  }));
  const more = brought
    .filter((path) => !mapping.fields.has(path))
    .map((path) => ({
      path,
      type: 'text' as const,
      nested: mapping.nestedPaths.find((nested) => path.startsWith(`${nested}.`)) ?? null,
    }));
  return [...known, ...more].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The nested arrays of an index. */
export function arraysOf(index: IndexName): readonly string[] {
  return staticMapping(index, { name: '', pod: '' }).nestedPaths;
}

/**
 * Names to complete a prefix to: those that begin with it first, then those of which a part does.
 * @param nested the array whose elements the parentheses around are about; names are then those of an element
 */
export function offersFor(
  fields: readonly KnownField[],
  prefix: string,
  nested: string | null,
  most: number,
): FieldOffer[] {
  const wanted = prefix.replace(/^@/, '').toLowerCase();
  const names = fields
    .filter((field) => nested === null || field.nested === nested)
    .map(
      ({ path, type }): FieldOffer => ({
        name: nested === null ? path : path.slice(nested.length + 1),
        hint: type,
        kind: 'field',
      }),
    );
  const arrays = [...new Set(fields.map((field) => field.nested).filter((path) => path !== null))];
  const correlated = arrays.map(
    (path): FieldOffer => ({ name: `@${path}`, hint: 'one element of', kind: 'array' }),
  );
  const all = prefix.startsWith('@')
    ? correlated
    : [...names, ...(nested === null ? correlated : [])];
  return all
    .map((offer) => ({ offer, rank: rankOf(offer.name.replace(/^@/, '').toLowerCase(), wanted) }))
    .filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank || a.offer.name.length - b.offer.name.length)
    .slice(0, most)
    .map(({ offer }) => offer);
}

/** The field that a name in a query means, at its place. */
export function fieldNamed(
  fields: readonly KnownField[],
  name: string,
  nested: string | null,
): KnownField | undefined {
  const bare = name.replace(/\.exact$/, '');
  const path = nested === null ? bare : `${nested}.${bare}`;
  return fields.find((field) => field.path === path);
}

function rankOf(name: string, wanted: string): number {
  if (name.startsWith(wanted)) return 0;
  if (name.split('.').some((part) => part.startsWith(wanted))) return 1;
  return name.includes(wanted) ? 2 : 3;
}
