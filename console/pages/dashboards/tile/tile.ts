// A tile as the dashboards show and export it, whether built in or defined by a user, and its data.
import type { IndexName } from '../../../../src/query/query.ts';
import type { TileKind, TileWidth } from '../../../api/dashboard.ts';
import type { Document } from '../../../model/wire.ts';
import type { Bars } from '../../../ui/charts/bars.ts';
import type { Trend } from './trend.ts';

/** A value of a field and the number of documents that have it. */
export interface ValueCount {
  readonly name: string;
  readonly count: number;
  /** The search for these documents; null: it cannot be shown. */
  readonly address: string | null;
}

export type TileData =
  | {
      readonly kind: 'number';
      readonly value: number;
      /** What changed lately, in words; null: the data do not tell. */
      readonly note: string | null;
      readonly trend: Trend | null;
    }
  | { readonly kind: 'values'; readonly field: string; readonly values: readonly ValueCount[] }
  | { readonly kind: 'time'; readonly interval: string; readonly bars: Bars }
  | {
      readonly kind: 'rows';
      readonly index: IndexName;
      readonly columns: readonly TileColumn[];
      readonly rows: readonly Document[];
      /** How many documents match. */
      readonly total: number;
    };

/** A column of a table. */
export interface TileColumn {
  readonly field: string;
  readonly label: string;
}

export interface Tile {
  /** Unique on its dashboard. */
  readonly id: string;
  readonly title: string;
  readonly hint: string | null;
  readonly kind: TileKind;
  readonly width: TileWidth;
  /** The search behind it; null: the search page cannot show it. */
  readonly address: string | null;
  /** The query as text, for exports. */
  readonly query: string;
  /** True if its documents are failures, which are red. */
  readonly isFailure: boolean;
  /** The tone of a number above a threshold; null: no number is an alarm. */
  readonly alarm: { readonly above: number; readonly tone: 'bad' | 'warn' } | null;
  /** Identifies what `load` loads. */
  readonly key: string;
  readonly load: (signal: AbortSignal) => Promise<TileData>;
}

/** A tile whose data are there. */
export interface LoadedTile {
  readonly tile: Tile;
  readonly data: TileData;
}

/** The tone of an alarm; undefined if there is none. */
export function alarmOf({ alarm }: Pick<Tile, 'alarm'>, value: number): 'bad' | 'warn' | undefined {
  return alarm !== null && value > alarm.above ? alarm.tone : undefined;
}
