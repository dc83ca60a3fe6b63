// An index of the audit trail by the object that an event is about, for the history of an auth
// user: a trail has millions of events, an auth user a few.
import { sql } from 'kysely';
import { targetIdOf } from '../records/audit-targets.ts';
import { type Dialect, rawStatement } from '../statement.ts';
import type { Migration } from './migration.ts';

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
