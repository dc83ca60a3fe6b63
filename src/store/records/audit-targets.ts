// The events of the audit trail about one auth user, by the attribute `targetId` of the events.
// Invariant: the expression of the query is that of the index (migrations/0012-audit-targets.ts),
// or the whole trail would be read.
import { sql } from 'kysely';
import type { TargetEventQuery, TargetEvents } from '../../service/ports/audit-records.ts';
import { type Dialect, type Executor, tables } from '../statement.ts';

/** Longest part of an id in the index: PostgreSQL limits the bytes of an index row. */
const ID_MAX = 300;

/**
 * SQL of the attribute `targetId`, null for an event without one. In PostgreSQL it is the text as
 * JSON spells it: a pattern, unlike a cast, also accepts events that were damaged.
 */
export function targetIdOf(dialect: Dialect): string {
  return dialect === 'sqlite'
    ? `case when json_valid(event) then substr(json_extract(event, '$.attributes.targetId'), 1, ${ID_MAX}) end`
    : `left(substring(event from '"targetId":"((?:[^"\\\\]|\\\\.)*)"'), ${ID_MAX})`;
}

/** The events about an auth user, newest first. */
export async function authUserEvents(
  executor: Executor,
  tenantId: string,
  { targetId, limit, offset, count }: TargetEventQuery,
): Promise<TargetEvents> {
  const { dialect } = executor;
  const spelling = dialect === 'sqlite' ? targetId : JSON.stringify(targetId).slice(1, -1);
  const ofTarget = tables
    .selectFrom('audit_event')
    .where('tenant_id', '=', tenantId)
    .where(sql<string>`(${sql.raw(targetIdOf(dialect))})`, '=', spelling.slice(0, ID_MAX))
    .where('event', 'like', '%"technicalName":"AUTH_USER_%');
  const rows = await executor.query(
    ofTarget.select('event').orderBy('number', 'desc').limit(limit).offset(offset),
  );
  const texts = rows.map(({ event }) => event);
  if (!count) return { texts, total: null };
  const [counted] = await executor.query(ofTarget.select((row) => row.fn.countAll().as('total')));
  return { texts, total: Number(counted?.total ?? 0) };
}
