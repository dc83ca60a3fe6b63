// The triggers that write the checksums of records (sql/row-checksum.ts) and refuse changes of recorded
// events (records/audit-protection.ts). A change without them would be answered as done, and the record
// would then differ from its checksum as damage does.
// Invariant: the transaction of a change makes those again that have been missing for a minute.
import { sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import { restoreAppendOnly } from '../records/audit-protection.ts';
import { SqlExecutor } from '../sql/executor.ts';
import { CHECKED_NAMES, CHECKED_TABLES, checksumStatements } from '../sql/row-checksum.ts';
import { normalised, restoredSentence } from '../sql/schema-comparison.ts';
import { type Executor, rawStatement } from '../sql/statement.ts';
import { PostgresTransaction } from './postgres-driver.ts';
import { type PostgresAddress, PostgresPool } from './postgres-pool.ts';

const CHECK_MS = 60_000;

/** Looks at the triggers with the first change, and then with one in a minute. */
export class TriggerWatch {
  readonly #onMended: (what: string) => void;
  #nextCheck = 0;
  /** What was said last, as a fault that stays is found again each time. */
  #said = '';

  /** @param onMended called with a sentence if triggers were made again, or could not be */
  constructor(onMended: (what: string) => void) {
    this.#onMended = onMended;
  }

  /** @throws ServiceError `unavailable` if the transaction is void */
  async restoreIn(transaction: PostgresTransaction): Promise<void> {
    const now = performance.now();
    if (now < this.#nextCheck) return;
    transaction.mark();
    let restored: readonly string[] = [];
    let said = '';
    try {
      restored = await restoreTriggers(new SqlExecutor('postgres', transaction.connection));
      transaction.release();
      if (restored.length > 0) said = restoredSentence(restored);
    } catch (error) {
      const fault = await transaction.undo();
      if (fault !== null) throw fault;
      const reason = error instanceof ServiceError ? error.message : String(error);
      said = `Triggers of the store could not be made again, see cardea doctor: ${reason}`;
    }
    // Those that were made again are looked at once more, as the transaction may be undone.
    if (restored.length === 0) this.#nextCheck = now + CHECK_MS;
    if (said !== '' && said !== this.#said) this.#onMended(said);
    this.#said = said;
  }
}

/**
 * Makes the triggers again in a database with the newest tables.
 * @returns their names
 * @throws ServiceError `unavailable` if the database cannot be reached
 */
export async function restoreTriggersOf(address: PostgresAddress): Promise<readonly string[]> {
  const pool = new PostgresPool(address, 1);
  try {
    const { transaction } = await PostgresTransaction.begin(pool);
    try {
      const restored = await restoreTriggers(new SqlExecutor('postgres', transaction.connection));
      await transaction.commit();
      return restored;
    } finally {
      await transaction.rollBack();
    }
  } finally {
    await pool.end();
  }
}

/** In the transaction of the caller. @returns the names of those that were missing or replaced */
async function restoreTriggers(executor: Executor): Promise<readonly string[]> {
  const tables = await executor.query(rawStatement(TABLES));
  const actual = new Map(tables.map(({ name, definition }) => [name, normalised(definition)]));
  const restored: string[] = [];
  // A table that is missing is named by what needs it, and by `doctor`.
  for (const table of CHECKED_NAMES.filter((name) => actual.has(name))) {
    const [, createFunction = '', createTrigger = ''] = checksumStatements('postgres', table);
    const body = createFunction.split('$$')[1] ?? '';
    const { columns } = CHECKED_TABLES[table];
    if (actual.get(table) === normalised(`${BEFORE_WRITE} O ${columns.length} ${body}`)) continue;
    for (const text of [createFunction, createTrigger]) {
      const replaced = text.replace(/^create /, 'create or replace ');
      await executor.query(rawStatement(sql.raw(replaced)));
    }
    restored.push(`${table}_written`);
  }
  return [...restored, ...(await restoreAppendOnly(executor))];
}

/** pg_trigger.tgtype: row 1, before 2, insert 4, update 16. */
const BEFORE_WRITE = 1 + 2 + 4 + 16;

/** The tables, and of the trigger of each when it fires and what it does. */
const TABLES = sql<{ name: string; definition: string }>`
  select relname::text as name,
    concat_ws(' ', tgtype, tgenabled, cardinality(tgattr::int2[]), prosrc, tgqual) as definition
  from pg_class
    left join pg_trigger on tgrelid = pg_class.oid and tgname = relname || '_written'
    left join pg_proc on pg_proc.oid = tgfoid
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')`;
