// The members of dashboards that the console reads and sends (docs/api.md). Apart from the calls, so
// that what needs no browser compiles without it.
import type { SearchDefinition } from '../../src/query/search-definition.ts';

export type TileKind = 'number' | 'values' | 'time' | 'rows';
export type TileWidth = 1 | 2 | 4;

/** A tile as the service takes it. */
export interface TileDefinition {
  /** null: the name of the saved search. */
  readonly title: string | null;
  readonly kind: TileKind;
  /** Columns of four. */
  readonly width: TileWidth;
  /** The saved search that it shows; null: it has a search of its own. */
  readonly savedSearchId: string | null;
  /** As read: also the search of the saved search; null: it was deleted, or may not be seen. */
  readonly search: SearchDefinition | null;
  /** The field of `values`, or the date field of `time`. */
  readonly field: string | null;
  /** The most values or rows; null: the default. */
  readonly size: number | null;
  /** A number above it is an alarm; null: none is. */
  readonly alarmAbove: number | null;
  readonly savedSearchName?: string | null;
}

export interface DashboardSummary {
  readonly id: string;
  readonly owner: { readonly id: string; readonly name: string | null };
  readonly name: string;
  readonly shared: boolean;
  readonly tileCount: number;
  /** Whether the user may change and delete it. */
  readonly mayChange: boolean;
}

export interface Dashboard extends DashboardSummary {
  readonly tiles: readonly TileDefinition[];
}

/** The members of a dashboard that a user chooses. */
export type DashboardDefinition = Pick<Dashboard, 'name' | 'shared' | 'tiles'>;
