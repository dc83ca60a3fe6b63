// Which values fit a kind of dynamic field, in documents and in the index: a number or a boolean of JSON
// fits its own kind, a number without a fraction also `double`, and everything `text`.
// Invariant: the query finds every document with a value that does not fit, but for an array that also
// has one which fits.
import { anyOf, bool, nestedIn } from '../../query/build.ts';
import { type Field, type Kind, kindOf, widerKind } from '../../query/mapping/mapping.ts';
import { Projection } from '../../query/projection.ts';
import type { Query } from '../../query/query.ts';
import type { StoredDocument } from '../ports/stored-document.ts';
import { documentOf } from '../searching/access-references.ts';

/** The kinds that a dynamic field can have. */
export const FIELD_KINDS: readonly Kind[] = ['text', 'long', 'double', 'boolean'];

type Scalar = string | number | boolean;

/** The values of a field in a document that do not fit a kind. */
export function misfitsIn(
  { root, nested }: Pick<StoredDocument, 'root' | 'nested'>,
  { path }: Field,
  kind: Kind,
): readonly Scalar[] {
  const projection = new Projection({ includes: [path], excludes: [], nested: true });
  return scalarsOf(projection.apply(documentOf(root, nested))).filter(
    (value) => widerKind(kind, kindOf(value)) !== kind,
  );
}

function scalarsOf(value: unknown): readonly Scalar[] {
  if (typeof value !== 'object') return [value as Scalar];
  return value === null ? [] : Object.values(value).flatMap(scalarsOf);
}

/** Documents with a value that does not fit a kind other than `text`. */
export function misfitQuery({ path: field, nested }: Field, kind: Exclude<Kind, 'text'>) {
  const isNumber: Query = { kind: 'numberRange', field, column: 'value' };
  const other = bool({ must: [{ kind: 'exists', field }], mustNot: [isNumber] });
  const query = anyOf([other, ...OTHERS[kind](field)]);
  return nested === null ? query : nestedIn(nested, query);
}

/** Among the values that are numbers or booleans, by their texts, those of other kinds. */
const OTHERS: Readonly<Record<Exclude<Kind, 'text'>, (field: string) => readonly Query[]>> = {
  long: (field) => [
    booleans(field),
    { kind: 'regexp', field, form: 'exact', pattern: '-?[0-9]+[.][0-9]+|.*e-.*' },
  ],
  double: (field) => [booleans(field)],
  boolean: (field) => [
    { kind: 'termRange', field, form: 'exact', lt: 'false' },
    { kind: 'termRange', field, form: 'exact', gt: 'false', lt: 'true' },
    { kind: 'termRange', field, form: 'exact', gt: 'true' },
  ],
};

const booleans = (field: string): Query => ({
  ...{ kind: 'terms', field, form: 'exact' },
  values: ['false', 'true'],
});
