// Statements on the rows that most writes of a transaction change (shared-rows.ts).
import { CHAIN_START } from '../../service/ports/audit-chain.ts';
import type { StoredAuditEvent } from '../../service/ports/audit-records.ts';
import { upsert } from './keyed-rows.ts';
import type { AuditEventTable } from './schema.ts';
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

/** Processes that are remembered; an index that is further behind is filled again. */
const WRITERS = 1_000;

export const PUT_WRITER = statement((p: { sequence: number; id: string }) =>
  upsert('store_writer', ['sequence'], { sequence: p.sequence, id: p.id }),
);

export const DELETE_EARLY_WRITERS = statement(() =>
  tables
    .deleteFrom('store_writer')
    .where('sequence', '<=', (row) =>
      row
        .selectFrom('store_writer')
        .select('sequence')
        .orderBy('sequence', 'desc')
        .limit(1)
        .offset(WRITERS),
    ),
);

export const SELECT_HEAD = statement((p: { tenantId: string }) =>
  tables.selectFrom('audit_head').select(['number', 'hash']).where('tenant_id', '=', p.tenantId),
);

/** As SELECT_HEAD, with the number and the hash of the last event of the chain. */
export const SELECT_HEAD_AND_LAST = statement((p: { tenantId: string }) =>
  tables
    .selectFrom('audit_head')
    .where('audit_head.tenant_id', '=', p.tenantId)
    .select((row) => {
      const last = row
        .selectFrom('audit_event')
        .whereRef('audit_event.tenant_id', '=', 'audit_head.tenant_id')
        .orderBy('audit_event.number', 'desc')
        .limit(1);
      return [
        'audit_head.number',
        'audit_head.hash',
        last.select('audit_event.number').as('last_number'),
        last.select('audit_event.hash').as('last_hash'),
      ];
    }),
);

export const SELECT_LAST_EVENT = statement((p: { tenantId: string }) =>
  tables
    .selectFrom('audit_event')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .orderBy('number', 'desc')
    .limit(1),
);

/** An event of the audit trail from its row. */
export function storedEvent(row: AuditEventTable): StoredAuditEvent {
  return {
    sequence: row.sequence,
    tenantId: row.tenant_id,
    number: row.number,
    id: row.id,
    text: row.event,
    previousHash: row.previous_hash ?? CHAIN_START,
    hash: row.hash,
  };
}

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
