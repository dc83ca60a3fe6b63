// Runs of saved searches, the parts of their CSV, and their deliveries. `open_at` is the time from
// which a process may take a row: 0 while it waits, the end of the lease while a process works on it.

import type {
  DueTimes,
  SearchDelivery,
  SearchRun,
  WritableSavedSearchRecords,
} from '../../service/ports/saved-search-records.ts';
import { deleteByKey, insertOf, type RowKey, selectByKey, upsertOf } from '../sql/keyed-rows.ts';
import type { SearchDeliveryTable, SearchRunTable } from '../sql/schema.ts';
import { type Executor, statement, tables } from '../sql/statement.ts';
import { storedJson } from '../sql/stored-json.ts';
import type { SavedSearchAndScheduleRecords } from './saved-search-records.ts';

type SearchRunRecords = Omit<WritableSavedSearchRecords, keyof SavedSearchAndScheduleRecords>;

export function searchRunRecords(executor: Executor): SearchRunRecords {
  return {
    async searchRun(tenantId, id) {
      const row = await executor.get(SELECT, { tenantId, id });
      return row === undefined ? null : runOf(row);
    },
    async searchRuns(tenantId, savedSearchId) {
      return (await executor.all(SELECT_OF, { tenantId, savedSearchId })).map(runOf);
    },
    async openRunCount(tenantId) {
      return Number((await executor.get(COUNT_OPEN, { tenantId }))?.rows);
    },
    async openRuns(due) {
      const rows = await executor.all(SELECT_OPEN, due);
      return rows.map((row) => ({ tenantId: row.tenant_id, run: runOf(row) }));
    },
    async runPart(tenantId, { id: runId, attempt }, type, part) {
      const row = await executor.get(SELECT_PART, { tenantId, runId, attempt, type, part });
      return row?.bytes ?? null;
    },
    async searchDeliveries(tenantId, savedSearchId) {
      return (await executor.all(SELECT_DELIVERIES, { tenantId, savedSearchId })).map(deliveryOf);
    },
    async hasOpenDeliveries(tenantId, runId) {
      return (await executor.get(SELECT_OPEN_OF_RUN, { tenantId, runId })) !== undefined;
    },
    async searchDelivery(tenantId, id) {
      const row = await executor.get(SELECT_DELIVERY, { tenantId, id });
      return row === undefined ? null : deliveryOf(row);
    },
    async openDeliveryCount(tenantId) {
      return Number((await executor.get(COUNT_OPEN_DELIVERIES, { tenantId }))?.rows);
    },
    async tenantsWithDueDeliveries(due) {
      return (await executor.all(SELECT_DUE_TENANTS, due)).map((row) => row.tenant_id);
    },
    async dueDeliveries(tenantId, due, limit) {
      const rows = await executor.all(SELECT_DUE_DELIVERIES, { tenantId, ...due, limit });
      return rows.map(deliveryOf);
    },
    async putSearchRun(tenantId, { id, savedSearchId, openAt, ...rest }) {
      const details = JSON.stringify(rest);
      if ((await executor.run(UPDATE, { tenantId, id, openAt, details })) > 0) return;
      const last = await executor.get(SELECT_LAST_NUMBER, { tenantId });
      const number = Number(last?.number ?? 0) + 1;
      await executor.run(INSERT, { tenantId, id, savedSearchId, number, openAt, details });
    },
    async addRunPart(tenantId, part) {
      await executor.run(INSERT_PART, { tenantId, ...part });
    },
    async keepRunParts(tenantId, { id: runId, attempt }) {
      await executor.run(DELETE_OTHER_PARTS, { tenantId, runId, attempt });
    },
    async deleteSearchRun(tenantId, id) {
      for (const table of ['search_run_part', 'search_delivery'] as const) {
        await executor.query(
          tables.deleteFrom(table).where('tenant_id', '=', tenantId).where('run_id', '=', id),
        );
      }
      await executor.run(DELETE, { tenantId, id });
    },
    async putSearchDelivery(tenantId, { id, runId, savedSearchId, created, openAt, ...rest }) {
      await executor.run(PUT_DELIVERY, {
        ...{ tenantId, id, runId, savedSearchId, created, openAt },
        details: JSON.stringify(rest),
      });
    },
  };
}

function runOf({ id, saved_search_id, open_at, details }: Omit<SearchRunTable, 'tenant_id'>) {
  const openAt = open_at === null ? null : Number(open_at);
  // Details that were written by earlier versions have no views.
  const members = { views: null, ...storedJson(details, 'run of a search', id) };
  return { ...members, id, savedSearchId: saved_search_id, openAt } as SearchRun;
}

function deliveryOf(row: SearchDeliveryTable): SearchDelivery {
  const { id, run_id: runId, saved_search_id: savedSearchId, created } = row;
  const openAt = row.open_at === null ? null : Number(row.open_at);
  return { ...storedJson(row.details, 'delivery', id), id, runId, savedSearchId, created, openAt };
}

type OfSearch = { tenantId: string; savedSearchId: string };

const SELECT = selectByKey('search_run');

const SELECT_OF = statement((p: OfSearch) =>
  tables
    .selectFrom('search_run')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .where('saved_search_id', '=', p.savedSearchId)
    .orderBy('number', 'desc'),
);

