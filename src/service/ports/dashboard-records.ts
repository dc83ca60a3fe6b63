// What the store keeps of dashboards: tiles over searches, which their owner may share with the
// other users of the tenant.
import type { SearchDefinition } from '../../query/search-definition.ts';
import type { ListPage } from './saved-search-records.ts';

/**
 * What a tile shows of the documents that match its search: how many there are, the most frequent
 * values of a field, how many there are over time, or the first of them.
 */
export type TileKind = 'number' | 'values' | 'time' | 'rows';

export interface DashboardTile {
  /** null: the name of the saved search. */
  readonly title: string | null;
  readonly kind: TileKind;
  /** Columns of four. */
  readonly width: 1 | 2 | 4;
  /** The saved search that the tile shows; null: it has a search of its own. */
  readonly savedSearchId: string | null;
  /** Its own search; null: it shows a saved search. */
  readonly search: SearchDefinition | null;
  /** The field of `values`, or the date field of `time`; otherwise null. */
  readonly field: string | null;
  /** The most values or rows; null: the choice of the client. */
  readonly size: number | null;
  /** A number above it is an alarm; null: none is. */
  readonly alarmAbove: number | null;
}

/** What a caller chooses of a dashboard. */
export interface DashboardDefinition {
  readonly name: string;
  /** Whether all users of the tenant who may search see it. */
  readonly shared: boolean;
  readonly tiles: readonly DashboardTile[];
}

export interface Dashboard extends DashboardDefinition {
  /** UUID. */
  readonly id: string;
  /** Identity of the user who created it. */
  readonly ownerId: string;
  /** ISO 8601, as `modified`. */
  readonly created: string;
  readonly modified: string;
}

/** A dashboard without its tiles, as lists show it. */
export interface ListedDashboard extends Omit<Dashboard, 'tiles'> {
  readonly tileCount: number;
}

export interface DashboardRecords {
  dashboard(tenantId: string, id: string): Promise<Dashboard | null>;
  /** The dashboards of an owner and those that others share, oldest first. */
  visibleDashboards(
    tenantId: string,
    ownerId: string,
    page: ListPage,
  ): Promise<readonly ListedDashboard[]>;
  visibleDashboardCount(tenantId: string, ownerId: string): Promise<number>;
  /** How many dashboards the owner has, shared or not. */
  ownDashboardCount(tenantId: string, ownerId: string): Promise<number>;
}

export interface WritableDashboardRecords extends DashboardRecords {
  putDashboard(tenantId: string, dashboard: Dashboard): Promise<void>;
  /** @returns whether it existed */
  deleteDashboard(tenantId: string, id: string): Promise<boolean>;
}
