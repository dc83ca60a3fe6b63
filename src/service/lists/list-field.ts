// The fields that a list can be filtered and sorted by, and where their values are in the documents.

import type { FilterKind, FilterOperator } from '../../query/collections/collection-filter.ts';
import type { CollectionForm } from '../../query/collections/collection-form.ts';

/** Where the values of a field are. */
export type FieldValues =
  /** At the first of these paths of the mapping where a document has a value. */
  | { readonly paths: readonly string[]; readonly shown?: ShownWords }
  /** The same for all objects; null: the documents do not have it. */
  | { readonly constant: string | boolean | null }
  /** Whether there is any value below a path. */
  | { readonly anyBelow: string }
  /** All values below a path. */
  | { readonly allBelow: string };

/** What objects show instead of some values of the documents, by the folded value. */
export type ShownWords = Readonly<Record<string, string>>;

export interface ListField {
  readonly kind: FilterKind;
  /** Empty: objects are only sorted by it. */
  readonly operators: readonly FilterOperator[];
  readonly sorts: boolean;
  readonly values: FieldValues;
}

/** The fields of a list by name. */
export type ListFields = Readonly<Record<string, ListField>>;

/** What a list is filtered and sorted by. @param limitMax its largest page */
export function formOf(fields: ListFields, limitMax?: number): CollectionForm {
  const entries = Object.entries(fields);
  return {
    filters: Object.fromEntries(entries.filter(([, { operators }]) => operators.length > 0)),
    sorters: entries.flatMap(([name, { sorts }]) => (sorts ? [name] : [])),
    limitMax,
  };
}

/** Whether the list can be sorted by a field. */
export type Sorting = 'sorts' | '';

/**
 * A field with text as its values, which compare without case.
 * @param paths the first where a document has a value counts
 * @param operators those of the public specification, separated by blanks
 */
export function text(
  paths: string | readonly string[],
  operators: string,
  sorting: Sorting = '',
): ListField {
  return stored('text', paths, operators, sorting);
}

/** A field with a date. */
export function date(path: string, operators: string, sorting: Sorting = ''): ListField {
  return stored('date', path, operators, sorting);
}

/** A field with true or false. */
export function flag(path: string, operators: string, sorting: Sorting = ''): ListField {
  return stored('flag', path, operators, sorting);
}

/** A field with the same value in all objects. */
export function constant(value: boolean, operators: string, sorting: Sorting = ''): ListField {
  return field('flag', { constant: value }, operators, sorting);
}

/** A field of the public specification that no document has. */
export function absent(kind: FilterKind, operators: string, sorting: Sorting = ''): ListField {
  return field(kind, { constant: null }, operators, sorting);
}

export function field(
  kind: FilterKind,
  values: FieldValues,
  operators: string,
  sorting: Sorting = '',
): ListField {
  const names = operators === '' ? [] : (operators.split(' ') as FilterOperator[]);
  return { kind, operators: names, sorts: sorting === 'sorts', values };
}

function stored(
  kind: FilterKind,
  paths: string | readonly string[],
  operators: string,
  sorting: Sorting,
): ListField {
  return field(kind, { paths: typeof paths === 'string' ? [paths] : paths }, operators, sorting);
}
