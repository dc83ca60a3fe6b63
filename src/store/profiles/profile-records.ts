// Profiles and jobs in their tables; profile-values.ts stores the values, profile-page.ts lists.
// Invariant: a profile is deleted together with its values and all references to it.

import type {
  Job,
  Profile,
  ProfileFilters,
  ProfileWindow,
  Referent,
  Shown,
  WritableProfileRecords,
} from '../../service/ports/profile-records.ts';
import { foldText } from '../../service/profiles/values/fold-text.ts';
import { insertOf, parametersOf } from '../sql/keyed-rows.ts';
import type { AttributeOptionTable, ProfileTable, ProfileUserTable } from '../sql/schema.ts';
import { type Executor, statement, type Tree, tables } from '../sql/statement.ts';
import { storedJson } from '../sql/stored-json.ts';
import { keyLists } from './key-list.ts';
import { type ProfileRow, profileCount, profilePage, profilesBy } from './profile-page.ts';
import { ITEMS_GONE, profileValues, UNCOUNT_REFERRING } from './profile-values.ts';
import { RESOURCE_TABLES, recordOf } from './resource-tables.ts';

/** Rows between two pauses: a large call must not block the process. */
const ROWS_BEFORE_PAUSE = 50;

export function profileRecords(executor: Executor): WritableProfileRecords {
  return {
    ...profileValues(executor),
    ...jobs(executor),
    profilePage: (tenantId, filters, window, between) =>
      pageOf(executor, tenantId, { filters, window }, between),
    async countProfiles(tenantId, filters) {
      const [row] = await executor.scan(profileCount(tenantId, filters));
      return Number(row?.total ?? 0);
    },
    async profilesByKey(tenantId, keys) {
      const profiles = new Map<string, Profile>();
      for (const column of ['id', 'uid'] as const) {
        const rows = await eachList(executor, keys, (list) => profilesBy(tenantId, column, list));
        for (const row of rows) profiles.set(row.id, profileOf(row));
      }
      return [...profiles.values()];
    },
    async attributesBy(tenantId, column, keys) {
      const tree = (list: string[]) =>
        tables
          .selectFrom('ne_attribute')
          .selectAll()
          .where('tenant_id', '=', tenantId)
          .where(column, 'in', list);
      const rows = await eachList(executor, keys, tree, 'queryWhole');
      return rows.map((row) => recordOf<'attribute'>(RESOURCE_TABLES.attribute, { ...row }));
    },
    async shownAs(tenantId, referent, ids) {
      const tree = (list: string[]) => REFERENTS[referent](tenantId, list);
      const rows = await eachList(executor, ids, tree, 'queryWhole');
      return rows.map(shownOf);
    },
    async usersByKey(tenantId, keys) {
      const byId = new Map<string, Shown & { uid: string }>();
      for (const column of ['id', 'uid'] as const) {
        const users = await eachList(executor, keys, (list) => usersBy(tenantId, column, list));
        for (const user of users) byId.set(user.id, { ...shownOf(user), uid: user.uid });
      }
      return [...byId.values()];
    },

    async addProfiles(tenantId, profiles) {
      for (const [i, profile] of profiles.entries()) {
        await executor.run(INSERT_PROFILE, rowOf(tenantId, profile));
        if (i % ROWS_BEFORE_PAUSE === 0) await executor.pause();
      }
    },
    async updateProfiles(tenantId, profiles) {
      for (const [i, profile] of profiles.entries()) {
        await executor.run(UPDATE_PROFILE, rowOf(tenantId, profile));
        if (i % ROWS_BEFORE_PAUSE === 0) await executor.pause();
      }
    },
    async deleteProfiles(tenantId, ids) {
      await dropItems(executor, tenantId, ids);
      for (const list of keyLists(ids)) {
        for (const tree of DELETIONS) await executor.query(tree(tenantId, list));
        await executor.pause();
      }
    },
  };
}

type Jobs = Pick<WritableProfileRecords, 'job' | 'addJob' | 'deleteJobsBefore'>;

function jobs(executor: Executor): Jobs {
  return {
    async job(tenantId, id) {
      const row = await executor.get(JOB, { tenantId, id });
      if (row === undefined) return null;
      const { status, job_type: jobType, job_data: data, created } = row;
      return {
        id,
        status: status as Job['status'],
        jobType,
        jobData: storedJson(data, 'job', id),
        created,
      };
    },
    async addJob(tenantId, { id, status, jobType, jobData, created }) {
      const data = JSON.stringify(jobData);
      await executor.run(INSERT_JOB, { tenantId, id, status, jobType, jobData: data, created });
    },
    async deleteJobsBefore(tenantId, id) {
      await executor.run(DELETE_JOBS, { tenantId, id });
    },
  };
}

/**
 * One page. Profiles may be deleted between its two statements: in a walk by ids later ones take
 * their place, because a page that is not full is the last one.
 */
async function pageOf(
  executor: Executor,
  tenantId: string,
  page: { readonly filters: ProfileFilters; readonly window: ProfileWindow },
  between?: () => Promise<void>,
): Promise<readonly Profile[]> {
  const { filters, window } = page;
  const ids = (await executor.scan(profilePage(tenantId, filters, window))).map(({ id }) => id);
  await between?.();
  const rows = await eachList(executor, ids, (list) => profilesBy(tenantId, 'id', list));
  const byId = new Map(rows.map((row) => [row.id, profileOf(row)]));
  const profiles = ids.flatMap((id) => byId.get(id) ?? []);
  const afterId = ids.at(-1);
  const missing = ids.length - profiles.length;
  if (!('afterId' in window) || afterId === undefined || missing === 0) return profiles;
  const rest = { filters, window: { afterId, limit: missing } };
  return [...profiles, ...(await pageOf(executor, tenantId, rest, between))];
}

