// From now on documents are compressed when they are written (records/document-bytes.ts). Stored
// ones are read as they are, so no row changes: the step makes earlier versions, which cannot read
// compressed documents, refuse the database.
import type { Migration } from '../sql/migration.ts';

export const compressedDocuments: Migration = {
  name: '0008-compressed-documents',
  up: () => [],
};
