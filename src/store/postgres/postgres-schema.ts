// Compares the schema of the store with what the migrations make in an empty schema, in a transaction
// that is rolled back.
// Invariant: the database is not changed. Objects of extensions are not compared.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { migrate, stepsOf } from '../migrate.ts';
import { SqlExecutor } from '../sql/executor.ts';
import { type SchemaPart, schemaFaults } from '../sql/schema-comparison.ts';
import { type Executor, rawStatement } from '../sql/statement.ts';
import { PostgresTransaction } from './postgres-driver.ts';
import { postgresMigrations } from './postgres-migrations.ts';
import { type PostgresAddress, PostgresPool } from './postgres-pool.ts';

/**
 * Returns the differences between the schema and that of the migrations which were applied to it, one
 * sentence each; none without a store.
 * @returns null if the user may not create schemas in the database
 * @throws ServiceError `unavailable` if the database cannot be reached, or belongs to a newer version
 */
export async function postgresSchemaFaults(
  address: PostgresAddress,
): Promise<readonly string[] | null> {
  const steps = stepsOf(await postgresMigrations(address));
  if (steps.length === 0) return [];
  const pool = new PostgresPool(address, 1);
  try {
    const { transaction } = await PostgresTransaction.begin(pool);
    try {
      const executor = new SqlExecutor('postgres', transaction.connection);
      const [current] = await executor.query(rawStatement(CURRENT));
      if (current === undefined || !current.creatable) return null;
      await enter(executor, current.schema);
      const actual = await executor.query(rawStatement(PARTS));
      const empty = `cardea_${randomUUID()}`;
      await executor.query(rawStatement(sql`create schema ${sql.ref(empty)}`));
      await enter(executor, empty);
      await migrate('postgres', executor, steps);
      return schemaFaults(await executor.query(rawStatement(PARTS)), actual);
    } finally {
      await transaction.rollBack();
    }
  } finally {
    await pool.end();
  }
}

const CURRENT = sql<{ schema: string; creatable: boolean }>`
  select current_schema()::text as schema,
    has_database_privilege(current_database(), 'create') as creatable`;

/** Makes it the only schema of the path, so that the catalog prints its names without it. */
async function enter(executor: Executor, schema: string): Promise<void> {
  await executor.query(
    rawStatement(sql`select set_config('search_path', quote_ident(${schema}::text), true)`),
  );
}

/**
 * The parts of the schema at the head of the path. A view may be in any schema; a foreign key belongs to
 * both of its tables.
 */
const PARTS = sql<SchemaPart>`
  with relation as (
    select oid, relname::text as name, relkind, relpersistence, relrowsecurity, relforcerowsecurity
    from pg_class where relkind in ('r', 'p', 'f')
      and relnamespace = (select oid from pg_namespace where nspname = current_schema())
  ), part as (
    select 'pg_class'::regclass as class, oid, 'table' as kind, name as "table", name,
      concat_ws(' ', relkind, relpersistence, relrowsecurity, relforcerowsecurity,
        (select count(*) from pg_inherits where relation.oid in (inhrelid, inhparent))) as definition,
      null as statement
    from relation
    union all
    select 'pg_attribute'::regclass, attrelid, 'column', name, attname,
      concat_ws(' ', format_type(atttypid, atttypmod), attnotnull, attcollation::regcollation,
        attgenerated, attidentity, pg_get_expr(adbin, adrelid, true)),
      null
    from relation join pg_attribute on attrelid = relation.oid and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    union all
    select 'pg_class'::regclass, indexrelid, 'index', name, relname,
      concat_ws(' ', pg_get_indexdef(indexrelid, 0, true), indisvalid, indisready, indimmediate),
      pg_get_indexdef(indexrelid, 0, true)
    from relation join pg_index on indrelid = relation.oid join pg_class on pg_class.oid = indexrelid
    union all
    select 'pg_constraint'::regclass, pg_constraint.oid, 'constraint', name,
      case conrelid when relation.oid then conname else conrelid::regclass || '.' || conname end,
      pg_get_constraintdef(pg_constraint.oid, true), null
    from relation join pg_constraint on relation.oid in (conrelid, confrelid)
    where contype in ('c', 'f')
    union all
    select 'pg_trigger'::regclass, pg_trigger.oid, 'trigger', name, tgname,
      concat_ws(' ', pg_get_triggerdef(pg_trigger.oid, true), tgenabled, prosrc),
      pg_get_triggerdef(pg_trigger.oid, true)
    from relation join pg_trigger on tgrelid = relation.oid and not tgisinternal
      join pg_proc on pg_proc.oid = tgfoid
    union all
    select 'pg_rewrite'::regclass, pg_rewrite.oid, 'rule', name, rulename,
      pg_get_ruledef(pg_rewrite.oid, true), null
    from relation join pg_rewrite on ev_class = relation.oid
    union all
    select 'pg_policy'::regclass, pg_policy.oid, 'policy', name, polname, '', null
    from relation join pg_policy on polrelid = relation.oid
    union all
    select distinct 'pg_class'::regclass, ev_class, 'view', name, ev_class::regclass::text, '', null
    from relation join pg_depend on refclassid = 'pg_class'::regclass and refobjid = relation.oid
        and classid = 'pg_rewrite'::regclass
      join pg_rewrite on pg_rewrite.oid = objid
      join pg_class on pg_class.oid = ev_class and pg_class.relkind in ('v', 'm')
        and pg_class.relpersistence <> 't'
  )
  select kind, "table", name::text, definition, statement from part
  where not exists (
    select from pg_depend where classid = part.class and objid = part.oid and deptype in ('e', 'x')
  )`;