/**
 * Runs a query for all keys, one list at a time, and returns all rows.
 * @param read how the executor runs it
 */
async function eachList<R>(
  executor: Executor,
  keys: readonly string[],
  tree: (list: string[]) => Tree<R>,
  read: 'query' | 'queryWhole' = 'query',
): Promise<R[]> {
  const rows: R[] = [];
  for (const [i, list] of keyLists(keys).entries()) {
    if (i > 0) await executor.pause();
    rows.push(...(await executor[read](tree(list))));
  }
  return rows;
}

/** A whole row as parameters of a statement. */
type Row = { [K in keyof Omit<ProfileTable, 'items'>]: ProfileTable[K] };

function profileOf(row: ProfileRow): Profile {
  return {
    id: row.id,
    uid: row.uid,
    name: row.name,
    profileTypeId: row.profile_type_id,
    status: row.status,
    idProofingStatus: row.id_proofing_status,
    archived: row.archived === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function rowOf(tenantId: string, profile: Profile): Row {
  return {
    tenant_id: tenantId,
    id: profile.id,
    uid: profile.uid,
    uid_folded: foldText(profile.uid),
    name: profile.name,
    name_folded: foldText(profile.name),
    profile_type_id: profile.profileTypeId,
    status: profile.status,
    id_proofing_status: profile.idProofingStatus,
    archived: profile.archived ? 1 : 0,
    created_at: profile.createdAt,
    updated_at: profile.updatedAt,
  };
}

const usersBy = (tenantId: string, column: 'id' | 'uid', keys: string[]) =>
  tables
    .selectFrom('profile_user')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where(column, 'in', keys);

/** What values may point to. */
type ReferentRow =
  | Pick<AttributeOptionTable, 'id' | 'option'>
  | Pick<ProfileTable, 'id' | 'name'>
  | Pick<ProfileUserTable, 'id' | 'name' | 'email'>;

const REFERENTS: Readonly<
  Record<Referent, (tenantId: string, ids: string[]) => Tree<ReferentRow>>
> = {
  option: (tenantId, ids) =>
    tables
      .selectFrom('ne_attribute_option')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', 'in', ids),
  profile: (tenantId, ids) => profilesBy(tenantId, 'id', ids),
  user: (tenantId, ids) => usersBy(tenantId, 'id', ids),
};

/** The text that a value pointing to a row shows. */
function shownOf(row: ReferentRow): Shown {
  const { id } = row;
  if ('option' in row) return { id, text: row.option };
  return { id, text: 'email' in row ? `${row.name} (${row.email})` : row.name };
}

async function dropItems(
  executor: Executor,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  for (const list of keyLists(ids)) {
    const items = list.map((id) => ({ tenantId, id }));
    await executor.each(UNCOUNT_REFERRING, items);
    await executor.each(ITEMS_GONE, items);
    await executor.pause();
  }
}

/** Deletes the records that belong to profiles, clears them in users, then deletes the profiles. */
const DELETIONS: readonly ((tenantId: string, ids: string[]) => Tree<unknown>)[] = [
  ...(['profile_value', 'role_profile', 'user_profile'] as const).map(
    (table) => (tenantId: string, ids: string[]) =>
      tables.deleteFrom(table).where('tenant_id', '=', tenantId).where('profile_id', 'in', ids),
  ),
  (tenantId, ids) =>
    tables
      .deleteFrom('risk_score')
      .where('tenant_id', '=', tenantId)
      .where('object_id', 'in', ids)
      .where('object_type', '=', 'Profile'),
  (tenantId, ids) =>
    tables
      .updateTable('profile_user')
      .set({ profile_id: null })
      .where('tenant_id', '=', tenantId)
      .where('profile_id', 'in', ids),
  (tenantId, ids) =>
    tables.deleteFrom('profile').where('tenant_id', '=', tenantId).where('id', 'in', ids),
];

/** The columns of a profile that may change. */
const CHANGEABLE = [
  ...(['name', 'name_folded', 'profile_type_id', 'status', 'id_proofing_status'] as const),
  ...(['archived', 'updated_at'] as const),
];
const COLUMNS = ['tenant_id', 'id', 'uid', 'uid_folded', 'created_at', ...CHANGEABLE] as const;

const INSERT_PROFILE = statement((row: Row) =>
  tables.insertInto('profile').values(parametersOf(row, COLUMNS)),
);

const UPDATE_PROFILE = statement((row: Row) =>
  tables
    .updateTable('profile')
    .set(parametersOf(row, CHANGEABLE))
    .where('tenant_id', '=', row.tenant_id)
    .where('id', '=', row.id),
);

const JOB = statement((p: { tenantId: string; id: string }) =>
  tables
    .selectFrom('job')
    .select(['status', 'job_type', 'job_data', 'created'])
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const INSERT_JOB = insertOf('job', [
  'tenant_id',
  'id',
  'status',
  'job_type',
  'job_data',
  'created',
]);

const DELETE_JOBS = statement((p: { tenantId: string; id: string }) =>
  tables.deleteFrom('job').where('tenant_id', '=', p.tenantId).where('id', '<', p.id),
);
