// Events of the audit trail as the store kept them before 0024-audit-inserts, and a check of whom they
// are about.
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { AuditRecords } from '../../src/service/ports/audit-records.ts';
import { type Executor, rawStatement } from '../../src/store/sql/statement.ts';

const TENANT = 'tenant';
const TARGETS = ['u1', 'u"\\', 'é1', 'u1', 'x'.repeat(400)];

const textOf = (attributes: object) =>
  JSON.stringify({ technicalName: 'AUTH_USER_MODIFY_PASSED', attributes });

const EVENTS: readonly string[] = [
  ...TARGETS.map((targetId) => textOf({ before: '{"targetId":"u9"}', targetId })),
  textOf({ targetId: 7 }),
  textOf({}),
  '{"attributes":{"targetId"',
];

/** Adds the events to a database with the steps up to 0022-views. */
export async function addEarlierTargets(executor: Executor): Promise<void> {
  for (const [at, text] of EVENTS.entries()) {
    await executor.query(
      rawStatement(
        sql`insert into audit_event (sequence, tenant_id, number, id, event, previous_hash, hash)
          values (${at}, ${TENANT}, ${at}, ${`e${at}`}, ${text}, 'h', 'h')`,
      ),
    );
  }
}

/** Checks that the migrated database finds the events of each target, and keeps all as they were. */
export async function checkMigratedTargets(
  records: Pick<AuditRecords, 'authUserEvents' | 'auditChain' | 'auditProtectionFaults'>,
): Promise<void> {
  for (const targetId of [...TARGETS, 'u9', '7']) {
    const query = { targetId, limit: 10, offset: 0, count: true };
    const { texts } = await records.authUserEvents(TENANT, query);
    const expected = EVENTS.filter((_, at) => TARGETS[at] === targetId);
    assert.deepEqual(texts, expected, targetId);
  }
  const chain = await records.auditChain(TENANT, -1, 100);
  assert.deepEqual(
    chain.map(({ text }) => text),
    EVENTS,
  );
  assert.deepEqual(await records.auditProtectionFaults(), []);
}
