// The audit trail as an append-only table with a hash chain per tenant, the recorded end of each
// chain, and the positions of exports. Earlier events of the service are copied from the documents,
// in the order they were written.
import { type Kysely, sql } from 'kysely';
import { AUDIT_STACK } from '../../service/audit/audit-event.ts';
import { type ChainHead, EMPTY_CHAIN, extendChain } from '../../service/ports/audit-chain.ts';
import { putChain } from '../records/audit-records.ts';
import type { ColumnTypes, Migration } from '../sql/migration.ts';
import { type Dialect, type Executor, statement, type Tree, tables } from '../sql/statement.ts';

export const audit: Migration = {
  name: '0004-audit',
  up: (db, types) => auditTables(db, types),
  after: async (executor, dialect) => {
    for (const text of APPEND_ONLY[dialect]) await executor.query(rawStatement(text));
  },
  afterAll: carryOver,
};

function auditTables(db: Kysely<never>, types: ColumnTypes): Tree<unknown>[] {
  return [
    db.schema
      .createTable('audit_event')
      .addColumn('sequence', types.rowNumber, (column) => column.primaryKey().notNull())
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('number', types.rowNumber, (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('event', 'text', (column) => column.notNull())
      .addColumn('previous_hash', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addUniqueConstraint('audit_event_number', ['tenant_id', 'number'])
      .addUniqueConstraint('audit_event_id', ['tenant_id', 'id']),
    db.schema
      .createTable('audit_head')
      .addColumn('tenant_id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('number', types.rowNumber, (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('carried', types.rowNumber, (column) => column.notNull()),
    db.schema
      .createTable('audit_export')
      .addColumn('target', 'text', (column) => column.primaryKey().notNull())
      .addColumn('sequence', types.rowNumber, (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('lease_until', types.rowNumber, (column) => column.notNull()),
  ];
}

const REFUSAL = 'events of the audit trail are neither changed nor deleted';

/** Triggers that reject every change of an event, including one made with a database client. */
const APPEND_ONLY: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: ['update', 'delete'].map(
    (change) => `create trigger audit_event_${change} before ${change} on audit_event
      begin select raise(abort, '${REFUSAL}'); end`,
  ),
  postgres: [
    `create function audit_event_refuse() returns trigger language plpgsql as
      $$ begin raise exception '${REFUSAL}'; end $$`,
    `create trigger audit_event_append_only before update or delete on audit_event
      for each row execute function audit_event_refuse()`,
    `create trigger audit_event_no_truncate before truncate on audit_event
      for each statement execute function audit_event_refuse()`,
  ],
};

function rawStatement(text: string): Tree<unknown> {
  const builder = sql.raw(text);
  return {
    toOperationNode: () => builder.toOperationNode(),
    compile: () => builder.compile(tables),
  };
}

const PAGE = 1_000;
const TEXT = new TextDecoder();

/** Chains the events of the service among the documents, which it recognises by their `stack`. */
async function carryOver(executor: Executor): Promise<void> {
  const heads = new Map<string, ChainHead>();
  for (let sequence = 0; ; ) {
    const rows = await executor.all(SELECT_EVENTS, { sequence, limit: PAGE });
    for (const { sequence, tenant_id: tenantId, id, root } of rows) {
      const text = TEXT.decode(root ?? undefined);
      if ((JSON.parse(text) as { stack?: unknown }).stack !== AUDIT_STACK) continue;
      const events = extendChain(tenantId, heads.get(tenantId) ?? EMPTY_CHAIN, [{ id, text }]);
      await putChain(
        executor,
        events.map((event) => ({ ...event, sequence })),
      );
      for (const event of events) heads.set(tenantId, event);
    }
    if (rows.length < PAGE) break;
    sequence = rows.at(-1)?.sequence ?? sequence;
    await executor.pause();
  }
  for (const [tenantId, { number }] of heads) await executor.run(PUT_CARRIED, { tenantId, number });
}

const PUT_CARRIED = statement((p: { tenantId: string; number: number }) =>
  tables.updateTable('audit_head').set({ carried: p.number }).where('tenant_id', '=', p.tenantId),
);

const SELECT_EVENTS = statement((p: { sequence: number; limit: number }) =>
  tables
    .selectFrom('document')
    .select(['sequence', 'tenant_id', 'id', 'root'])
    .where('sequence', '>', p.sequence)
    .where('index_name', '=', 'events')
    .where('root', 'is not', null)
    .orderBy('sequence')
    .limit(p.limit),
);
