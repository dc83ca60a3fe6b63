// The triggers of the audit trail also reject an event that takes the place of another one: SQLite
// deletes the other one for `insert or replace` without calling the trigger of deletions. In
// PostgreSQL the triggers fire in sessions of replication, too.
//
// SQLite copies every page that a statement changes if the statement may be undone alone. That would
// double the time of an insert with triggers, so nothing of it may end with `abort`: the trigger and
// the statement of records/audit-records.ts use `fail`, and the index of the events by their target is
// one of a column instead of an expression, as functions may abort.
import { sql } from 'kysely';
import type { Migration } from '../sql/migration.ts';
import { type Dialect, rawStatement } from '../sql/statement.ts';

export const auditInserts: Migration = {
  name: '0024-audit-inserts',
  up: (db) => [
    db.schema.dropIndex('audit_event_target').ifExists(),
    db.schema.alterTable('audit_event').addColumn('target_id', 'text'),
  ],
  after: async (executor, dialect) => {
    for (const text of STATEMENTS[dialect]) await executor.query(rawStatement(sql.raw(text)));
  },
};

const REFUSAL = 'events of the audit trail are neither changed nor deleted';
const TARGET = '$.attributes.targetId';
const INDEX = `create index audit_event_target on audit_event (tenant_id, target_id, number)
  where target_id is not null`;

/** The column gets what stands between the quotes of the JSON, as from records/audit-targets.ts. */
const STATEMENTS: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [
    'drop trigger if exists audit_event_update',
    `update audit_event
      set target_id = substr(event -> '${TARGET}', 2, min(300, length(event -> '${TARGET}') - 2))
      where case when json_valid(event) then json_type(event, '${TARGET}') end = 'text'`,
    INDEX,
    `create trigger audit_event_update before update on audit_event
      begin select raise(abort, '${REFUSAL}'); end`,
    `create trigger audit_event_replace before insert on audit_event
      when exists (select 1 from audit_event where sequence = new.sequence)
        or exists (select 1 from audit_event where tenant_id = new.tenant_id and number = new.number)
        or exists (select 1 from audit_event where tenant_id = new.tenant_id and id = new.id)
      begin select raise(fail, '${REFUSAL}'); end`,
  ],
  postgres: [
    // Rewrites the table without an update of its rows, which the trigger would reject.
    `alter table audit_event alter column target_id type text collate "C"
      using left(substring(event from '"targetId":"((?:[^"\\\\]|\\\\.)*)"'), 300)`,
    INDEX,
    'alter table audit_event enable always trigger audit_event_append_only',
    'alter table audit_event enable always trigger audit_event_no_truncate',
  ],
};
