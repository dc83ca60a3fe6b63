// Saved searches and their schedules: one row each, with the members that queries use as columns and
// the others as JSON.

import { fold } from '../../query/analysis/fold.ts';
import type {
  ListPage,
  SavedSearch,
  SavedSearchFilter,
  ScheduledSearch,
  ScheduleFilter,
  WritableSavedSearchRecords,
} from '../../service/ports/saved-search-records.ts';
import { deleteByKey, selectByKey, upsertOf } from '../sql/keyed-rows.ts';
import type { SavedSearchTable, ScheduledSearchTable } from '../sql/schema.ts';
import { type Executor, statement, tables } from '../sql/statement.ts';
import { storedJson } from '../sql/stored-json.ts';

export type SavedSearchAndScheduleRecords = Pick<
  WritableSavedSearchRecords,
  | 'savedSearch'
  | 'savedSearchesById'
  | 'savedSearches'
  | 'savedSearchCount'
  | 'scheduledSearch'
  | 'scheduledSearches'
  | 'scheduledSearchCount'
  | 'dueSchedules'
  | 'putSavedSearch'
  | 'deleteSavedSearch'
  | 'putScheduledSearch'
  | 'deleteScheduledSearch'
>;

export function savedSearchRecords(executor: Executor): SavedSearchAndScheduleRecords {
  return {
    async savedSearch(tenantId, id) {
      const row = await executor.get(SELECT, { tenantId, id });
      return row === undefined ? null : savedSearchOf(row);
    },
    async savedSearchesById(tenantId, ids) {
      if (ids.length === 0) return [];
      const query = searchesOf(tenantId, ANY).selectAll().where('id', 'in', ids);
      return (await executor.query(query)).map(savedSearchOf);
    },
    async savedSearches(tenantId, filter, { offset, limit }) {
      const query = searchesOf(tenantId, filter).selectAll();
      const page = query.orderBy('created').orderBy('id').limit(limit).offset(offset);
      return (await executor.query(page)).map(savedSearchOf);
    },
    savedSearchCount(tenantId, filter) {
      return countOf(executor, searchesOf(tenantId, filter));
    },
    async scheduledSearch(tenantId, id) {
      const row = await executor.get(SELECT_SCHEDULE, { tenantId, id });
      return row === undefined ? null : scheduleOf(row);
    },
    async scheduledSearches(tenantId, filter, { offset, limit }: ListPage) {
      const query = schedulesOf(tenantId, filter).selectAll();
      const page = query.orderBy('created').orderBy('id').limit(limit).offset(offset);
      return (await executor.query(page)).map(scheduleOf);
    },
    scheduledSearchCount(tenantId, filter) {
      return countOf(executor, schedulesOf(tenantId, filter));
    },
    async dueSchedules(now, limit) {
      const rows = await executor.all(SELECT_DUE, { now, limit });
      return rows.map((row) => ({ tenantId: row.tenant_id, schedule: scheduleOf(row) }));
    },
    async putSavedSearch(tenantId, { id, ownerId, created, shared, ...details }) {
      await executor.run(PUT, {
        ...{ tenantId, id, ownerId, created, shared: shared ? 1 : 0 },
        ownerFolded: fold(ownerId),
        details: JSON.stringify(details),
      });
    },
    async deleteSavedSearch(tenantId, id) {
      const runs = tables
        .selectFrom('search_run')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .where('saved_search_id', '=', id);
      await executor.query(
        tables
          .deleteFrom('search_run_part')
          .where('tenant_id', '=', tenantId)
          .where('run_id', 'in', runs),
      );
      for (const table of ['search_delivery', 'search_run', 'scheduled_search'] as const) {
        await executor.query(
          tables
            .deleteFrom(table)
            .where('tenant_id', '=', tenantId)
            .where('saved_search_id', '=', id),
        );
      }
      return (await executor.run(DELETE, { tenantId, id })) > 0;
    },
    async putScheduledSearch(tenantId, schedule) {
      const { id, ownerId, savedSearchId, created, nextDue, ...details } = schedule;
      await executor.run(PUT_SCHEDULE, {
        ...{ tenantId, id, ownerId, savedSearchId, created, nextDue },
        ...{ ownerFolded: fold(ownerId), savedSearchFolded: fold(savedSearchId) },
        details: JSON.stringify(details),
      });
    },
    async deleteScheduledSearch(tenantId, id) {
      return (await executor.run(DELETE_SCHEDULE, { tenantId, id })) > 0;
    },
  };
}

const ANY: SavedSearchFilter = { ownerId: null, readerId: null };

function searchesOf(tenantId: string, { ownerId, readerId }: SavedSearchFilter) {
  let query = tables.selectFrom('saved_search').where('tenant_id', '=', tenantId);
  if (ownerId !== null) query = query.where('owner_folded', '=', fold(ownerId));
  if (readerId === null) return query;
  return query.where((row) => row.or([row('owner_id', '=', readerId), row('shared', '=', 1)]));
}

function schedulesOf(
  tenantId: string,
  { ownerId, savedSearchId, readerId = null }: ScheduleFilter,
) {
  let query = tables.selectFrom('scheduled_search').where('tenant_id', '=', tenantId);
  if (ownerId !== null) query = query.where('owner_folded', '=', fold(ownerId));
  if (savedSearchId !== null) {
    query = query.where('saved_search_folded', '=', fold(savedSearchId));
  }
  if (readerId !== null) query = query.where('owner_id', '=', readerId);
  return query;
}

async function countOf(
  executor: Executor,
  query: ReturnType<typeof searchesOf> | ReturnType<typeof schedulesOf>,
): Promise<number> {
  // Both queries count alike; Kysely cannot infer the union.
  const counted = (query as ReturnType<typeof searchesOf>).select((row) =>
    row.fn.countAll().as('rows'),
  );
  return Number((await executor.query(counted))[0]?.rows);
}

function savedSearchOf({ id, owner_id, created, shared, details }: SavedSearchTable): SavedSearch {
  const rest = storedJson(details, 'saved search', id) as Omit<
    SavedSearch,
    'id' | 'ownerId' | 'created' | 'shared'
  >;
  return { ...rest, id, ownerId: owner_id, created, shared: shared === 1 };
}

function scheduleOf(row: ScheduledSearchTable): ScheduledSearch {
  const { id, owner_id: ownerId, saved_search_id: savedSearchId, created } = row;
  const nextDue = row.next_due === null ? null : Number(row.next_due);
  return {
    ...storedJson(row.details, 'scheduled search', id),
    id,
    ownerId,
    savedSearchId,
    created,
    nextDue,
  };
}

const SELECT = selectByKey('saved_search');

const SELECT_SCHEDULE = selectByKey('scheduled_search');

const SELECT_DUE = statement((p: { now: number; limit: number }) =>
  tables
    .selectFrom('scheduled_search')
    .selectAll()
    .where('next_due', '<=', p.now)
    .where('next_due', 'is not', null)
    .orderBy('next_due')
    .limit(p.limit),
);

const PUT = upsertOf(
  'saved_search',
  ['tenant_id', 'id'],
  ['owner_id', 'created', 'shared', 'details', 'owner_folded'],
);

const DELETE = deleteByKey('saved_search');

const PUT_SCHEDULE = upsertOf(
  'scheduled_search',
  ['tenant_id', 'id'],
  [
    'owner_id',
    'saved_search_id',
    'created',
    'next_due',
    'details',
    'owner_folded',
    'saved_search_folded',
  ],
);

const DELETE_SCHEDULE = deleteByKey('scheduled_search');
