// Dynamic fields: the paths that documents of a tenant have besides those of the mapping, and a version
// that grows with each of them.
import type { Field } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import { type Executor, statement, tables } from '../sql/statement.ts';

/** Records fields that the tenant has not had before. */
export async function addDynamicFields(
  executor: Executor,
  tenantId: string,
  index: IndexName,
  fields: readonly Field[],
): Promise<void> {
  const { shared } = executor;
  const missing = shared
    ? fields.filter(({ path }) => !shared.isRecorded(tenantId, index, path))
    : fields;
  if (missing.length === 0) return;
  const inserts = [];
  for (let from = 0; from < missing.length; from += FIELD_ROWS) {
    const rows = missing.slice(from, from + FIELD_ROWS);
    const values = rows.flatMap(({ path, type, nested }, at) => [
      [`path${at}`, path] as const,
      [`type${at}`, type] as const,
      [`nested${at}`, nested] as const,
    ]);
    const parameters = { tenantId, index, ...Object.fromEntries(values) };
    const insert = INSERT_FIELDS[rows.length - 1] as (typeof INSERT_FIELDS)[number];
    inserts.push(executor.all(insert, parameters));
  }
  const added = (await Promise.all(inserts)).flat().length;
  if (added > 0) await executor.run(ADD_FIELDS_VERSION, { tenantId, added });
  const paths = missing.map(({ path }) => path);
  shared?.setRecorded(tenantId, index, paths);
}

/** Most fields of one statement. */
const FIELD_ROWS = 8;

/** By number of fields less one; their parameters are numbered from 0. */
const INSERT_FIELDS = Array.from({ length: FIELD_ROWS }, (_, last) =>
  statement((p: Readonly<Record<string, string | null>>) =>
    tables
      .insertInto('dynamic_field')
      .values(
        Array.from({ length: last + 1 }, (_value, at) => ({
          tenant_id: p['tenantId'] as string,
          index_name: p['index'] as string,
          path: p[`path${at}`] as string,
          type: p[`type${at}`] as string,
          nested: p[`nested${at}`] as string | null,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning('path'),
  ),
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
