// The members of dashboards that the console reads and sends (docs/api.md). Apart from the calls, so
// that what needs no browser compiles without it.

export type TileKind = 'number' | 'values' | 'time' | 'rows';

/** The search of a tile: what a saved search has, without its name. */
export interface TileSearch {
  /** At least one. */
  readonly indices: readonly string[];
  /** In the query language; `*` for everything. */
  readonly query: string;
  /** By document type, such as `identity`. */
  readonly columns: Readonly<
    Record<string, readonly { readonly field: string; readonly header?: string | null }[]>
  >;
  /** The fields in which words without a field are searched; null: the default. */
  readonly fields: readonly string[] | null;
  readonly sort: readonly string[] | null;
  /** By document type; takes precedence over `sort`. */
  readonly orderBy: Readonly<Record<string, readonly string[]>> | null;
  /** The filters of a search. */
  readonly filters: Readonly<Record<string, unknown>> | null;
}

/** A tile as the service takes it. */
export interface TileDefinition {
  /** null: the name of the saved search. */
  readonly title: string | null;
  readonly kind: TileKind;
  /** Columns of four. */
  readonly width: 1 | 2 | 4;
  /** The saved search that it shows; null: it has a search of its own. */
  readonly savedSearchId: string | null;
  /** As read: also the search of the saved search; null: it was deleted, or may not be seen. */
  readonly search: TileSearch | null;
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