const SELECT_OPEN = statement((p: DueTimes) =>
  tables
    .selectFrom(
      tables
        .selectFrom('search_run')
        .select((row) => ['tenant_id', row.fn.min('number').as('number')])
        .where((row) => row.or([row('open_at', '<=', p.now), row('open_at', '>', p.latest)]))
        .where('open_at', 'is not', null)
        .groupBy('tenant_id')
        .as('oldest'),
    )
    .innerJoin('search_run as run', (join) =>
      join
        .onRef('run.tenant_id', '=', 'oldest.tenant_id')
        .onRef('run.number', '=', 'oldest.number'),
    )
    .selectAll('run')
    .orderBy('run.tenant_id'),
);

const COUNT_OPEN = statement((p: { tenantId: string }) =>
  tables
    .selectFrom('search_run')
    .select((row) => row.fn.countAll().as('rows'))
    .where('tenant_id', '=', p.tenantId)
    .where('open_at', 'is not', null),
);

const SELECT_LAST_NUMBER = statement((p: { tenantId: string }) =>
  tables
    .selectFrom('search_run')
    .select((row) => row.fn.max('number').as('number'))
    .where('tenant_id', '=', p.tenantId),
);

const UPDATE = statement((p: RowKey & { openAt: number | null; details: string }) =>
  tables
    .updateTable('search_run')
    .set({ open_at: p.openAt, details: p.details })
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const INSERT = insertOf('search_run', [
  'tenant_id',
  'id',
  'saved_search_id',
  'number',
  'open_at',
  'details',
]);

const DELETE = deleteByKey('search_run');

type PartsOf = { tenantId: string; runId: string; attempt: number };

const SELECT_PART = statement((p: PartsOf & { type: string; part: number }) =>
  tables
    .selectFrom('search_run_part')
    .select('bytes')
    .where('tenant_id', '=', p.tenantId)
    .where('run_id', '=', p.runId)
    .where('attempt', '=', p.attempt)
    .where('type', '=', p.type)
    .where('part', '=', p.part),
);

const INSERT_PART = insertOf('search_run_part', [
  'tenant_id',
  'run_id',
  'attempt',
  'type',
  'part',
  'bytes',
]);

const DELETE_OTHER_PARTS = statement((p: PartsOf) =>
  tables
    .deleteFrom('search_run_part')
    .where('tenant_id', '=', p.tenantId)
    .where('run_id', '=', p.runId)
    .where('attempt', '!=', p.attempt),
);

const SELECT_DELIVERIES = statement((p: OfSearch) =>
  tables
    .selectFrom('search_delivery')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .where('saved_search_id', '=', p.savedSearchId)
    .orderBy('created', 'desc')
    .orderBy('id'),
);

const SELECT_OPEN_OF_RUN = statement((p: { tenantId: string; runId: string }) =>
  tables
    .selectFrom('search_delivery')
    .select('id')
    .where('tenant_id', '=', p.tenantId)
    .where('run_id', '=', p.runId)
    .where('open_at', 'is not', null)
    .limit(1),
);

const SELECT_DELIVERY = selectByKey('search_delivery');

const COUNT_OPEN_DELIVERIES = statement((p: { tenantId: string }) =>
  tables
    .selectFrom('search_delivery')
    .select((row) => row.fn.countAll().as('rows'))
    .where('tenant_id', '=', p.tenantId)
    .where('open_at', 'is not', null),
);

/** Steps from tenant to tenant in the index, however many deliveries each has. */
const SELECT_DUE_TENANTS = statement((p: DueTimes) =>
  tables
    .withRecursive('open_tenant(tenant_id)', (query) =>
      query
        .selectFrom('search_delivery')
        .select((row) => row.fn.min<string | null>('tenant_id').as('tenant_id'))
        .where('open_at', 'is not', null)
        .unionAll(
          query
            .selectFrom('open_tenant')
            .select((row) =>
              row
                .selectFrom('search_delivery as next')
                .select((after) => after.fn.min('next.tenant_id').as('tenant_id'))
                .whereRef('next.tenant_id', '>', 'open_tenant.tenant_id')
                .where('next.open_at', 'is not', null)
                .as('tenant_id'),
            )
            .where('open_tenant.tenant_id', 'is not', null),
        ),
    )
    .selectFrom('open_tenant')
    .select('open_tenant.tenant_id')
    .where((row) => {
      const open = row
        .selectFrom('search_delivery as open')
        .whereRef('open.tenant_id', '=', 'open_tenant.tenant_id')
        .where('open.open_at', 'is not', null);
      const first = open.select((delivery) => delivery.fn.min('open.open_at').as('open_at'));
      const last = open.select((delivery) => delivery.fn.max('open.open_at').as('open_at'));
      return row.or([row(first, '<=', p.now), row(last, '>', p.latest)]);
    })
    .$narrowType<{ tenant_id: string }>(),
);

const SELECT_DUE_DELIVERIES = statement((p: DueTimes & { tenantId: string; limit: number }) =>
  tables
    .selectFrom('search_delivery')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .where('open_at', 'is not', null)
    // For `or`, SQLite would read and sort all that are due.
    .where((row) => row.not(row.and([row('open_at', '>', p.now), row('open_at', '<=', p.latest)])))
    .orderBy('open_at')
    .limit(p.limit),
);

const PUT_DELIVERY = upsertOf(
  'search_delivery',
  ['tenant_id', 'id'],
  ['run_id', 'saved_search_id', 'created', 'open_at', 'details'],
);
