// Reads `sort`: "f" or "+f" ascending, "-f" descending. A key must exist in at least one of the
// requested indexes, and must have the same kind of value in all that have it.
import { invalid } from '../body.ts';
import { FieldNames, ROOT } from '../mapping/field-names.ts';
import type { FieldType, Mapping } from '../mapping/mapping.ts';
import type { SortKey } from '../query.ts';

/** A sort key with the type of its field; null for `_score`, `_doc` and constants. */
export interface Sorter {
  readonly key: SortKey;
  readonly fieldType: FieldType | null;
}

/** @throws ServiceError `request_invalid` */
export function sortersOf(
  sort: readonly string[],
  mappings: readonly Mapping[],
): readonly Sorter[] {
  const names = mappings.map((mapping) => new FieldNames(mapping));
  return sort.map((text, at) => sorterOf(text, `sort[${at}]`, names));
}

function sorterOf(text: string, path: string, indexes: readonly FieldNames[]): Sorter {
  const sign = /^[+-]/.exec(text)?.[0];
  const order = sign === '-' ? 'desc' : 'asc';
  const name = (sign === undefined ? text : text.slice(1)).trim().replace(/^@/, '');
  if (name === '') throw invalid(`${path}: expected the name of a field, perhaps after + or -`);
  if (name === '_score') {
    return { key: { field: name, order: 'desc', type: 'score' }, fieldType: null };
  }
  if (name === '_doc') return { key: { field: name, order, type: 'doc' }, fieldType: null };
  let result: Sorter | undefined;
  for (const operand of indexes.map((index) => index.find(name, ROOT))) {
    if (operand === undefined) continue;
    const sorter: Sorter =
      operand.kind === 'constant'
        ? { key: { field: withoutForm(name), order, type: 'string' }, fieldType: null }
        : {
            key: { field: operand.field.path, order, type: valueTypeOf(operand.field.type) },
            fieldType: operand.field.type,
          };
    if (result !== undefined && result.key.type !== sorter.key.type) {
      throw invalid(`${path}: ${name} is a number in one index and a string in another`);
    }
    result ??= sorter;
  }
  if (result === undefined) {
    throw invalid(`${path}: ${name} is not a sortable field of the requested indices`);
  }
  return result;
}

function valueTypeOf(type: FieldType): 'string' | 'number' {
  return type === 'text' || type === 'keyword' ? 'string' : 'number';
}

function withoutForm(name: string): string {
  return name.endsWith('.exact') ? name.slice(0, -'.exact'.length) : name;
}
