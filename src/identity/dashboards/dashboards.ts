// Dashboards: create, list, read, replace and delete them. Only the definitions are here; a client
// runs the searches of the tiles with the rights of its user.
// Invariant: a user sees their own dashboards and those that others share, and changes their own;
// an administrator also changes what others share. What is stored can be planned as searches.
import { randomBytes, randomUUID } from 'node:crypto';
import { authorize, mayDo } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import { newId } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import { invalid } from '../../query/body.ts';
import { entityTag, ifMatchAllows } from '../accounts/entity-tag.ts';
import { actorOf, changeAttributes, recordAuditEvent } from '../audit/audit-event.ts';
import type {
  Dashboard,
  DashboardDefinition,
  DashboardTile,
  ListedDashboard,
  TileSearch,
} from '../ports/dashboard-records.ts';
import type { SavedSearch } from '../ports/saved-search-records.ts';
import type { Records, Store, WritableRecords } from '../ports/store.ts';
import {
  type Listed,
  type ListParameters,
  readCount,
  readPage,
} from '../saved-searches/list-request.ts';
import { ownerIdOf, visibleSearch } from '../saved-searches/saved-searches.ts';
import { checkSearch } from '../saved-searches/search-check.ts';
import type { Search } from '../searching/search.ts';
import { faultOfTile, readDashboard } from './dashboard-request.ts';

/** A dashboard in a list. */
export interface DashboardSummary {
  readonly id: string;
  readonly owner: {
    readonly type: 'IDENTITY';
    readonly id: string;
    /** null: there is no such auth user any more. */
    readonly name: string | null;
  };
  readonly name: string;
  readonly shared: boolean;
  readonly created: string;
  readonly modified: string;
  readonly tileCount: number;
  /** Whether the caller may replace and delete it. */
  readonly mayChange: boolean;
}

/**
 * A tile with the search that it shows; null: the saved search was deleted, or the caller may not
 * see it.
 */
export interface TileView extends DashboardTile {
  readonly savedSearchName: string | null;
}

export interface DashboardView extends DashboardSummary {
  readonly tiles: readonly TileView[];
}

/** A dashboard with the entity tag of its representation. */
export interface TaggedDashboard {
  readonly dashboard: DashboardView;
  /** Strong entity tag, quotes included. */
  readonly etag: string;
}

export const MAX_DASHBOARDS_PER_OWNER = 100;

/** The use cases of dashboards. */
export class Dashboards {
  readonly #store: Store;
  readonly #search: Pick<Search, 'check'>;
  readonly #clock: Clock;

  constructor(store: Store, search: Pick<Search, 'check'>, { clock = systemClock } = {}) {
    this.#store = store;
    this.#search = search;
    this.#clock = clock;
  }

