// Constraints between tables that the database does not enforce: records belong to an existing
// tenant and owner, and counters equal the rows they count. `doctor` checks and repairs them.
// Invariant: rows removed as stray were unreachable, and not because the row of their tenant was lost:
// a tenant that has an audit trail was there, and only a backup has it still (`verifyAuditDatabase`).
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { isEndDamaged } from '../service/ports/audit-chain.ts';
import type { StoreInconsistency, WritableRecords } from '../service/ports/store.ts';
import type { Schema } from './sql/schema.ts';
import { PUT_HEAD, storedEvent } from './sql/shared-statements.ts';
import { type Executor, type SqlValue, tables } from './sql/statement.ts';

export type ConsistencyRecords = Pick<WritableRecords, 'inconsistencies' | 'repairInconsistencies'>;

type AnyTables = Record<string, Record<string, SqlValue>>;
const anyTable = tables as unknown as Kysely<AnyTables>;

/** Rows of `table` whose `columns` match no row of `parent` by its `keys` are stray. */
interface Relation {
  readonly table: keyof Schema;
  readonly columns: readonly string[];
  readonly parent: keyof Schema;
  readonly keys: readonly string[];
}

const OF_A_TENANT: readonly (keyof Schema)[] = [
  ...(['auth_user', 'capability_holder', 'custom_capability'] as const),
  ...(['personal_access_token', 'oauth_client', 'refresh_token', 'api_key'] as const),
  ...(['revoked_token', 'absent_user'] as const),
  ...(['document', 'document_count', 'dynamic_field', 'dynamic_field_version'] as const),
  ...(['event_purge', 'mirror', 'mirror_part', 'mirror_item'] as const),
  ...(['profile_type', 'ne_attribute', 'ne_attribute_option', 'profile', 'profile_value'] as const),
  ...(['profile_user', 'profile_role', 'user_role', 'role_profile', 'user_profile'] as const),
  ...(['user_manager', 'risk_level', 'risk_score', 'advanced_search', 'job'] as const),
  ...(['saved_search', 'scheduled_search', 'search_run', 'search_run_part'] as const),
  ...(['search_delivery', 'dashboard', 'document_view'] as const),
];

const RELATIONS: readonly Relation[] = [
  ...OF_A_TENANT.map((table): Relation => {
    return { table, columns: ['tenant_id'], parent: 'tenant', keys: ['id'] };
  }),
  relation('capability_holder', 'auth_user_id', 'auth_user'),
  relation('personal_access_token', 'owner_id', 'auth_user'),
  relation('refresh_token', 'client_id', 'oauth_client'),
  relation('profile_value', 'profile_id', 'profile'),
  relation('scheduled_search', 'saved_search_id', 'saved_search'),
  relation('search_run', 'saved_search_id', 'saved_search'),
  relation('search_run_part', 'run_id', 'search_run'),
  relation('search_delivery', 'run_id', 'search_run'),
];

function relation(table: keyof Schema, column: string, parent: keyof Schema): Relation {
  return { table, columns: ['tenant_id', column], parent, keys: ['tenant_id', 'id'] };
}

export function consistencyRecords(executor: Executor): ConsistencyRecords {
  return {
    async inconsistencies() {
      const inconsistencies: StoreInconsistency[] = [];
      for (const relation of RELATIONS) {
        const query = anyTable
          .selectFrom(relation.table)
          .where((row) => isStray(row, relation))
          .select((row) => row.fn.countAll().as('rows'));
        const rows = Number((await executor.query(query))[0]?.rows);
        if (rows > 0) inconsistencies.push({ kind: 'stray', table: relation.table, rows });
        await executor.pause();
      }
      const miscounted = (await counts(executor)).filter(
        ({ recorded, actual }) => recorded !== actual,
      );
      if (miscounted.length > 0) {
        inconsistencies.push({
          kind: 'miscounted',
          table: 'document_count',
          rows: miscounted.length,
        });
      }
      const heads = await damagedHeads(executor);
      if (heads.length > 0) {
        inconsistencies.push({ kind: 'miscounted', table: 'audit_head', rows: heads.length });
      }
      return inconsistencies;
    },
    async repairInconsistencies() {
      for (const relation of RELATIONS) {
        await executor.query(
          anyTable.deleteFrom(relation.table).where((row) => isStray(row, relation)),
        );
      }
      for (const { tenantId, number, hash } of await damagedHeads(executor)) {
        await executor.run(PUT_HEAD, { tenantId, number, hash });
      }
      for (const { tenantId, index, recorded, actual } of await counts(executor)) {
        if (recorded === actual) continue;
        const key = { tenant_id: tenantId, index_name: index };
        await executor.query(
          tables
            .insertInto('document_count')
            .values({ ...key, documents: actual })
            .onConflict((conflict) =>
              conflict.columns(['tenant_id', 'index_name']).doUpdateSet({ documents: actual }),
            ),
        );
      }
    },
  };
}

