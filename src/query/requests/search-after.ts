// Reads `searchAfter`: one value per sort key, which clients copy from the JSON of the last row
// they received. A number may therefore be a string and a date may be ISO 8601; null is a missing
// value.
import { strictIsoDate } from '../analysis/values.ts';
import { invalid, type Scalar } from '../body.ts';
import { booleanOf, numberOf } from '../language/field-query.ts';
import type { SortValue } from '../query.ts';
import type { Sorter } from './sorters.ts';

/**
 * Converts the values to the types of the sort keys; undefined if there are none.
 * @throws ServiceError `request_invalid`
 */
export function searchAfterOf(
  values: readonly Scalar[],
  sorters: readonly Sorter[],
): readonly SortValue[] | undefined {
  if (values.length === 0) return undefined;
  if (sorters.length === 0) throw invalid('searchAfter: needs a sort');
  if (values.length !== sorters.length) {
    throw invalid(
      `searchAfter: ${values.length} values for ${sorters.length} sort keys, expected one each`,
    );
  }
  if (values.every((value) => value === null)) {
    throw invalid(
      'searchAfter: all values are null. Either the last row has no value for the sort field, or it was read by a name that the row does not have: write the sort without +, and sort by a field that every row has, like id',
    );
  }
  return sorters.map((sorter, at) => sortValue(values[at] ?? null, sorter, `searchAfter[${at}]`));
}

function sortValue(value: Scalar, { key, fieldType }: Sorter, path: string): SortValue {
  if (key.type === 'doc' || (key.type === 'score' && value === null)) {
    throw invalid(
      `${path}: no row has a value of ${key.field}, so nothing would come after it; sort by fields of the rows, like id`,
    );
  }
  if (value === null) return null;
  if (key.type === 'string') return String(value);
  const number =
    typeof value === 'boolean' ? booleanValue(value, fieldType) : numericValue(value, fieldType);
  if (number !== undefined && Number.isFinite(number)) return number;
  const expected =
    fieldType === 'date'
      ? 'a date in ISO 8601 or epoch milliseconds'
      : fieldType === 'boolean'
        ? 'true or false'
        : 'a number';
  throw invalid(
    `${path}: ${JSON.stringify(value)} is not a value of ${key.field}, expected ${expected}`,
  );
}

function booleanValue(value: boolean, fieldType: Sorter['fieldType']): number | undefined {
  return fieldType === 'boolean' ? Number(value) : undefined;
}

function numericValue(value: string | number, fieldType: Sorter['fieldType']): number | undefined {
  if (fieldType === 'boolean' && typeof value === 'string') {
    return booleanOf(value) ?? (value === '0' || value === '1' ? Number(value) : undefined);
  }
  if (typeof value === 'number') return value;
  if (fieldType === 'date')
    return strictIsoDate(value) ?? (/^-?\d+$/.test(value) ? Number(value) : undefined);
  return numberOf(value);
}
