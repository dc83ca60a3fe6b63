// Dashboards: create, list, read, replace and delete them. Only the definitions are here; a client
// runs the searches of the tiles with the rights of its user.
// Invariant: a user sees their own dashboards and those that others share, and changes their own;
// an administrator also changes what others share. What is stored can be planned as searches.

import { authorize, mayDo } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { systemClock } from '../../auth/clock.ts';
import { ServiceError } from '../../errors.ts';
import { invalid } from '../../query/body.ts';
import { readCollectionPage } from '../../query/collections/collection-page.ts';
import type { SearchDefinition } from '../../query/search-definition.ts';
import { entityTag, ifMatchAllows } from '../accounts/entity-tag.ts';
import { type ItemKind, type OwnerReference, ownerIdOf } from '../owned-items/owned-item.ts';
import { OwnedItems } from '../owned-items/owned-items.ts';
import type {
  Dashboard,
  DashboardDefinition,
  DashboardTile,
  ListedDashboard,
} from '../ports/dashboard-records.ts';
import type { SavedSearch } from '../ports/saved-search-records.ts';
import type { Records, Store } from '../ports/store.ts';
import type { Listed, ListParameters } from '../saved-searches/list-request.ts';
import { SAVED_SEARCH, type Warn } from '../saved-searches/saved-searches.ts';
import { checkSearch } from '../saved-searches/search-check.ts';
import type { Search } from '../searching/search.ts';
import { faultOfTile, readDashboard } from './dashboard-request.ts';

/** A dashboard in a list. */
export interface DashboardSummary {
  readonly id: string;
  /** The name is null if there is no such auth user any more. */
  readonly owner: OwnerReference & { readonly name: string | null };
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

/** A dashboard with the entity tag for its next change. */
export interface TaggedDashboard {
  readonly dashboard: DashboardView;
  /** Strong entity tag, quotes included. */
  readonly etag: string;
}

const MAX_DASHBOARDS_PER_OWNER = 100;

const DASHBOARD: ItemKind<Dashboard> = {
  ...{ noun: 'dashboard', object: 'DASHBOARD', plural: 'dashboards' },
  maxPerOwner: MAX_DASHBOARDS_PER_OWNER,
  read: (records, tenantId, id) => records.dashboard(tenantId, id),
  count: (records, tenantId, ownerId) => records.ownDashboardCount(tenantId, ownerId),
  put: (records, tenantId, dashboard) => records.putDashboard(tenantId, dashboard),
  remove: (records, tenantId, id) => records.deleteDashboard(tenantId, id),
  isVisible: (caller, { shared, ownerId }) => shared || ownerId === caller.identityId,
  mayChange,
};

/** The use cases of dashboards. */
export class Dashboards {
  readonly #store: Store;
  readonly #search: Pick<Search, 'checker'>;
  readonly #items: OwnedItems<Dashboard>;

  constructor(store: Store, search: Pick<Search, 'checker'>, { clock = systemClock } = {}) {
    this.#store = store;
    this.#search = search;
    this.#items = new OwnedItems(store, clock, DASHBOARD);
  }

  /**
   * @param signal aborts the check of the searches
   * @param warn gets the warnings of such searches
   * @throws ServiceError `forbidden`, `body_malformed`, `request_invalid`, `limit_violation`,
   * `deadline_exceeded`, `cancelled`
   */
  async create(
    caller: Caller,
    body: unknown,
    signal?: AbortSignal,
    warn?: Warn,
  ): Promise<TaggedDashboard> {
    authorize(caller, 'dashboard:manage');
    const definition = await this.#read(caller, body, signal, warn);
    const created = await this.#items.create(caller, definition, (records) =>
      refuseUnknownSearches(records, caller, definition.tiles, []),
    );
    return tagged(this.#store.read, caller, created);
  }

  /** Your own and those that others share. @throws ServiceError `forbidden`, `request_invalid` */
  async list(caller: Caller, parameters: ListParameters = {}): Promise<Listed<DashboardSummary>> {
    authorize(caller, 'dashboard:read');
    const page = readCollectionPage(parameters);
    const { read } = this.#store;
    const ownerId = ownerIdOf(caller);
    const dashboards = await read.visibleDashboards(caller.tenantId, ownerId, page);
    const total = page.count ? await read.visibleDashboardCount(caller.tenantId, ownerId) : null;
    const names = await ownerNames(read, caller, dashboards);
    return { items: dashboards.map((one) => summary(caller, one, names)), total };
  }

