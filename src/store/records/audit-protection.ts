// The triggers that reject changes of recorded events: detects that they were dropped, replaced or
// disabled, and restores them. In PostgreSQL, rules may replace a statement before any trigger fires.
// Invariant: a newly migrated database (migrations/0004-audit.ts, 0024-audit-inserts.ts) has no faults.
import { sql } from 'kysely';
import { normalised } from '../sql/schema-comparison.ts';
import { type Dialect, type Executor, rawStatement } from '../sql/statement.ts';

const REFUSAL = 'events of the audit trail are neither changed nor deleted';
const REFUSE = ` begin raise exception '${REFUSAL}'; end `;

/** The statements that create the triggers. */
const APPEND_ONLY: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [
    ...['update', 'delete'].map(
      (change) => `create trigger audit_event_${change} before ${change} on audit_event
        begin select raise(abort, '${REFUSAL}'); end`,
    ),
    `create trigger audit_event_replace before insert on audit_event
      when exists (select 1 from audit_event where sequence = new.sequence)
        or exists (select 1 from audit_event where tenant_id = new.tenant_id and number = new.number)
        or exists (select 1 from audit_event where tenant_id = new.tenant_id and id = new.id)
      begin select raise(fail, '${REFUSAL}'); end`,
  ],
  postgres: [
    `create or replace function audit_event_refuse() returns trigger language plpgsql as $$${REFUSE}$$`,
    `create or replace trigger audit_event_append_only before update or delete on audit_event
      for each row execute function audit_event_refuse()`,
    `create or replace trigger audit_event_no_truncate before truncate on audit_event
      for each statement execute function audit_event_refuse()`,
    'alter table audit_event enable always trigger audit_event_append_only',
    'alter table audit_event enable always trigger audit_event_no_truncate',
  ],
};

/** A trigger or rule of the table `audit_event`. */
interface Trigger {
  readonly kind: 'trigger' | 'rule';
  readonly name: string;
  /** Two triggers with the same action have equal texts. */
  readonly definition: string;
}

/**
 * The faults of the triggers, one sentence each; empty if they are as the migration created them.
 */
export async function protectionFaults(executor: Executor): Promise<readonly string[]> {
  const expected = new Map(EXPECTED[executor.dialect].map((trigger) => [trigger.name, trigger]));
  const actual = new Map((await TRIGGERS[executor.dialect](executor)).map((t) => [t.name, t]));
  const faults: string[] = [];
  const repair = 'cardea doctor --repair puts it back';
  for (const { name, definition } of expected.values()) {
    const trigger = actual.get(name);
    if (trigger === undefined) {
      faults.push(`the trigger ${name}, which refuses changes of events, is missing: ${repair}`);
    } else if (trigger.definition !== definition) {
      faults.push(`the trigger ${name}, which refuses changes of events, was replaced: ${repair}`);
    }
  }
  for (const { kind, name } of actual.values()) {
    if (expected.has(name)) continue;
    faults.push(
      `the table of events has a ${kind} ${name} that does not belong there: ${repair.replace('puts it back', 'drops it')}`,
    );
  }
  return faults;
}

/**
 * Drops all triggers and rules of the table and creates those of the migrations, in the caller's
 * transaction.
 */
export async function restoreProtection(executor: Executor): Promise<void> {
  const { dialect } = executor;
  for (const { kind, name } of await TRIGGERS[dialect](executor)) {
    const trigger = sql`${sql.raw(kind)} ${sql.ref(name)}`;
    const dropped =
      dialect === 'sqlite' ? sql`drop ${trigger}` : sql`drop ${trigger} on audit_event`;
    await executor.query(rawStatement(dropped));
  }
  await createTriggers(executor);
}

/**
 * Makes the triggers again that are missing or were replaced, in the caller's transaction. Those that do not
 * belong there stay.
 * @returns their names
 */
export async function restoreAppendOnly(executor: Executor): Promise<readonly string[]> {
  const { dialect } = executor;
  const actual = new Map((await TRIGGERS[dialect](executor)).map((t) => [t.name, t.definition]));
  const wrong = EXPECTED[dialect].filter(({ name, definition }) => actual.get(name) !== definition);
  if (wrong.length === 0) return [];
  if (dialect === 'sqlite') {
    for (const { name } of EXPECTED.sqlite) {
      await executor.query(rawStatement(sql`drop trigger if exists ${sql.ref(name)}`));
    }
  }
  await createTriggers(executor);
  return wrong.map(({ name }) => name);
}

async function createTriggers(executor: Executor): Promise<void> {
  for (const text of APPEND_ONLY[executor.dialect]) {
    await executor.query(rawStatement(sql.raw(text)));
  }
}

/** Bits of pg_trigger.tgtype: row 1, before 2, insert 4, delete 8, update 16, truncate 32. */
const BEFORE_ROW_CHANGE = 1 + 2 + 8 + 16;
const BEFORE_TRUNCATE = 2 + 32;

const EXPECTED: Readonly<Record<Dialect, readonly Trigger[]>> = {
  sqlite: APPEND_ONLY.sqlite.map((text) => {
    const definition = normalised(text);
    return { kind: 'trigger', name: definition.split(' ')[2] ?? '', definition };
  }),
  postgres: [
    postgresTrigger('audit_event_append_only', BEFORE_ROW_CHANGE, normalised(REFUSE)),
    postgresTrigger('audit_event_no_truncate', BEFORE_TRUNCATE, normalised(REFUSE)),
  ],
};

function postgresTrigger(name: string, type: number, body: string): Trigger {
  return { kind: 'trigger', name, definition: `${type} always ${body}` };
}

const TRIGGERS: Readonly<Record<Dialect, (executor: Executor) => Promise<readonly Trigger[]>>> = {
  async sqlite(executor) {
    const rows = await executor.query(
      rawStatement(
        sql<{ name: string; sql: string }>`select name, sql from sqlite_schema
          where type = 'trigger' and tbl_name = 'audit_event'`,
      ),
    );
    return rows.map(({ name, sql }) => ({ kind: 'trigger', name, definition: normalised(sql) }));
  },
  async postgres(executor) {
    const rows = await executor.query(
      rawStatement(
        sql<{ name: string; type: number; enabled: string; plain: number; body: string }>`
          select tgname::text as name, tgtype::int as type, tgenabled::text as enabled,
            (tgqual is null and tgattr::text = '' and proconfig is null)::int as plain,
            prosrc as body
          from pg_trigger join pg_proc on pg_proc.oid = tgfoid
          where tgrelid = 'audit_event'::regclass and not tgisinternal`,
      ),
    );
    const rules = await executor.query(
      rawStatement(
        sql<{ name: string }>`
          select rulename::text as name from pg_rewrite where ev_class = 'audit_event'::regclass`,
      ),
    );
    // `A`: it fires in replication, too. A condition or a column list restricts it.
    const triggers = rows.map(({ name, type, enabled, plain, body }): Trigger => {
      const isWhole = enabled === 'A' && Number(plain) === 1;
      if (isWhole) return postgresTrigger(name, Number(type), normalised(body));
      return { kind: 'trigger', name, definition: `${type} sometimes` };
    });
    return [
      ...triggers,
      ...rules.map(({ name }): Trigger => ({ kind: 'rule', name, definition: '' })),
    ];
  },
};
