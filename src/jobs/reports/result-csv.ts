// The rows of a result: one for each document, with the columns of its type.
import type { ResultColumn } from '../../query/search-definition.ts';
import type { Hit } from '../../service/ports/search-backend.ts';
import { hitDocument } from '../../service/searching/rows/hit-document.ts';
import { valueAt } from '../../service/searching/rows/row-values.ts';

/** The texts of the header. */
export function headerOf(columns: readonly ResultColumn[]): readonly string[] {
  return columns.map(({ field, header }) => header ?? field.replace(/^@/, ''));
}

/** The values of the row of a hit. */
export function rowOf(hit: Hit, columns: readonly ResultColumn[]): readonly unknown[] {
  const document = hitDocument(hit);
  return columns.map(({ field }) => valueAt(document, field.replace(/^@/, '')));
}
