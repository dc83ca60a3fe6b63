// The columns of rows: names of fields, resolved to members of a document or of its element.
// Invariant: a column reads one place. In rows of elements none is of another nested array.
import { invalid, Members, wrongType } from '../body.ts';
import { limitFault, type QueryLimits } from '../limits.ts';
import { INDEX_NAMES } from '../mapping/document-types.ts';
import { ALIASES } from '../mapping/field-names.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { PlanContext } from '../requests/search-request.ts';
import { defaultColumns } from './default-columns.ts';

/** One column of the result. */
export interface Column {
  /** Unique in a result. */
  readonly header: string;
  /** Absolute dotted name. */
  readonly field: string;
  /** The member to read, relative to the document or the element; '' is the element itself. */
  readonly path: string;
  /** True for a member of the element. */
  readonly ofElement: boolean;
}

/** A column as requested, and its place in the request. */
interface NamedColumn {
  readonly field: string;
  readonly header: string | undefined;
  readonly place: string;
}

/**
 * Reads `columns`: names, or objects with `field` and `header`.
 * @throws ServiceError `body_malformed`
 */
export function readColumns(members: Members): readonly NamedColumn[] {
  const value = members.get('columns');
  if (value === undefined) return [];
  const expected = 'an array of objects with field and header, or of names';
  if (!Array.isArray(value)) throw wrongType('columns', expected);
  return value.map((item: unknown, at) => {
    const place = `columns[${at}]`;
    if (typeof item === 'string') return { field: item, header: undefined, place };
    const column = new Members(item, place);
    const field = column.string('field');
    if (field === undefined) throw invalid(`${place}.field: is required`);
    return { field, header: column.string('header'), place: `${place}.field` };
  });
}

/**
 * Resolves columns on the requested indexes.
 * @param path the nested array whose elements are the rows; null for documents
 * @throws ServiceError `request_invalid` for an unknown name, one of another nested array, or a
 *   header that repeats; `limit_exceeded`
 */
export function resolveColumns(
  requested: readonly NamedColumn[],
  mappings: readonly Mapping[],
  path: string | null,
  context: Pick<PlanContext, 'mapping' | 'nearestNames'> & { readonly limits: QueryLimits },
): readonly Column[] {
  const { maxClauses } = context.limits;
  if (requested.length > maxClauses) {
    throw limitFault('maxClauses', maxClauses, 'columns', { count: requested.length });
  }
  const named =
    requested.length > 0
      ? requested
      : defaultColumns(mappings, path).map((field) => ({
          ...{ field, header: undefined, place: 'columns' },
        }));
  const headers = new Map<string, string>();
  const fields = new Map<string, string>();
  return named.map((one) => {
    const column = columnOf(one, mappings, path, context);
    const { place } = one;
    // Otherwise a few bytes of a request would multiply a long value.
    refuseRepeated(fields, column.field, place, 'the field', 'leave out one of the two');
    refuseRepeated(headers, column.header, place, 'the header', 'set another header');
    return column;
  });
}

/** @param earlier places by name */
function refuseRepeated(
  earlier: Map<string, string>,
  name: string,
  place: string,
  what: string,
  remedy: string,
): void {
  const other = earlier.get(name);
  if (other !== undefined) {
    throw invalid(`${place}: ${other} has ${what} ${JSON.stringify(name)}, too; ${remedy}`);
  }
  earlier.set(name, place);
}

function columnOf(
  { field: text, header, place }: NamedColumn,
  mappings: readonly Mapping[],
  path: string | null,
  context: Pick<PlanContext, 'mapping' | 'nearestNames'>,
): Column {
  const name = text.trim().replace(/^@/, '');
  const field = ALIASES.get(name) ?? name;
  if (name === '') throw invalid(`${place}: expected the name of a field`);
  if (!mappings.some((mapping) => hasName(mapping, field))) {
    throw invalid(`${place}: ${unknownName(field, mappings, context)}`);
  }
  const nested = nestedPathOf(field, mappings);
  if (path !== null && nested !== undefined && nested !== path) {
    throw invalid(
      `${place}: ${JSON.stringify(field)} is a field of ${nested}, but the rows are elements of ${path}; use columns of ${path} and of the document, or rows: ${JSON.stringify(nested)}`,
    );
  }
  const ofElement = path !== null && nested === path;
  const member = ofElement ? field.slice(path.length + 1) : field;
  return { header: header ?? name, field, path: member, ofElement };
}

/** The nested array that a name is of, or undefined. */
function nestedPathOf(name: string, mappings: readonly Mapping[]): string | undefined {
  const paths = mappings.flatMap(({ nestedPaths }) => nestedPaths);
  return paths.find((path) => name === path || name.startsWith(`${path}.`));
}

/** True for a leaf, an object, a nested array or a constant of the documents. */
function hasName(mapping: Mapping, name: string): boolean {
  const { fields, nestedPaths, dynamicRoots, constants } = mapping;
  if (fields.has(name) || nestedPaths.includes(name) || dynamicRoots.includes(name)) return true;
  if (Object.hasOwn(constants, name)) return true;
  const paths = [...fields.keys()];
  if (paths.some((path) => path.startsWith(`${name}.`))) return true;
  // Members of a map are known from the documents, so without any document every name may exist.
  const root = dynamicRoots.find((path) => name.startsWith(`${path}.`));
  return root !== undefined && !paths.some((path) => path.startsWith(`${root}.`));
}

function unknownName(
  name: string,
  mappings: readonly Mapping[],
  context: Pick<PlanContext, 'mapping' | 'nearestNames'>,
): string {
  const shown = JSON.stringify(name.slice(0, 100));
  const requested = mappings.map(({ index }) => index);
  const sentence = `no requested index has a field ${shown}`;
  const owner = INDEX_NAMES.find(
    (index) => !requested.includes(index) && context.mapping(index).fields.has(name),
  );
  if (owner !== undefined) return `${sentence}; ${owner} has it`;
  const nearest = context.nearestNames.nearest(name, mappings, 'column', () => [
    ...new Set(
      mappings.flatMap(({ fields, constants }) => [...fields.keys(), ...Object.keys(constants)]),
    ),
  ]);
  return nearest === null ? sentence : `${sentence}; did you mean ${JSON.stringify(nearest)}?`;
}
