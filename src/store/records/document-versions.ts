// Which change each document is from, for the comparison of a search index with the store, and new
// changes for documents that an index must be fed again.
// Invariant: a document that is fed again keeps its bytes; only the number of its change is new.
import type { WritableRecords } from '../../service/ports/store.ts';
import { type Executor, statement, tables } from '../sql/statement.ts';
import { takeSequences } from './document-records.ts';

export type DocumentVersionRecords = Pick<
  WritableRecords,
  'documentVersions' | 'documentVersionsById' | 'feedAgain'
>;

export function documentVersions(executor: Executor): DocumentVersionRecords {
  return {
    async documentVersions(tenantId, index, afterId, limit) {
      const rows = await executor.all(SELECT_PAGE, { tenantId, index, afterId, limit });
      return rows.map(({ id, sequence }) => ({ id, sequence }));
    },
    async documentVersionsById(tenantId, index, ids) {
      const rows = await executor.each(
        SELECT_ONE,
        ids.map((id) => ({ tenantId, index, id })),
      );
      return ids.flatMap((id, at) => {
        const [row] = rows[at] ?? [];
        return row === undefined ? [] : [{ id, sequence: row.sequence }];
      });
    },
    async feedAgain(tenantId, index, ids) {
      if (ids.length === 0) return;
      const first = (await takeSequences(executor, ids.length)) - ids.length + 1;
      const rows = ids.map((id, at) => ({ tenantId, index, id, sequence: first + at }));
      await executor.each(RENUMBER, rows);
    },
  };
}

type Key = { tenantId: string; index: string; id: string };

const SELECT_PAGE = statement(
  (p: { tenantId: string; index: string; afterId: string; limit: number }) =>
    tables
      .selectFrom('document')
      .select(['id', 'sequence'])
      .where('tenant_id', '=', p.tenantId)
      .where('index_name', '=', p.index)
      .where('id', '>', p.afterId)
      .where('hash', 'is not', null)
      .orderBy('id')
      .limit(p.limit),
);

const SELECT_ONE = statement((p: Key) =>
  tables
    .selectFrom('document')
    .select('sequence')
    .where('tenant_id', '=', p.tenantId)
    .where('index_name', '=', p.index)
    .where('id', '=', p.id)
    .where('hash', 'is not', null),
);

/** Changes the number of the row that is there, or inserts a tombstone. */
const RENUMBER = statement((p: Key & { sequence: number }) =>
  tables
    .insertInto('document')
    .values({
      ...{ sequence: p.sequence, tenant_id: p.tenantId, index_name: p.index, id: p.id },
      ...{ hash: null, root: null, nested: null },
    })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'index_name', 'id'])
        .doUpdateSet((row) => ({ sequence: row.ref('excluded.sequence') })),
    ),
);
