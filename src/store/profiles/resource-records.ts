// Records of profile management in their tables; the statements of each table are built once from
// its description (resource-tables.ts). Deleting a record also deletes or clears the references to
// it, in the same transaction.
import type { WritableResources } from '../../service/ports/resource-records.ts';
import type { ReferableKind, ResourceKind } from '../../service/ports/resources.ts';
import { parametersOf } from '../sql/keyed-rows.ts';
import {
  type Executor,
  type Parameters,
  type Statement,
  statement,
  tables,
} from '../sql/statement.ts';
import { readPage } from './page-query.ts';
import { ITEMS_GONE, UNCOUNT_ATTRIBUTE, UNCOUNT_REFERRING } from './profile-values.ts';
import {
  columnsOf,
  comparedColumn,
  RESOURCE_TABLES,
  type ResourceTableName,
  recordOf,
  rowOf,
} from './resource-tables.ts';

export function resourceRecords(executor: Executor): WritableResources {
  return {
    async resource(tenantId, kind, idOrUid) {
      const { byId, byUid } = STATEMENTS[kind];
      const row =
        (await executor.get(byId, { tenantId, key: idOrUid })) ??
        (await executor.get(byUid, { tenantId, key: idOrUid }));
      return row === undefined ? null : recordOf<typeof kind>(RESOURCE_TABLES[kind], row);
    },
    async resourceId(tenantId, kind, idOrUid) {
      const { id, idOfUid } = KEYS[kind];
      const row =
        (await executor.get(id, { tenantId, key: idOrUid })) ??
        (await executor.get(idOfUid, { tenantId, key: idOrUid }));
      return row?.id ?? null;
    },
    async resourcePage(tenantId, kind, query) {
      const spec = RESOURCE_TABLES[kind];
      const compared = (member: string) => comparedColumn(spec, member);
      const page = await readPage(executor, { table: spec.name, compared }, tenantId, query);
      return { ...page, rows: page.rows.map((row) => recordOf<typeof kind>(spec, row)) };
    },
    async countProfilesOfType(tenantId, profileTypeId) {
      const row = await executor.get(COUNT_PROFILES, { tenantId, profileTypeId });
      return Number(row?.profiles ?? 0);
    },
    async addResource(tenantId, kind, record) {
      await executor.run(STATEMENTS[kind].insert, {
        tenant_id: tenantId,
        ...rowOf(RESOURCE_TABLES[kind], record),
      });
    },
    async updateResource(tenantId, kind, record) {
      await executor.run(STATEMENTS[kind].update, {
        tenant_id: tenantId,
        ...rowOf(RESOURCE_TABLES[kind], record),
      });
    },
    async deleteResource(tenantId, kind, id) {
      for (const cleared of DEPENDENTS[kind] ?? []) await executor.run(cleared, { tenantId, id });
      return (await executor.run(STATEMENTS[kind].remove, { tenantId, id })) > 0;
    },
  };
}

type Row = Record<string, unknown>;
type Keyed = { tenantId: string; key: string };
type Owned = { tenantId: string; id: string };

/** All tables have the columns that are named here; Kysely needs the name of one of them. */
const ANY = 'profile_user';

function statementsOf(kind: ResourceKind) {
  const spec = RESOURCE_TABLES[kind];
  const table = spec.name as typeof ANY;
  const columns = columnsOf(spec);
  const changeable = columns.filter((name) => !['id', 'uid', 'created_at'].includes(name));
  const select = (column: 'id' | 'uid') =>
    statement((p: Keyed) =>
      tables
        .selectFrom(table)
        .selectAll()
        .where('tenant_id', '=', p.tenantId)
        .where(column, '=', p.key),
    ) as Statement<Keyed, Row>;
  return {
    byId: select('id'),
    byUid: select('uid'),
    insert: statement((p: Parameters) =>
      tables.insertInto(table).values(parametersOf(p, ['tenant_id', ...columns]) as never),
    ),
    update: statement((p: Parameters) =>
      tables
        .updateTable(table)
        .set(parametersOf(p, changeable) as never)
        .where('tenant_id', '=', p['tenant_id'] as string)
        .where('id', '=', p['id'] as string),
    ),
    remove: statement((p: Owned) =>
      tables.deleteFrom(table).where('tenant_id', '=', p.tenantId).where('id', '=', p.id),
    ),
  };
}

const KINDS = Object.keys(RESOURCE_TABLES) as ResourceKind[];
const STATEMENTS = Object.fromEntries(KINDS.map((kind) => [kind, statementsOf(kind)])) as Record<
  ResourceKind,
  ReturnType<typeof statementsOf>
>;

function keysOf(name: ResourceTableName) {
  const table = name as typeof ANY;
  const select = (column: 'id' | 'uid') =>
    statement((p: Keyed) =>
      tables
        .selectFrom(table)
        .select('id')
        .where('tenant_id', '=', p.tenantId)
        .where(column, '=', p.key),
    );
  return { id: select('id'), idOfUid: select('uid') };
}

const KEYS = Object.fromEntries([
  ...KINDS.map((kind) => [kind, keysOf(RESOURCE_TABLES[kind].name)]),
  ['profile', keysOf('profile')],
]) as Record<ReferableKind, ReturnType<typeof keysOf>>;

/** Deletes the rows of a table that refer to a record. */
function deleteReferring(table: ResourceTableName, column: string): Statement<Owned, unknown> {
  return statement((p: Owned) =>
    tables
      .deleteFrom(table as typeof ANY)
      .where('tenant_id', '=', p.tenantId)
      .where(column as 'id', '=', p.id),
  );
}

/** Clears the references of a table to a record. */
function clearReference(table: ResourceTableName, column: string): Statement<Owned, unknown> {
  return statement((p: Owned) =>
    tables
      .updateTable(table as typeof ANY)
      .set({ [column]: null } as never)
      .where('tenant_id', '=', p.tenantId)
      .where(column as 'id', '=', p.id),
  );
}

/**
 * No index begins with the attribute for all kinds of values, so this scans the tenant; it is rare.
 */
const VALUES_GONE = statement((p: Owned) =>
  tables
    .deleteFrom('profile_value')
    .where('tenant_id', '=', p.tenantId)
    .where('attribute_id', '=', p.id),
);

/** Statements for the references to a record that is deleted. */
const DEPENDENTS: Readonly<Partial<Record<ResourceKind, readonly Statement<Owned, unknown>[]>>> = {
  profileType: [clearReference('ne_attribute', 'profile_type_id')],
  attribute: [
    UNCOUNT_ATTRIBUTE,
    VALUES_GONE,
    deleteReferring('ne_attribute_option', 'ne_attribute_id'),
    clearReference('user_profile', 'ne_attribute_id'),
    clearReference('ne_attribute', 'filtering_ne_attribute_id'),
    clearReference('ne_attribute', 'ne_attribute_filter_id'),
  ],
  option: [UNCOUNT_REFERRING, ITEMS_GONE],
  user: [
    UNCOUNT_REFERRING,
    ITEMS_GONE,
    deleteReferring('user_role', 'user_id'),
    deleteReferring('user_profile', 'user_id'),
    deleteReferring('user_manager', 'user_id'),
    deleteReferring('user_manager', 'manager_id'),
  ],
};

const COUNT_PROFILES = statement((p: { tenantId: string; profileTypeId: string }) =>
  tables
    .selectFrom('profile')
    .select((row) => row.fn.countAll().as('profiles'))
    .where('tenant_id', '=', p.tenantId)
    // Every index that has the type begins with this.
    .where('archived', 'in', [0, 1])
    .where('profile_type_id', '=', p.profileTypeId),
);