  /** @throws ServiceError `forbidden`, `body_malformed`, `request_invalid`, `limit_violation` */
  async create(caller: Caller, body: unknown): Promise<TaggedDashboard> {
    authorize(caller, 'dashboard:manage');
    const definition = await this.#read(caller, body);
    const now = this.#now();
    const after: Dashboard = {
      ...definition,
      ...{ id: randomUUID(), ownerId: ownerIdOf(caller), created: now, modified: now },
    };
    return this.#store.write(async (records) => {
      const count = await records.ownDashboardCount(caller.tenantId, after.ownerId);
      if (count >= MAX_DASHBOARDS_PER_OWNER) {
        throw new ServiceError('limit_violation', 'You have too many dashboards.', {
          causes: [`at most ${MAX_DASHBOARDS_PER_OWNER}; delete those that are not used`],
        });
      }
      await refuseUnknownSearches(records, caller, after.tiles, []);
      await records.putDashboard(caller.tenantId, after);
      await recordChange(records, caller, { before: null, after }, now);
      return tagged(records, caller, after);
    });
  }

  /** Your own and those that others share. @throws ServiceError `forbidden`, `request_invalid` */
  async list(caller: Caller, parameters: ListParameters = {}): Promise<Listed<DashboardSummary>> {
    authorize(caller, 'dashboard:read');
    const page = readPage(parameters);
    const counts = readCount(parameters);
    const { read } = this.#store;
    const ownerId = ownerIdOf(caller);
    const dashboards = await read.visibleDashboards(caller.tenantId, ownerId, page);
    const total = counts ? await read.visibleDashboardCount(caller.tenantId, ownerId) : null;
    const names = await ownerNames(read, caller, dashboards);
    return { items: dashboards.map((one) => summary(caller, one, names)), total };
  }

  /** @throws ServiceError `forbidden`, `not_found` also for a private one of somebody else */
  async get(caller: Caller, id: string): Promise<TaggedDashboard> {
    authorize(caller, 'dashboard:read');
    const { read } = this.#store;
    return tagged(read, caller, await visibleDashboard(read, caller, id));
  }

  /**
   * Replaces a dashboard; its owner stays.
   * @param ifMatch the header If-Match, if sent
   * @throws ServiceError as create, `not_found`, `precondition_failed`
   */
  async replace(
    caller: Caller,
    id: string,
    body: unknown,
    ifMatch: string | undefined,
  ): Promise<TaggedDashboard> {
    authorize(caller, 'dashboard:manage');
    changeable(caller, await visibleDashboard(this.#store.read, caller, id));
    const definition = await this.#read(caller, body);
    const now = this.#now();
    return this.#store.write(async (records) => {
      const before = changeable(caller, await visibleDashboard(records, caller, id));
      await refuseChanged(records, caller, before, ifMatch);
      await refuseUnknownSearches(records, caller, definition.tiles, before.tiles);
      const after = { ...before, ...definition, modified: now };
      await records.putDashboard(caller.tenantId, after);
      await recordChange(records, caller, { before, after }, now);
      return tagged(records, caller, after);
    });
  }

  /**
   * @param ifMatch the header If-Match, if sent
   * @throws ServiceError `forbidden`, `not_found`, `precondition_failed`
   */
  async remove(caller: Caller, id: string, ifMatch: string | undefined): Promise<void> {
    authorize(caller, 'dashboard:manage');
    const now = this.#now();
    await this.#store.write(async (records) => {
      const before = changeable(caller, await visibleDashboard(records, caller, id));
      await refuseChanged(records, caller, before, ifMatch);
      await records.deleteDashboard(caller.tenantId, id);
      await recordChange(records, caller, { before, after: null }, now);
    });
  }

  /** Reads a definition and plans the searches of its tiles. */
  async #read(caller: Caller, body: unknown): Promise<DashboardDefinition> {
    const definition = readDashboard(body);
    for (const [at, { search }] of definition.tiles.entries()) {
      if (search === null) continue;
      try {
        await checkSearch(this.#search, caller, search);
      } catch (error) {
        throw faultOfTile(error, at);
      }
    }
    return definition;
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

/** @throws ServiceError `not_found` */
async function visibleDashboard(
  records: Pick<Records, 'dashboard'>,
  caller: Caller,
  id: string,
): Promise<Dashboard> {
  const dashboard = await records.dashboard(caller.tenantId, id);
  if (dashboard === null || !(dashboard.shared || dashboard.ownerId === caller.identityId)) {
    throw new ServiceError('not_found', `There is no dashboard ${id.slice(0, 60)}.`);
  }
  return dashboard;
}

function mayChange(caller: Caller, { ownerId }: Pick<Dashboard, 'ownerId'>): boolean {
  const operation = ownerId === caller.identityId ? 'dashboard:manage' : 'dashboard:manage-shared';
  return mayDo(caller, operation);
}

/** @throws ServiceError `forbidden` */
function changeable(caller: Caller, dashboard: Dashboard): Dashboard {
  if (mayChange(caller, dashboard)) return dashboard;
  throw new ServiceError('forbidden', 'Only its owner and administrators may change a dashboard.', {
    causes: ['This dashboard belongs to another user; create one of your own with its tiles.'],
  });
}

/** @throws ServiceError `precondition_failed` */
async function refuseChanged(
  records: Records,
  caller: Caller,
  dashboard: Dashboard,
  ifMatch: string | undefined,
): Promise<void> {
  if (ifMatch === undefined) return;
  if (ifMatchAllows(ifMatch, (await tagged(records, caller, dashboard)).etag)) return;
  throw new ServiceError('precondition_failed', 'The dashboard has changed since it was read.');
}

/**
 * Refuses saved searches that the caller may not see. Those that the dashboard already has may
 * stay, so that one that was deleted does not prevent other changes.
 * @throws ServiceError `request_invalid`
 */
async function refuseUnknownSearches(
  records: Records,
  caller: Caller,
  tiles: readonly DashboardTile[],
  before: readonly DashboardTile[],
): Promise<void> {
  const held = new Set(before.map(({ savedSearchId }) => savedSearchId));
  for (const [at, { savedSearchId }] of tiles.entries()) {
    if (savedSearchId === null || held.has(savedSearchId)) continue;
    if ((await shownSearch(records, caller, savedSearchId, null)) === null) {
      throw invalid(`tiles[${at}].savedSearchId: there is no such saved search`);
    }
  }
}

/**
 * A saved search that a tile shows: one that the caller may see, or one of the owner of the
 * dashboard, who shows it by sharing the dashboard.
 */
async function shownSearch(
  records: Pick<Records, 'savedSearch'>,
  caller: Caller,
  id: string,
  dashboardOwnerId: string | null,
): Promise<SavedSearch | null> {
  const search = await records.savedSearch(caller.tenantId, id);
  if (search === null || search.ownerId === dashboardOwnerId) return search;
  try {
    return await visibleSearch(records, caller, id);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return null;
    throw error;
  }
}

async function tagged(
  records: Pick<Records, 'authUser' | 'savedSearch'>,
  caller: Caller,
  dashboard: Dashboard,
): Promise<TaggedDashboard> {
  const tiles = await Promise.all(
    dashboard.tiles.map(async (tile): Promise<TileView> => {
      if (tile.savedSearchId === null) return { ...tile, savedSearchName: null };
      const { savedSearchId: id } = tile;
      const saved = await shownSearch(records, caller, id, dashboard.ownerId);
      return { ...tile, search: searchOf(saved), savedSearchName: saved?.name ?? null };
    }),
  );
  const names = await ownerNames(records, caller, [dashboard]);
  const tileCount = tiles.length;
  const view = { ...summary(caller, { ...dashboard, tileCount }, names), tiles };
  return { dashboard: view, etag: entityTag(view) };
}

function searchOf(saved: SavedSearch | null): TileSearch | null {
  if (saved === null) return null;
  const { indices, query, columns, fields, sort, orderBy, filters } = saved;
  return { indices, query, columns, fields, sort, orderBy, filters };
}

async function ownerNames(
  records: Pick<Records, 'authUser'>,
  { tenantId }: Caller,
  dashboards: readonly Pick<Dashboard, 'ownerId'>[],
): Promise<ReadonlyMap<string, string | null>> {
  const ids = [...new Set(dashboards.map(({ ownerId }) => ownerId))];
  const users = await Promise.all(ids.map((id) => records.authUser(tenantId, id)));
  return new Map(ids.map((id, at) => [id, users[at]?.displayName || users[at]?.uid || null]));
}

function summary(
  caller: Caller,
  dashboard: ListedDashboard,
  names: ReadonlyMap<string, string | null>,
): DashboardSummary {
  const { id, ownerId, name, shared, created, modified, tileCount } = dashboard;
  const owner = { type: 'IDENTITY', id: ownerId, name: names.get(ownerId) ?? null } as const;
  return {
    ...{ id, owner, name, shared, created, modified, tileCount },
    mayChange: mayChange(caller, dashboard),
  };
}

/** Records a change in the caller's transaction. */
function recordChange(
  records: WritableRecords,
  caller: Caller,
  { before, after }: { readonly before: Dashboard | null; readonly after: Dashboard | null },
  now: string,
): Promise<void> {
  const operation = before === null ? 'CREATE' : after === null ? 'DELETE' : 'MODIFY';
  const verb = `${operation[0]}${operation.slice(1).toLowerCase()}`;
  const { id, name } = (after ?? before) as Dashboard;
  return recordAuditEvent(records, caller.tenantId, {
    ...{ id: newId(randomBytes), created: now, actor: actorOf(caller), status: 'PASSED' },
    ...{ target: name, operation, action: `${verb}Dashboard` },
    technicalName: `DASHBOARD_${operation}_PASSED`,
    attributes: { dashboardId: id, ...changeAttributes(choicesOf(before), choicesOf(after)) },
  });
}

/** The members that callers choose, as the event shows them. */
function choicesOf(dashboard: Dashboard | null): Readonly<Record<string, unknown>> | null {
  if (dashboard === null) return null;
  const { name, shared, tiles } = dashboard;
  return { name, shared, tiles };
}
