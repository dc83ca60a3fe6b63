// The tables whose rows are computed from other records, and how: the checks compare them with what is
// computed, and `doctor --repair` computes them anew. Rows without which that cannot be done are not
// derived: they have checksums (row-checksum.ts), and profiles the number of their values.
// Invariant: each comparison holds while others write: it reads both sides in one statement, or what
// only grows last.
import { sql } from 'kysely';
import { isEndDamaged } from '../../service/ports/audit-chain.ts';
import type { StoreInconsistency } from '../../service/ports/store.ts';
import type { CheckedTableName } from '../sql/row-checksum.ts';
import type { Schema } from '../sql/schema.ts';
import { PUT_HEAD, storedEvent } from '../sql/shared-statements.ts';
import { type Executor, type Tree, tables } from '../sql/statement.ts';
import { countWrongHolders, mendHolders } from './capability-holders.ts';
import { countLostFields, learnFields } from './learnt-fields.ts';

interface DerivedTable {
  readonly kind: StoreInconsistency['kind'];
  /** The number of rows that are not as computed. */
  count(executor: Executor, pause: () => Promise<void>): Promise<number>;
  /** Computes these rows anew, in the transaction of the caller. */
  mend(executor: Executor): Promise<void>;
}

/** In the order in which they are mended. */
const DERIVED = {
  capability_holder: { kind: 'wrong', count: countWrongHolders, mend: mendHolders },
  dynamic_field: { kind: 'missing', count: countLostFields, mend: learnFields },
  dynamic_field_version: {
    kind: 'miscounted',
    count: async (executor) => (await versionsBehind(executor)).length,
    async mend(executor) {
      for (const { tenantId, fields } of await versionsBehind(executor)) {
        const row = { tenant_id: tenantId, version: fields };
        await executor.query(
          tables
            .insertInto('dynamic_field_version')
            .values(row)
            .onConflict((conflict) =>
              conflict.column('tenant_id').doUpdateSet({ version: fields }),
            ),
        );
      }
    },
  },
  document_count: {
    kind: 'miscounted',
    count: async (executor) => (await miscounted(executor)).length,
    async mend(executor) {
      for (const { tenantId, index, actual } of await miscounted(executor)) {
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
  },
  audit_head: {
    kind: 'miscounted',
    count: async (executor) => (await damagedHeads(executor)).length,
    async mend(executor) {
      for (const { tenantId, number, hash } of await damagedHeads(executor)) {
        await executor.run(PUT_HEAD, { tenantId, number, hash });
      }
    },
  },
} as const satisfies Partial<Readonly<Record<keyof Schema, DerivedTable>>>;

/** The tables that have neither checksums nor are derived, and what tells that their rows are damaged. */
export const OTHER_TABLES: Readonly<
  Record<Exclude<keyof Schema, CheckedTableName | keyof typeof DERIVED>, string>
> = {
  document: 'the checksum in its hash',
  audit_event: 'the chain of hashes',
  sequence_counter: 'sqlite/change-numbers.ts',
  store_writer: 'nothing: indexes are filled again from the documents',
  schema_migration: 'sql/schema-comparison.ts',
  search_run_part: 'the checksum of gzip',
  mirror_item: 'cardea mirror --verify; cardea mirror --full writes the rows again',
  audit_export: 'nothing: events are delivered again',
  purge_state: 'nothing: a mark and a clock that are made again',
  event_purge: 'nothing: written again with the next purge',
  custom_capability: 'nothing: without use',
};

/** The tables that the checks compare with what they are computed from. */
export const DERIVED_NAMES = Object.keys(DERIVED) as readonly (keyof typeof DERIVED)[];

/** Derived tables with rows that are not as computed. */
export async function wrongRows(
  executor: Executor,
  pause = executor.pause,
): Promise<readonly StoreInconsistency[]> {
  const wrong: StoreInconsistency[] = [];
  for (const table of DERIVED_NAMES) {
    const rows = await DERIVED[table].count(executor, pause);
    if (rows > 0) wrong.push({ kind: DERIVED[table].kind, table, rows });
    await pause();
  }
  return wrong;
}

/** Computes all rows anew that are not as computed. */
export async function mendDerivedRows(executor: Executor): Promise<void> {
  for (const table of DERIVED_NAMES) await DERIVED[table].mend(executor);
}

/** Tenants with more fields than were counted, so that mappings which lack some pass for new. */
async function versionsBehind(executor: Executor) {
  const fields = tables
    .selectFrom('dynamic_field')
    .select((row) => ['tenant_id', row.fn.countAll<number>().as('number')])
    .groupBy('tenant_id');
  const rows = await executor.query(
    tables
      .selectFrom(fields.as('field'))
      .leftJoin('dynamic_field_version as counted', 'counted.tenant_id', 'field.tenant_id')
      .where((row) =>
        row.or([
          row('counted.version', 'is', null),
          row('counted.version', '<', row.ref('field.number')),
        ]),
      )
      .select(['field.tenant_id', 'field.number']),
  );
  return rows.map((row) => ({ tenantId: row.tenant_id, fields: Number(row.number) }));
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

/** By tenant and index: how many documents there are, where another number is recorded. */
async function miscounted(executor: Executor): Promise<
  readonly {
    readonly tenantId: string;
    readonly index: string;
    readonly actual: number;
  }[]
> {
  const recorded = tables
    .selectFrom('document_count')
    .select(['tenant_id', 'index_name', 'documents', sql<string>`'recorded'`.as('side')]);
  const actual = tables
    .selectFrom('document')
    .where('hash', 'is not', null)
    .groupBy(['tenant_id', 'index_name'])
    .select((row) => [
      'tenant_id',
      'index_name',
      row.fn.countAll<number>().as('documents'),
      sql<string>`'actual'`.as('side'),
    ]);
  const both = recorded.unionAll(actual) as unknown as Tree<{
    tenant_id: string;
    index_name: string;
    documents: number;
    side: 'recorded' | 'actual';
  }>;
  const all = new Map<
    string,
    { tenantId: string; index: string; recorded: number; actual: number }
  >();
  for (const row of await executor.query(both)) {
    const [tenantId, index] = [row.tenant_id, row.index_name];
    const key = `${index} ${tenantId}`;
    const count = all.get(key) ?? { tenantId, index, recorded: 0, actual: 0 };
    count[row.side] = Number(row.documents);
    all.set(key, count);
  }
  return [...all.values()].filter((count) => count.recorded !== count.actual);
}
