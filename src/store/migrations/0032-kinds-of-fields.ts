// The kind of a dynamic field widens from now on. Fields of other kinds than text may have values that
// did not fit and were not indexed: all of their documents are looked at once
// (src/jobs/mending/field-kinds.ts).
import type { Migration } from '../sql/migration.ts';
import { tables } from '../sql/statement.ts';

export const kindsOfFields: Migration = {
  name: '0032-kinds-of-fields',
  up: (db) => [db.schema.alterTable('dynamic_field').addColumn('indexed_as', 'text')],
  after: async (executor) => {
    await executor.query(
      tables
        .updateTable('dynamic_field')
        .set((row) => ({ indexed_as: row.ref('type') }))
        .where('type', '<>', 'text'),
    );
  },
};
