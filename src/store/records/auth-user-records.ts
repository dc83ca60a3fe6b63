// Tenants, their auth users and the users' capabilities. The user's row has the ordered list, which
// every request reads; `capability_holder` is the inverse, for counting.
// Invariant: both are written together, here.

import type { AuthUser, PutOutcome, Tenant, WritableRecords } from '../../service/ports/store.ts';
import { insertOf, upsert } from '../sql/keyed-rows.ts';
import type { AuthUserTable } from '../sql/schema.ts';
import { type Executor, statement, tables } from '../sql/statement.ts';
import { storedJson } from '../sql/stored-json.ts';
import { listAuthUsers } from './auth-user-list.ts';
import { type AuthUserFoldedColumn, foldedUser } from './folded-columns.ts';
import { adoptTokenState } from './revocation-records.ts';

export type AuthUserRecords = Pick<
  WritableRecords,
  | 'tenantByName'
  | 'tenantById'
  | 'tenants'
  | 'addTenant'
  | 'authUser'
  | 'authUserByUid'
  | 'authUserPage'
  | 'listAuthUsers'
  | 'countHolders'
  | 'putAuthUsers'
  | 'setCapabilities'
>;

export function authUserRecords(executor: Executor): AuthUserRecords {
  return {
    tenantByName: async (name) => (await executor.get(TENANT_BY_NAME, { name })) ?? null,
    tenantById: async (id) => (await executor.get(TENANT_BY_ID, { id })) ?? null,
    tenants: () => executor.all(TENANTS, {}),
    async addTenant({ id, name, pod, created }: Tenant) {
      await executor.run(INSERT_TENANT, { id, name, pod, created });
    },

    async authUser(tenantId, id) {
      const row = await executor.get(USER_BY_ID, { tenantId, id });
      return row === undefined ? null : authUser(row);
    },
    async authUserByUid(tenantId, uid) {
      const row = await executor.get(USER_BY_UID, { tenantId, uid });
      return row === undefined ? null : authUser(row);
    },
    async authUserPage(tenantId, afterId, limit) {
      return (await executor.all(USERS_AFTER, { tenantId, afterId, limit })).map(authUser);
    },
    listAuthUsers: (tenantId, query) => listAuthUsers(executor, tenantId, query, authUser),
    async countHolders(tenantId, capability, exceptId) {
      const row = await executor.get(COUNT_HOLDERS, { tenantId, capability, exceptId });
      return Number(row?.holders ?? 0);
    },
    async putAuthUsers(tenantId, users) {
      const outcomes: PutOutcome[] = [];
      for (const user of users) outcomes.push(await putAuthUser(executor, tenantId, user));
      return outcomes;
    },
    async setCapabilities(tenantId, id, capabilities, before) {
      const list = JSON.stringify(capabilities);
      await Promise.all([
        executor.run(UPDATE_CAPABILITIES, { tenantId, id, list }),
        changeHolders(executor, tenantId, id, { before, after: capabilities }),
      ]);
    },
  };
}

