// The events of the audit trail about one auth user, by the attribute `targetId` of the events, which
// has a column of its own. An index of an expression of the event would call functions of SQLite: with
// those and a trigger, SQLite copies every page that an insert changes (migrations/0024-audit-inserts.ts).
import type { TargetEventQuery, TargetEvents } from '../../service/ports/audit-records.ts';
import { type Executor, tables } from '../sql/statement.ts';

/** Longest part of an id in the column: PostgreSQL limits the bytes of an index row. */
const ID_MAX = 300;
/** In the text of an event, quotes inside of a string have a backslash. */
const TARGET_ID = /"targetId":"([^"\\]*(?:\\.[^"\\]*)*)"/;

/** The attribute `targetId` of an event, as JSON spells it; null for an event without one. */
export function targetIdIn(event: string): string | null {
  return TARGET_ID.exec(event)?.[1]?.slice(0, ID_MAX) ?? null;
}

/** The events about an auth user, newest first. */
export async function authUserEvents(
  executor: Executor,
  tenantId: string,
  { targetId, limit, offset, count }: TargetEventQuery,
): Promise<TargetEvents> {
  const ofTarget = tables
    .selectFrom('audit_event')
    .where('tenant_id', '=', tenantId)
    .where('target_id', '=', JSON.stringify(targetId).slice(1, -1).slice(0, ID_MAX))
    .where('event', 'like', '%"technicalName":"AUTH_USER_%');
  const rows = await executor.query(
    ofTarget.select('event').orderBy('number', 'desc').limit(limit).offset(offset),
  );
  const texts = rows.map(({ event }) => event);
  if (!count) return { texts, total: null };
  const [counted] = await executor.query(ofTarget.select((row) => row.fn.countAll().as('total')));
  return { texts, total: Number(counted?.total ?? 0) };
}
