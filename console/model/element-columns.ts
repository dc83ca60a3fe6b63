// The columns of rows that are elements of a nested array: those that the service chooses without a
// choice of columns, as paths from the root of the document.
import { staticMapping } from '../../src/query/mapping/document-types.ts';
import type { IndexName } from '../../src/query/query.ts';
import { defaultColumns } from '../../src/query/rows/default-columns.ts';

/** The default columns of the elements of an array. */
export function elementColumns(index: IndexName, path: string): readonly string[] {
  const mapping = staticMapping(index, { name: '', pod: '' });
  return defaultColumns([mapping], path).map((column) => column.replace(/^@/, ''));
}

/** True if a column is of the elements, not of their document. */
export function isOfElement(column: string, path: string): boolean {
  return column === path || column.startsWith(`${path}.`);
}