function isStray(
  row: ExpressionBuilder<AnyTables, string>,
  { table, columns, parent, keys }: Relation,
): Expression<SqlBool> {
  let owner = row.selectFrom(parent).select(sql<number>`1`.as('one'));
  for (const [at, key] of keys.entries()) {
    owner = owner.whereRef(`${parent}.${key}`, '=', `${table}.${columns[at]}`);
  }
  const isOwned = row.exists(owner);
  if (parent !== 'tenant') return row.not(isOwned);
  const trail = row
    .selectFrom('audit_event')
    .select(sql<number>`1`.as('one'))
    .whereRef('audit_event.tenant_id', '=', `${table}.tenant_id`);
  return row.not(row.or([isOwned, row.exists(trail)]));
}

/**
 * The last event of each tenant whose recorded end is damaged, so that no event can be added. An end
 * beyond the events stays if it is of none of them: it shows that some were removed.
 */
async function damagedHeads(
  executor: Executor,
): Promise<
  readonly { readonly tenantId: string; readonly number: number; readonly hash: string }[]
> {
  const last = tables
    .selectFrom('audit_event')
    .select((row) => ['tenant_id', row.fn.max('number').as('number')])
    .groupBy('tenant_id');
  const rows = await executor.query(
    tables
      .selectFrom(last.as('last'))
      .innerJoin('audit_event', (join) =>
        join
          .onRef('audit_event.tenant_id', '=', 'last.tenant_id')
          .onRef('audit_event.number', '=', 'last.number'),
      )
      .leftJoin('audit_head', 'audit_head.tenant_id', 'audit_event.tenant_id')
      .selectAll('audit_event')
      .select(['audit_head.number as end_number', 'audit_head.hash as end_hash']),
  );
  return rows.flatMap(({ end_number: number, end_hash: hash, ...row }) => {
    const recorded = number === null ? null : { number: Number(number), hash: hash ?? '' };
    const event = storedEvent({ ...row, number: Number(row.number) });
    return isEndDamaged(recorded, event) ? [event] : [];
  });
}

/** By tenant and index: how many documents the counter records and how many there are. */
async function counts(executor: Executor): Promise<
  readonly {
    readonly tenantId: string;
    readonly index: string;
    readonly recorded: number;
    readonly actual: number;
  }[]
> {
  const recorded = await executor.query(
    tables.selectFrom('document_count').select(['tenant_id', 'index_name', 'documents']),
  );
  const actual = await executor.query(
    tables
      .selectFrom('document')
      .where('hash', 'is not', null)
      .groupBy(['tenant_id', 'index_name'])
      .select(['tenant_id', 'index_name'])
      .select((row) => row.fn.countAll().as('documents')),
  );
  const all = new Map<
    string,
    { tenantId: string; index: string; recorded: number; actual: number }
  >();
  const entry = (tenantId: string, index: string) => {
    const key = `${index} ${tenantId}`;
    const count = all.get(key) ?? { tenantId, index, recorded: 0, actual: 0 };
    all.set(key, count);
    return count;
  };
  for (const row of recorded) entry(row.tenant_id, row.index_name).recorded = Number(row.documents);
  for (const row of actual) entry(row.tenant_id, row.index_name).actual = Number(row.documents);
  return [...all.values()];
}
