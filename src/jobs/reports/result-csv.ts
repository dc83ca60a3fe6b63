// The rows of a result: one for each document, with the columns of its type.

import type { IndexName } from '../../query/query.ts';
import { DOCUMENT_COLUMNS } from '../../query/rows/default-columns.ts';
import type { ResultColumn } from '../../query/search-definition.ts';
import type { Hit } from '../../service/ports/search-backend.ts';
import { hitDocument } from '../../service/searching/rows/hit-document.ts';
import { valueAt } from '../../service/searching/rows/row-values.ts';

/** The columns that a saved search chooses for a document type, or those of rows. */
export function columnsOf(
  index: IndexName,
  chosen: readonly ResultColumn[] = [],
): readonly ResultColumn[] {
  if (chosen.length > 0) return chosen;
  return DOCUMENT_COLUMNS[index].map((field) => ({ field, header: null }));
}

/** The texts of the header. */
export function headerOf(columns: readonly ResultColumn[]): readonly string[] {
  return columns.map(({ field, header }) => header ?? field.replace(/^@/, ''));
}

/** The values of the row of a hit. */
export function rowOf(hit: Hit, columns: readonly ResultColumn[]): readonly unknown[] {
  const document = hitDocument(hit);
  return columns.map(({ field }) => valueAt(document, field.replace(/^@/, '')));
}