async function putAuthUser(
  executor: Executor,
  tenantId: string,
  user: AuthUser,
): Promise<PutOutcome> {
  const { id, uid, capabilities, ...rest } = user;
  // Members in a fixed order, so that equal users have equal text.
  const details = JSON.stringify(
    Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
  const list = JSON.stringify(capabilities);
  const before = await executor.get(USER_BEFORE, { tenantId, id });
  if (before?.uid === uid && before.details === details && before.capabilities === list) {
    return 'unchanged';
  }
  const folded = foldedUser(user);
  await executor.run(UPSERT_USER, { tenantId, id, uid, details, list, ...folded });
  if (before?.capabilities !== list) await writeHolders(executor, tenantId, id, capabilities);
  if (before !== undefined) return 'updated';
  await adoptTokenState(executor, tenantId, id);
  return 'created';
}

/** Writes the rows of a user anew. */
export async function writeHolders(
  executor: Executor,
  tenantId: string,
  id: string,
  capabilities: readonly string[],
): Promise<void> {
  const rows = capabilities.map((capability) => ({ tenantId, capability, id }));
  await Promise.all([
    executor.run(DELETE_HOLDER, { tenantId, id }),
    executor.each(INSERT_HOLDER, rows),
  ]);
}

/** Writes the capabilities that a stored user gains and loses. */
async function changeHolders(
  executor: Executor,
  tenantId: string,
  id: string,
  { before, after }: Readonly<Record<'before' | 'after', readonly string[]>>,
): Promise<void> {
  const rowsOf = (list: readonly string[], other: readonly string[]) =>
    list
      .filter((capability) => !other.includes(capability))
      .map((capability) => ({ tenantId, capability, id }));
  await Promise.all([
    executor.each(DELETE_HOLDER_OF, rowsOf(before, after)),
    executor.each(INSERT_HOLDER, rowsOf(after, before)),
  ]);
}

function authUser(row: Pick<AuthUserTable, 'id' | 'uid' | 'details' | 'capabilities'>): AuthUser {
  return {
    ...storedJson(row.details, 'auth user', row.id),
    id: row.id,
    uid: row.uid,
    capabilities: storedJson(row.capabilities, 'auth user', row.id),
  };
}

const TENANT_BY_NAME = statement((p: { name: string }) =>
  tables.selectFrom('tenant').selectAll().where('name', '=', p.name),
);

const TENANT_BY_ID = statement((p: { id: string }) =>
  tables.selectFrom('tenant').selectAll().where('id', '=', p.id),
);

const TENANTS = statement(() => tables.selectFrom('tenant').selectAll().orderBy('name'));

const INSERT_TENANT = insertOf('tenant', ['id', 'name', 'pod', 'created']);

const USER_BY_ID = statement((p: { tenantId: string; id: string }) =>
  tables
    .selectFrom('auth_user')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

/** What a user is compared with before it is written: not checked, so that writing mends. */
const USER_BEFORE = statement((p: { tenantId: string; id: string }) =>
  tables
    .selectFrom('auth_user')
    .select(['uid', 'details', 'capabilities'])
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const USER_BY_UID = statement((p: { tenantId: string; uid: string }) =>
  tables
    .selectFrom('auth_user')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .where('uid', '=', p.uid),
);

const USERS_AFTER = statement((p: { tenantId: string; afterId: string; limit: number }) =>
  tables
    .selectFrom('auth_user')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .where('id', '>', p.afterId)
    .orderBy('id')
    .limit(p.limit),
);

type UserParameters = {
  readonly [name in 'tenantId' | 'id' | 'uid' | 'details' | 'list']: string;
} & Record<AuthUserFoldedColumn, string | null>;

const UPSERT_USER = statement((p: UserParameters) =>
  upsert('auth_user', ['tenant_id', 'id'], {
    ...{ tenant_id: p.tenantId, id: p.id, uid: p.uid, details: p.details },
    ...{ capabilities: p.list, id_folded: p.id_folded, uid_folded: p.uid_folded },
    ...{ alias_folded: p.alias_folded, display_name_folded: p.display_name_folded },
    ...{ firstname_folded: p.firstname_folded, lastname_folded: p.lastname_folded },
    email_folded: p.email_folded,
    identification_number_folded: p.identification_number_folded,
  }),
);

const UPDATE_CAPABILITIES = statement((p: { tenantId: string; id: string; list: string }) =>
  tables
    .updateTable('auth_user')
    .set({ capabilities: p.list })
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const COUNT_HOLDERS = statement((p: { tenantId: string; capability: string; exceptId: string }) =>
  tables
    .selectFrom('capability_holder')
    .innerJoin('auth_user', (join) =>
      join
        .onRef('auth_user.tenant_id', '=', 'capability_holder.tenant_id')
        .onRef('auth_user.id', '=', 'capability_holder.auth_user_id'),
    )
    .select((row) => row.fn.countAll().as('holders'))
    .where('capability_holder.tenant_id', '=', p.tenantId)
    .where('capability', '=', p.capability)
    .where('auth_user_id', '<>', p.exceptId)
    .where('enabled', '=', 1)
    .where('view_name', 'is', null),
);

const DELETE_HOLDER = statement((p: { tenantId: string; id: string }) =>
  tables
    .deleteFrom('capability_holder')
    .where('tenant_id', '=', p.tenantId)
    .where('auth_user_id', '=', p.id),
);

const DELETE_HOLDER_OF = statement((p: { tenantId: string; capability: string; id: string }) =>
  tables
    .deleteFrom('capability_holder')
    .where('tenant_id', '=', p.tenantId)
    .where('capability', '=', p.capability)
    .where('auth_user_id', '=', p.id),
);

const INSERT_HOLDER = statement((p: { tenantId: string; capability: string; id: string }) =>
  tables
    .insertInto('capability_holder')
    .values({ tenant_id: p.tenantId, capability: p.capability, auth_user_id: p.id })
    .onConflict((conflict) => conflict.doNothing()),
);
