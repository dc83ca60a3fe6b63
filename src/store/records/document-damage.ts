// Documents and rows of other records whose stored bytes are not what was written.
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import { documentHash } from '../../service/documents/document-hash.ts';
import type { DamagedBytes, WritableRecords } from '../../service/ports/store.ts';
import type { StoredDocumentKey } from '../../service/ports/stored-document.ts';
import {
  damagedRows,
  isDamagedRow,
  isReadable,
  isRowKey,
  NAMES_MAX,
  takeDamagedRow,
} from '../sql/row-damage.ts';
import { type Executor, hasNul, statement, tables } from '../sql/statement.ts';
import { keyOf, SELECT, SELECT_CHANGES, writeTombstones } from './document-records.ts';
import { columnsOf, type DocumentColumns, documentOf, textOf } from './document-row.ts';

/** Documents that are read between two pauses. */
const READ_AT_ONCE = 200;
export function documentDamage(
  executor: Executor,
): Pick<
  WritableRecords,
  'documentDamage' | 'isDamagedRecord' | 'takeDamagedDocument' | 'rewriteDamagedDocument'
> {
  return {
    async documentDamage({ pause = executor.pause, of = 'all', namesMax = NAMES_MAX } = {}) {
      if (of === 'records') return damagedRows(executor, { pause, namesMax });
      const documents: StoredDocumentKey[] = [];
      let count = 0;
      for (let sequence = 0; ; ) {
        const rows = await executor.all(SELECT_CHANGES, { sequence, limit: READ_AT_ONCE });
        for (const row of rows) {
          if (documentOf(keyOf(row), row) !== 'damaged') continue;
          count++;
          if (documents.length < namesMax) documents.push(keyOf(row));
        }
        const last = rows.at(-1);
        if (last === undefined) {
          const rows = await damagedRows(executor, { pause, namesMax });
          const named = [...documents, ...rows.documents].slice(0, namesMax);
          return { count: count + rows.count, documents: named };
        }
        sequence = last.sequence;
        await pause();
      }
    },
    async isDamagedRecord(key) {
      if (isRowKey(key)) return isDamagedRow(executor, key);
      // It would have to be searched for, and this is asked often.
      if (!isReadable(key)) return true;
      const row = await executor.get(SELECT, { ...key });
      return row !== undefined && documentOf(key, row) === 'damaged';
    },
    async takeDamagedDocument(key): Promise<DamagedBytes | null> {
      if (isRowKey(key)) return takeDamagedRow(executor, key);
      const { tenantId, index, id } = textOf(key);
      if (isReadable(key)) {
        const row = await executor.get(SELECT, { ...key });
        if (row === undefined || documentOf(key, row) !== 'damaged') return null;
        await writeTombstones(executor, tenantId, index, [id]);
        return row;
      }
      // A key that cannot be read is not that of its tombstone.
      const found = await damagedByName(executor, key);
      if (found === undefined) return null;
      await executor.run(DELETE_CHANGE, { sequence: found.sequence });
      if (!INDEX_NAMES.includes(index) || hasNul(tenantId + id)) return found;
      const isReplaced = (await executor.get(SELECT, { tenantId, index, id })) !== undefined;
      if (!isReplaced) await writeTombstones(executor, tenantId, index, [id]);
      return found;
    },
    async rewriteDamagedDocument({ tenantId, ...document }): Promise<DamagedBytes | null> {
      const { index, id, root, nested } = document;
      const key = { tenantId, index, id };
      const row = await executor.get(SELECT, key);
      if (row === undefined || documentOf(key, row) !== 'damaged') return null;
      const columns = columnsOf(key, document, documentHash(root, nested));
      await executor.run(REWRITE, { ...key, ...columns });
      return row;
    },
  };
}

/** The damaged document whose key is read as this one; SQLite may have values of any type there. */
async function damagedByName(executor: Executor, key: StoredDocumentKey) {
  const name = JSON.stringify(textOf(key));
  for (let sequence = 0; ; ) {
    const rows = await executor.all(SELECT_CHANGES, { sequence, limit: READ_AT_ONCE });
    const found = rows.find((row) => {
      const other = keyOf(row);
      return JSON.stringify(textOf(other)) === name && documentOf(other, row) === 'damaged';
    });
    const last = rows.at(-1);
    if (found !== undefined || last === undefined) return found;
    sequence = last.sequence;
    await executor.pause();
  }
}

const REWRITE = statement((p: { tenantId: string; index: string; id: string } & DocumentColumns) =>
  tables
    .updateTable('document')
    .set({ hash: p.hash, root: p.root, nested: p.nested })
    .where('tenant_id', '=', p.tenantId)
    .where('index_name', '=', p.index)
    .where('id', '=', p.id),
);

const DELETE_CHANGE = statement((p: { sequence: number }) =>
  tables.deleteFrom('document').where('sequence', '=', p.sequence),
);