  /** @throws ServiceError `forbidden`, `not_found` also for a private one of somebody else */
  async get(caller: Caller, id: string): Promise<TaggedDashboard> {
    authorize(caller, 'dashboard:read');
    return tagged(this.#store.read, caller, await this.#items.visible(caller, id));
  }

  /**
   * Replaces a dashboard; its owner stays.
   * @param signal aborts the check of the searches
   * @param warn gets the warnings of such searches
   * @param ifMatch the header If-Match, if sent
   * @throws ServiceError as create, `not_found`, `precondition_failed`
   */
  async replace(
    caller: Caller,
    id: string,
    body: unknown,
    signal?: AbortSignal,
    warn?: Warn,
    ifMatch?: string,
  ): Promise<TaggedDashboard> {
    authorize(caller, 'dashboard:manage');
    await this.#items.changeable(caller, id);
    const definition = await this.#read(caller, body, signal, warn);
    const replaced = await this.#items.replace(caller, id, definition, async (records, before) => {
      refuseChanged(before, ifMatch);
      await refuseUnknownSearches(records, caller, definition.tiles, before?.tiles ?? []);
    });
    return tagged(this.#store.read, caller, replaced);
  }

  /**
   * @param ifMatch the header If-Match, if sent
   * @throws ServiceError `forbidden`, `not_found`, `precondition_failed`
   */
  async remove(caller: Caller, id: string, ifMatch: string | undefined): Promise<void> {
    authorize(caller, 'dashboard:manage');
    await this.#items.remove(caller, id, (_, before) => refuseChanged(before, ifMatch));
  }

  /** Reads a definition and plans the searches of its tiles. */
  async #read(
    caller: Caller,
    body: unknown,
    signal: AbortSignal | undefined,
    warn: Warn | undefined,
  ): Promise<DashboardDefinition> {
    const definition = readDashboard(body);
    const check = this.#search.checker(caller, signal);
    for (const [at, { search }] of definition.tiles.entries()) {
      if (search === null) continue;
      try {
        const hints = await checkSearch(check, search);
        warn?.(hints.map(({ text }) => ({ text: `tiles[${at}]: ${text}` })));
      } catch (error) {
        throw faultOfTile(error, at);
      }
    }
    return definition;
  }
}

function mayChange(caller: Caller, { ownerId }: Pick<Dashboard, 'ownerId'>): boolean {
  const operation = ownerId === caller.identityId ? 'dashboard:manage' : 'dashboard:manage-shared';
  return mayDo(caller, operation);
}

/** @throws ServiceError `precondition_failed` */
function refuseChanged(before: Dashboard | null, ifMatch: string | undefined): void {
  if (before === null || ifMatch === undefined || ifMatchAllows(ifMatch, tagOf(before))) return;
  throw new ServiceError('precondition_failed', 'The dashboard has changed since it was read.');
}

/**
 * The entity tag of what a change replaces. It does not cover what others change: the name of the
 * owner, and the saved searches of tiles.
 */
function tagOf({ modified, name, shared, tiles }: Dashboard): string {
  return entityTag([modified, name, shared, tiles]);
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
  const isNew = ({ savedSearchId }: DashboardTile) => !held.has(savedSearchId);
  const searches = await shownSearches(records, caller, tiles.filter(isNew), null);
  for (const [at, tile] of tiles.entries()) {
    const { savedSearchId } = tile;
    if (savedSearchId !== null && isNew(tile) && !searches.has(savedSearchId)) {
      throw invalid(`tiles[${at}].savedSearchId: there is no such saved search`);
    }
  }
}

/**
 * The saved searches that tiles show, by id: those that the caller may see, and those of the owner
 * of the dashboard, who shows them by sharing the dashboard.
 */
async function shownSearches(
  records: Pick<Records, 'savedSearchesById'>,
  caller: Caller,
  tiles: readonly DashboardTile[],
  dashboardOwnerId: string | null,
): Promise<ReadonlyMap<string, SavedSearch>> {
  const ids = new Set(tiles.flatMap(({ savedSearchId }) => savedSearchId ?? []));
  const searches = await records.savedSearchesById(caller.tenantId, [...ids]);
  const shown = searches.filter(
    (search) => search.ownerId === dashboardOwnerId || SAVED_SEARCH.isVisible(caller, search),
  );
  return new Map(shown.map((search) => [search.id, search]));
}

async function tagged(
  records: Pick<Records, 'authUser' | 'savedSearchesById'>,
  caller: Caller,
  dashboard: Dashboard,
): Promise<TaggedDashboard> {
  const searches = await shownSearches(records, caller, dashboard.tiles, dashboard.ownerId);
  const names = await ownerNames(records, caller, [dashboard]);
  const tiles = dashboard.tiles.map((tile): TileView => {
    if (tile.savedSearchId === null) return { ...tile, savedSearchName: null };
    const saved = searches.get(tile.savedSearchId) ?? null;
    return { ...tile, search: searchOf(saved), savedSearchName: saved?.name ?? null };
  });
  const tileCount = tiles.length;
  const view = { ...summary(caller, { ...dashboard, tileCount }, names), tiles };
  return { dashboard: view, etag: tagOf(dashboard) };
}

function searchOf(saved: SavedSearch | null): SearchDefinition | null {
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
