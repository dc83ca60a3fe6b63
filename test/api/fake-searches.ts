// A saved search, its schedule, run and delivery, for tests of the HTTP face alone.

import { ServiceError } from '../../src/errors.ts';
import type { SearchDefinition } from '../../src/query/search-definition.ts';
import type { DashboardView } from '../../src/service/dashboards/dashboards.ts';
import type { View } from '../../src/service/ports/view-records.ts';
import type { SavedSearchView } from '../../src/service/saved-searches/saved-searches.ts';
import type { ScheduledSearchView } from '../../src/service/saved-searches/scheduled-searches.ts';
import type {
  SearchDeliveryView,
  SearchRunView,
} from '../../src/service/saved-searches/search-runs.ts';

const AT = '2026-03-04T05:06:07.000Z';
const id = 'c0ffee00-0000-4000-8000-000000000011';
const owner = { type: 'IDENTITY', id: '7f3c0d51aa9e4b0c9d5be01f22c4a6e8' } as const;

export const SAVED_SEARCH: SavedSearchView = {
  ...{
    id,
    owner,
    ownerId: owner.id,
    public: false,
    shared: false,
    created: AT,
    modified: AT,
    name: 'n',
  },
  ...{ description: null, indices: ['identities'], query: '*', fields: null, sort: ['name'] },
  columns: { identity: [{ field: 'name', header: null }] },
  ...{ orderBy: { identity: ['name'] }, filters: { inactive: { type: 'EXISTS' } } },
};

const TILE_SEARCH: SearchDefinition = {
  ...{ indices: ['identities'], query: '*', fields: null, sort: ['name'], columns: {} },
  ...{ orderBy: null, filters: null },
};

export const SCHEDULED_SEARCH: ScheduledSearchView = {
  ...{ id, owner, ownerId: owner.id, created: AT, modified: AT, name: null, description: null },
  ...{ savedSearchId: id, recipients: [owner], enabled: true, emailEmptyResults: false },
  displayQueryDetails: false,
  schedule: {
    ...{ type: 'WEEKLY', months: null, expiration: null, timeZoneId: 'Europe/Oslo' },
    days: { type: 'LIST', values: ['MON'], interval: null },
    hours: { type: 'RANGE', values: ['9', '18'], interval: 3 },
  },
};

export const SEARCH_RUN: SearchRunView = {
  ...{ id, savedSearchId: id, scheduleId: null, owner, state: 'COMPLETED', reason: null },
  ...{ attempts: 1, due: null, created: AT, started: AT, ended: AT },
  results: [{ type: 'identity', count: 2, rows: 1, truncated: true, preview: [['id'], ['i-1']] }],
};

export const SEARCH_DELIVERY: SearchDeliveryView = {
  ...{ id, runId: id, channel: 'EMAIL', recipient: owner, address: 'ines@demo.test' },
  ...{ state: 'DELIVERED', attempts: 1, created: AT, delivered: AT, reason: null },
  nextAttempt: null,
};

export const DASHBOARD: DashboardView = {
  ...{ id, owner: { ...owner, name: 'Ines' }, name: 'd', shared: true, created: AT, modified: AT },
  ...{ tileCount: 2, mayChange: false },
  tiles: [
    {
      ...{ title: null, kind: 'values', width: 2, savedSearchId: id, savedSearchName: null },
      ...{ search: null, field: 'name', size: 5, alarmAbove: null },
    },
    {
      ...{ title: 't', kind: 'number', width: 1, savedSearchId: null, savedSearchName: null },
      ...{ search: TILE_SEARCH, field: null, size: null, alarmAbove: 3 },
    },
  ],
};

export const VIEW: View = {
  name: 'sales',
  description: 'What the sales team sees',
  indices: { identities: 'attributes.department:Sales', roles: '*' },
  hide: ['phone'],
  created: '2026-03-04T05:06:07.000Z',
  modified: '2026-03-04T05:06:07.000Z',
};

/** The view, if its name is requested. */
export function namedView(name: string): View {
  if (name !== VIEW.name) throw new ServiceError('not_found', 'There is no such view.');
  return VIEW;
}

/** @throws ServiceError `not_found` for another id than that of the record */
export function known<T extends { readonly id: string }>(record: T, requested: string): T {
  if (requested === record.id) return record;
  throw new ServiceError('not_found', 'There is no such record.');
}
