// Statements on the rows that most writes of a transaction change (shared-rows.ts).
import { upsert } from './keyed-rows.ts';
import { statement, tables } from './statement.ts';

const COUNTER = 'document';

export const SELECT_COUNTER = statement(() =>
  tables.selectFrom('sequence_counter').select('value').where('name', '=', COUNTER),
);

export const TAKE_SEQUENCES = statement((p: { count: number }) =>
  tables
    .updateTable('sequence_counter')
    .set((row) => ({ value: row('value', '+', p.count) }))
    .where('name', '=', COUNTER)
    .returning('value'),
);

export const ADD_TO_COUNTER = statement((p: { taken: number }) =>
  tables
    .updateTable('sequence_counter')
    .set((row) => ({ value: row('value', '+', p.taken) }))
    .where('name', '=', COUNTER),
);

export const SELECT_HEAD = statement((p: { tenantId: string }) =>
  tables.selectFrom('audit_head').select(['number', 'hash']).where('tenant_id', '=', p.tenantId),
);

export const PUT_HEAD = statement((p: { tenantId: string; number: number; hash: string }) =>
  upsert('audit_head', ['tenant_id'], {
    tenant_id: p.tenantId,
    number: p.number,
    hash: p.hash,
    carried: 0,
  }),
);

export const ADD_COUNT = statement((p: { tenantId: string; index: string; documents: number }) =>
  tables
    .insertInto('document_count')
    .values({ tenant_id: p.tenantId, index_name: p.index, documents: p.documents })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'index_name']).doUpdateSet((row) => ({
        documents: row('document_count.documents', '+', row.ref('excluded.documents')),
      })),
    ),
);
