// The built-in dashboard as tiles.
import type { IndexName } from '../../../src/query/query.ts';
import type { SearchDefinition } from '../../../src/query/search-definition.ts';
import { aggregate, count } from '../../api/search-api.ts';
import { searchAddress } from '../../model/reference.ts';
import { defaultSearch, printSearch, type SearchState } from '../../model/search-state.ts';
import { bucketsIn, documentsOf, loadTimes, loadTrend } from './tile/load-tile.ts';
import type { Tile, TileData } from './tile/tile.ts';
import { addressOf, searchOf } from './tile/tile-search.ts';
import { MONTH, type Period, periodOf } from './tile/trend.ts';
import { BARS, type BarsTile, barSearch, barsBody, FIGURES, type FigureTile } from './tiles.ts';

/** The tiles of the built-in dashboard. */
export interface BuiltInTiles {
  readonly figures: readonly Tile[];
  /** Activity over time; null: no events are visible. */
  readonly activity: Tile | null;
  readonly bars: readonly Tile[];
}

/** The search of the events that the activity shows. */
export function eventsIn(span: SearchState['span']): SearchState {
  return { ...defaultSearch('events'), span };
}

/**
 * @param span the time range of the page; null: all time, and 30 days for trends
 * @param types those of visible documents; there are no tiles about others
 */
export function builtInTiles(span: SearchState['span'], types: readonly IndexName[]): BuiltInTiles {
  const period = periodOf(span) ?? MONTH;
  const isVisible = ({ index }: { readonly index: IndexName }) => types.includes(index);
  return {
    figures: FIGURES.filter(isVisible).map((figure) => figureTile(figure, period)),
    activity: types.includes('events') ? activityTile(eventsIn(span)) : null,
    bars: BARS.filter(isVisible).map(barsTile),
  };
}

function figureTile(figure: FigureTile, period: Period): Tile {
  const { title, hint, index, query, alarm, isInPeriod } = figure;
  return {
    ...{ id: title, title, kind: 'number', width: 1, query },
    hint: isInPeriod ? `${hint} in the ${period.label}` : hint,
    address: isInPeriod ? periodAddress(figure, period) : searchAddress(index, query),
    isFailure: figure.isFailure ?? false,
    alarm: alarm === undefined ? null : { above: 0, tone: alarm },
    key: `${index} ${query} ${isInPeriod ? period.label : ''}`,
    load: (signal) => loadFigure(figure, period, signal),
  };
}

async function loadFigure(
  { index, query, recent, isInPeriod }: FigureTile,
  period: Period,
  signal: AbortSignal,
): Promise<TileData> {
  if (isInPeriod) {
    const trend = await loadTrend(plainSearch(index, query), 'created', period, signal);
    return { kind: 'number', value: trend.current, note: trend.change, trend };
  }
  const numberOf = (text: string) => count({ indices: [index], query: { query: text } }, signal);
  const [value, added] = await Promise.all([
    numberOf(query),
    recent === undefined ? null : numberOf(recent.query),
  ]);
  const note = recent === undefined ? null : `${added?.toLocaleString('en')} ${recent.words}`;
  return { kind: 'number', value, note, trend: null };
}

function periodAddress({ index, query }: FigureTile, { from }: Period): string {
  return `#${printSearch({ ...defaultSearch(index), query, span: { from, to: 'now' } })}`;
}

function activityTile(state: SearchState): Tile {
  const search = searchOf(state);
  return {
    ...{ id: 'activity', title: 'Activity over time', hint: null, kind: 'time', width: 4 },
    ...{ address: addressOf(search), query: search.query, isFailure: false, alarm: null },
    key: `activity ${JSON.stringify(state.span)}`,
    load: (signal) => loadTimes(search, 'created', signal),
  };
}

function barsTile(bars: BarsTile): Tile {
  return {
    ...{ id: bars.title, title: bars.title, hint: null, kind: 'values', width: 2, address: null },
    ...{ query: bars.query ?? '*', isFailure: bars.isFailure ?? false, alarm: null },
    key: bars.title,
    async load(signal) {
      const { values } = await aggregate(barsBody(bars), signal);
      return {
        kind: 'values',
        field: bars.field,
        values: bucketsIn(values).map((bucket) => {
          const name = String(bucket.key);
          const address = searchAddress(bars.index, barSearch(bars, name));
          return { name, count: documentsOf(bucket), address };
        }),
      };
    },
  };
}

function plainSearch(index: FigureTile['index'], query: string): SearchDefinition {
  const nothing = { columns: {}, fields: null, sort: null, orderBy: null, filters: null };
  return { ...nothing, indices: [index], query };
}
