// Dynamic fields: the paths that documents of a tenant have besides those of the mapping, and a version
// that grows with each of them.
import { type OnConflictBuilder, sql } from 'kysely';
import type { Field } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import type { Schema } from '../schema.ts';
import { type Executor, statement, tables } from '../statement.ts';

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
    const last = rows.length - 1;
    if (shared !== null && executor.dialect === 'postgres') {
      // Without waiting for the database, which would cost each transaction a round trip.
      await executor.post(ADD_MISSING_TO_VERSION[last] as FieldsStatement, [parameters]);
      await executor.post(INSERT_FIELDS[last] as (typeof INSERT_FIELDS)[number], [parameters]);
    } else {
      inserts.push(executor.all(INSERT_FIELDS[last] as (typeof INSERT_FIELDS)[number], parameters));
    }
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

/** Adds the version of the row to that of the tenant. */
function addToVersion(conflict: OnConflictBuilder<Schema, 'dynamic_field_version'>) {
  return conflict.column('tenant_id').doUpdateSet((row) => ({
    version: row('dynamic_field_version.version', '+', row.ref('excluded.version')),
  }));
}

type FieldsStatement = (typeof ADD_MISSING_TO_VERSION)[number];

/** Adds the number of fields that `INSERT_FIELDS` with the same parameters will insert. */
const ADD_MISSING_TO_VERSION = Array.from({ length: FIELD_ROWS }, (_, last) =>
  statement((p: Readonly<Record<string, string | null>>) => {
    const paths = Array.from({ length: last + 1 }, (_value, at) => sql`select ${p[`path${at}`]}`);
    const missing = sql<{ path: string }>`(${sql.join(paths, sql` union `)})`;
    return tables
      .insertInto('dynamic_field_version')
      .columns(['tenant_id', 'version'])
      .expression(
        tables
          .selectFrom(missing.as<'missing'>(sql`missing (path)`))
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('dynamic_field')
                  .select('dynamic_field.path')
                  .where('dynamic_field.tenant_id', '=', p['tenantId'] as string)
                  .where('dynamic_field.index_name', '=', p['index'] as string)
                  .whereRef('dynamic_field.path', '=', 'missing.path'),
              ),
            ),
          )
          .having((row) => row.fn.countAll(), '>', 0)
          .select((row) => [
            sql<string>`${p['tenantId']}`.as('tenant_id'),
            row.fn.countAll<number>().as('version'),
          ]),
      )
      .onConflict(addToVersion);
  }),
);

const ADD_FIELDS_VERSION = statement((p: { tenantId: string; added: number }) =>
  tables
    .insertInto('dynamic_field_version')
    .values({ tenant_id: p.tenantId, version: p.added })
    .onConflict(addToVersion),
);
