// Snapshots of a tenant, for tests. Small tables are rewritten if they differ; documents are
// compared by their sequence, so a restore costs as much as what changed since the snapshot.
// Invariant: sequence numbers only grow, also across a restore.
import { ServiceError } from '../../errors.ts';
import type {
  TenantSnapshot,
  WritableSnapshotRecords,
} from '../../service/ports/snapshot-records.ts';
import type { DocumentTable, Schema } from '../sql/schema.ts';
import { SELECT_COUNTER } from '../sql/shared-statements.ts';
import { type Executor, statement, tables } from '../sql/statement.ts';
import { takeSequences } from './document-records.ts';
import { purgeRecords } from './purge-records.ts';

/**
 * How a restore treats each table. `rewrite`: the rows of the tenant are replaced if they differ.
 * `own`: by code of its own. `keep`: it belongs to the installation, or records the audit trail,
 * which nothing rewrites. A table that is missing here does not compile.
 */
const TREATMENT: Readonly<Record<keyof Schema, 'rewrite' | 'own' | 'keep'>> = {
  auth_user: 'rewrite',
  capability_holder: 'rewrite',
  custom_capability: 'rewrite',
  credential: 'rewrite',
  refresh_token: 'rewrite',
  revoked_token: 'rewrite',
  absent_user: 'rewrite',
  document: 'own',
  document_count: 'rewrite',
  dynamic_field: 'rewrite',
  dynamic_field_version: 'own',
  event_purge: 'rewrite',
  mirror: 'rewrite',
  mirror_part: 'rewrite',
  mirror_item: 'rewrite',
  profile_type: 'rewrite',
  ne_attribute: 'rewrite',
  ne_attribute_option: 'rewrite',
  profile: 'rewrite',
  profile_value: 'rewrite',
  profile_user: 'rewrite',
  profile_role: 'rewrite',
  user_role: 'rewrite',
  role_profile: 'rewrite',
  user_profile: 'rewrite',
  user_manager: 'rewrite',
  risk_level: 'rewrite',
  risk_score: 'rewrite',
  advanced_search: 'rewrite',
  job: 'rewrite',
  saved_search: 'rewrite',
  scheduled_search: 'rewrite',
  search_run: 'rewrite',
  search_run_part: 'rewrite',
  search_delivery: 'rewrite',
  dashboard: 'rewrite',
  document_view: 'rewrite',
  schema_migration: 'keep',
  tenant: 'keep',
  signing_key: 'keep',
  sequence_counter: 'keep',
  store_writer: 'keep',
  audit_export: 'keep',
  purge_state: 'keep',
  audit_event: 'keep',
  audit_head: 'keep',
};

const TABLES = Object.keys(TREATMENT) as (keyof Schema)[];
const REWRITTEN = TABLES.filter((table) => TREATMENT[table] === 'rewrite');
/** Tables whose rows belong to a tenant. */
export const OF_A_TENANT = TABLES.filter((table) => TREATMENT[table] !== 'keep');

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Rows of one statement: databases limit its parameters. */
const INSERT_ROWS = 50;

export function snapshotRecords(executor: Executor): WritableSnapshotRecords {
  return {
    async tenantSnapshot(tenantId, documentsMax) {
      const { sequence, purgedSequence } = await sequencesOf(executor);
      const count = await executor.get(COUNT_DOCUMENTS, { tenantId });
      const documents = Number(count?.documents ?? 0);
      if (documents > documentsMax) {
        throw new ServiceError('limit_violation', 'The tenant is too large for a snapshot.', {
          causes: [`it holds ${documents} documents; a snapshot at most ${documentsMax}`],
        });
      }
      const rows = new Map<string, Rows>();
      for (const table of REWRITTEN) rows.set(table, await rowsOf(executor, table, tenantId));
      rows.set('document', await executor.all(SELECT_DOCUMENTS, { tenantId, after: 0 }));
      return { tenantId, sequence, purgedSequence, documents, rows };
    },
    async restoreTenant(snapshot) {
      const { purgedSequence } = await sequencesOf(executor);
      if (purgedSequence > snapshot.purgedSequence) {
        throw new ServiceError(
          'unavailable',
          'Deletions since the snapshot are no longer recorded: take a new snapshot.',
        );
      }
      for (const table of REWRITTEN) await restoreTable(executor, table, snapshot);
      await restoreDocuments(executor, snapshot);
    },
  };
}

