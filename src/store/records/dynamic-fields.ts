// Dynamic fields: the paths that documents of a tenant have besides those of the mapping, their kinds,
// which widen with the values of later documents, and a version that grows with each change of them, by a
// random step: a store that was restored to an older state does not get to a version that it had before,
// with other fields (service/documents/mapping-cache.ts).
// Invariant: whatever the order in which values come, the kind is the same, and no process narrows it.
import { randomInt } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Field, type FieldType, widerKind } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import type { ChangedField } from '../../service/ports/store.ts';
import { type Executor, statement, tables } from '../sql/statement.ts';

/** Records fields that the tenant has not had before, and widens the kind of others. */
export async function addDynamicFields(
  executor: Executor,
  tenantId: string,
  index: IndexName,
  fields: readonly Field[],
): Promise<void> {
  const { shared } = executor;
  const missing = joined(fields).filter(
    (field) => shared?.isRecorded(tenantId, index, nameOf(field)) !== true,
  );
  if (missing.length === 0) return;
  const inserts = [];
  const since = Date.now();
  for (let from = 0; from < missing.length; from += FIELD_ROWS) {
    const rows = missing.slice(from, from + FIELD_ROWS);
    const values = rows.flatMap(({ path, type, nested }, at) => [
      [`path${at}`, path] as const,
      [`type${at}`, type] as const,
      [`nested${at}`, nested] as const,
    ]);
    const parameters = { tenantId, index, since, ...Object.fromEntries(values) };
    const insert = INSERT_FIELDS[rows.length - 1] as (typeof INSERT_FIELDS)[number];
    inserts.push(executor.all(insert, parameters));
  }
  const added = (await Promise.all(inserts)).flat().length;
  if (added > 0) {
    await executor.run(ADD_FIELDS_VERSION, { tenantId, added: added + randomInt(STEP_MAX) });
  }
  shared?.setRecorded(tenantId, index, missing.map(nameOf));
}

/** Sets the kind of a field, which has changed then as one that widened. @returns whether it exists */
export async function setFieldKind(
  executor: Executor,
  tenantId: string,
  index: IndexName,
  path: string,
  type: FieldType,
): Promise<boolean> {
  const [updated] = await executor.all(SET_KIND, { tenantId, index, path, type });
  if (updated === undefined) return false;
  await executor.run(ADD_FIELDS_VERSION, { tenantId, added: 1 });
  return true;
}

/** The same fields, each path once. */
function joined(fields: readonly Field[]): readonly Field[] {
  const byPath = new Map<string, Field>();
  for (const field of fields) {
    const type = widerKind(byPath.get(field.path)?.type ?? field.type, field.type);
    byPath.set(field.path, type === field.type ? field : { ...field, type });
  }
  return [...byPath.values()];
}

const nameOf = ({ path, type }: Field) => `${type} ${path}`;

const STEP_MAX = 2 ** 20;
/** Most fields of one statement. */
const FIELD_ROWS = 8;

/** As `widerKind`, of kinds that differ. */
const WIDER: RawBuilder<string> = sql`case when dynamic_field.type in ('long', 'double') and excluded.type in ('long', 'double') then 'double' else 'text' end`;
const WIDENS: RawBuilder<SqlBool> = sql`dynamic_field.type not in ('text', excluded.type) and not (dynamic_field.type = 'double' and excluded.type = 'long')`;
/** Documents from before the first change of several may still be indexed by the first kind. */
const INDEXED_AS: RawBuilder<string> = sql`coalesce(dynamic_field.indexed_as, dynamic_field.type)`;

/** By number of fields less one; their parameters are numbered from 0. */
const INSERT_FIELDS = Array.from({ length: FIELD_ROWS }, (_, last) =>
  statement((p: Readonly<Record<string, string | number | null>>) =>
    tables
      .insertInto('dynamic_field')
      .values(
        Array.from({ length: last + 1 }, (_value, at) => ({
          tenant_id: p['tenantId'] as string,
          index_name: p['index'] as string,
          path: p[`path${at}`] as string,
          type: p[`type${at}`] as string,
          nested: p[`nested${at}`] as string | null,
          since: p['since'] as number,
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'index_name', 'path'])
          .doUpdateSet({ type: WIDER, indexed_as: INDEXED_AS })
          .where(WIDENS),
      )
      .returning('path'),
  ),
);

const SET_KIND = statement(
  (p: { tenantId: string; index: IndexName; path: string; type: FieldType }) =>
    tables
      .updateTable('dynamic_field')
      .set({ type: p.type, indexed_as: INDEXED_AS })
      .where('tenant_id', '=', p.tenantId)
      .where('index_name', '=', p.index)
      .where('path', '=', p.path)
      .returning('path'),
);

const ADD_FIELDS_VERSION = statement((p: { tenantId: string; added: number }) =>
  tables
    .insertInto('dynamic_field_version')
    .values({ tenant_id: p.tenantId, version: p.added })
    .onConflict((conflict) =>
      conflict.column('tenant_id').doUpdateSet((row) => ({
        version: row('dynamic_field_version.version', '+', row.ref('excluded.version')),
      })),
    ),
);

/** The fields of all tenants whose documents may still be indexed by another kind than they have. */
export async function changedFields(executor: Executor): Promise<readonly ChangedField[]> {
  const rows = await executor.all(SELECT_CHANGED, {});
  return rows.map(({ tenant_id, index_name, path, type, nested, indexed_as }) => ({
    ...{ tenantId: tenant_id, index: index_name as IndexName, indexedAs: indexed_as as FieldType },
    field: { path, type: type as FieldType, nested, dynamic: true },
  }));
}

const SELECT_CHANGED = statement((_: Readonly<Record<string, never>>) =>
  tables.selectFrom('dynamic_field').selectAll().where('indexed_as', 'is not', null),
);

/** All documents are indexed by the kind of the field, unless it has changed again. */
export async function endChange(executor: Executor, changed: ChangedField): Promise<void> {
  const { tenantId, index, field } = changed;
  await executor.run(END_CHANGE, { tenantId, index, path: field.path, type: field.type });
}

const END_CHANGE = statement((p: { tenantId: string; index: string; path: string; type: string }) =>
  tables
    .updateTable('dynamic_field')
    .set({ indexed_as: null })
    .where('tenant_id', '=', p.tenantId)
    .where('index_name', '=', p.index)
    .where('path', '=', p.path)
    .where('type', '=', p.type),
);
