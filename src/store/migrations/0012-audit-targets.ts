// An index of the audit trail by the object that an event is about, for the history of an auth
// user: a trail has millions of events, an auth user a few. 0024-audit-inserts replaces it.
import { sql } from 'kysely';
import type { Migration } from '../sql/migration.ts';
import { type Dialect, rawStatement } from '../sql/statement.ts';

export const auditTargets: Migration = {
  name: '0012-audit-targets',
  up: () => [],
  after: async (executor, dialect: Dialect) => {
    const targetId = sql.raw(targetIdOf(dialect));
    await executor.query(
      rawStatement(
        sql`create index audit_event_target on audit_event (tenant_id, (${targetId}), number)`,
      ),
    );
  },
};

/** Longest part of an id in the index: PostgreSQL limits the bytes of an index row. */
const ID_MAX = 300;

/**
 * SQL of the attribute `targetId`, null for an event without one. In PostgreSQL it is the text as
 * JSON spells it: a pattern, unlike a cast, also accepts events that were damaged.
 */
function targetIdOf(dialect: Dialect): string {
  return dialect === 'sqlite'
    ? `case when json_valid(event) then substr(json_extract(event, '$.attributes.targetId'), 1, ${ID_MAX}) end`
    : `left(substring(event from '"targetId":"((?:[^"\\\\]|\\\\.)*)"'), ${ID_MAX})`;
}