async function sequencesOf(executor: Executor) {
  const row = await executor.get(SELECT_COUNTER, {});
  const purgedSequence = await purgeRecords(executor).purgedSequence();
  return { sequence: Number(row?.value ?? 0), purgedSequence };
}

function rowsOf(
  executor: Executor,
  table: (typeof REWRITTEN)[number],
  tenantId: string,
): Promise<Rows> {
  // One of many tables with the same columns: Kysely cannot infer the union.
  const query = tables
    .selectFrom(table as 'job')
    .selectAll()
    .where('tenant_id', '=', tenantId);
  return executor.query(query) as Promise<Rows>;
}

async function restoreTable(
  executor: Executor,
  table: (typeof REWRITTEN)[number],
  { tenantId, rows }: TenantSnapshot,
): Promise<void> {
  const snapshotRows = (rows.get(table) ?? []) as Rows;
  const current = await rowsOf(executor, table, tenantId);
  if (sameRows(current, snapshotRows)) return;
  const name = table as 'job';
  await executor.query(tables.deleteFrom(name).where('tenant_id', '=', tenantId));
  for (let from = 0; from < snapshotRows.length; from += INSERT_ROWS) {
    const part = snapshotRows.slice(from, from + INSERT_ROWS);
    await executor.query(tables.insertInto(name).values(part as never));
  }
  if (table === 'dynamic_field') await executor.run(RAISE_FIELDS_VERSION, { tenantId });
}

/** Compares rows in any order. */
function sameRows(a: Rows, b: Rows): boolean {
  if (a.length !== b.length) return false;
  const texts = new Set(a.map((row) => JSON.stringify(row)));
  return b.every((row) => texts.has(JSON.stringify(row)));
}

/** Gives every document that changed since the snapshot its content of then, or a tombstone. */
async function restoreDocuments(
  executor: Executor,
  { tenantId, sequence: after, rows }: TenantSnapshot,
): Promise<void> {
  const keyOf = ({ index_name, id }: Pick<DocumentTable, 'index_name' | 'id'>) =>
    `${index_name} ${id}`;
  const documents = new Map(
    ((rows.get('document') ?? []) as readonly DocumentTable[]).map((row) => [keyOf(row), row]),
  );
  const changed = await executor.all(SELECT_DOCUMENTS, { tenantId, after });
  const restored = changed.flatMap((row) => {
    const before = documents.get(keyOf(row));
    if (before !== undefined) return [before];
    return row.hash === null ? [] : [{ ...row, hash: null, root: null, nested: null }];
  });
  if (restored.length === 0) return;
  let sequence = (await takeSequences(executor, restored.length)) - restored.length;
  await executor.each(
    UPDATE_DOCUMENT,
    restored.map(({ index_name: index, id, hash, root, nested }) => {
      sequence += 1;
      return { tenantId, index, id, sequence, hash, root, nested };
    }),
  );
}

const COUNT_DOCUMENTS = statement((p: { tenantId: string }) =>
  tables
    .selectFrom('document_count')
    .select((row) => row.fn.sum<number>('documents').as('documents'))
    .where('tenant_id', '=', p.tenantId),
);

const SELECT_DOCUMENTS = statement((p: { tenantId: string; after: number }) =>
  tables
    .selectFrom('document')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .where('sequence', '>', p.after),
);

const UPDATE_DOCUMENT = statement(
  (p: {
    tenantId: string;
    index: string;
    id: string;
    sequence: number;
    hash: Uint8Array | null;
    root: Uint8Array | null;
    nested: Uint8Array | null;
  }) =>
    tables
      .updateTable('document')
      .set({ sequence: p.sequence, hash: p.hash, root: p.root, nested: p.nested })
      .where('tenant_id', '=', p.tenantId)
      .where('index_name', '=', p.index)
      .where('id', '=', p.id),
);

const RAISE_FIELDS_VERSION = statement((p: { tenantId: string }) =>
  tables
    .updateTable('dynamic_field_version')
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('tenant_id', '=', p.tenantId),
);
