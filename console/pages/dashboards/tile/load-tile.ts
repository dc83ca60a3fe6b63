// Loads the data of tiles from their searches.
import type { SearchDefinition } from '../../../../src/query/search-definition.ts';
import { aggregate, count, search as runSearch } from '../../../api/search-api.ts';
import { intervalFor } from '../../../model/search-body.ts';
import type { SearchState } from '../../../model/search-state.ts';
import type { AggregationResult, Bucket } from '../../../model/wire.ts';
import type { TileData } from './tile.ts';
import {
  bodyOf,
  boundsBody,
  columnsIn,
  indexOf,
  rowsBody,
  timeBody,
  timelineOf,
  valueAddress,
  valuesBody,
  withSpan,
} from './tile-search.ts';
import {
  MONTH,
  type Period,
  periodOf,
  type Trend,
  trendAggregations,
  trendOf,
  trendText,
} from './trend.ts';

/**
 * How many documents of a time range match, with the trend of that range; without a range how many
 * match at all, with the trend of the last 30 days.
 * @param search without the time range of the page
 * @param span the time range of the page; null: all time
 * @throws ApiFault
 */
export async function loadNumber(
  search: SearchDefinition,
  span: SearchState['span'],
  signal: AbortSignal,
): Promise<TileData> {
  const period = span === null ? MONTH : periodOf(span);
  const field = timelineOf(search);
  const loadedTrend =
    period === null || field === null ? null : loadTrend(search, field, period, signal);
  if (span !== null && loadedTrend !== null) {
    const trend = await loadedTrend;
    return { kind: 'number', value: trend.current, note: trendText(trend), trend };
  }
  const all = count(bodyOf(withSpan(search, span)), signal);
  const [value, trend] = await Promise.all([all, loadedTrend]);
  const note = trend === null ? null : `${trend.current.toLocaleString('en')} ${trendText(trend)}`;
  return { kind: 'number', value, note, trend };
}

/** The trend of a search by a date field. @throws ApiFault */
export async function loadTrend(
  search: SearchDefinition,
  field: string,
  period: Period,
  signal: AbortSignal,
): Promise<Trend> {
  const now = Date.now();
  const aggregationsDsl = trendAggregations(field, period, now);
  return trendOf(await aggregate({ ...bodyOf(search), aggregationsDsl }, signal), period, now);
}

/** The most frequent values of a field. @throws ApiFault */
export async function loadValues(
  search: SearchDefinition,
  field: string,
  size: number,
  signal: AbortSignal,
): Promise<TileData> {
  const { values } = await aggregate(valuesBody(search, field, size), signal);
  return {
    kind: 'values',
    field,
    values: bucketsIn(values).map((bucket) => {
      const name = bucket.key_as_string ?? String(bucket.key);
      return { name, count: documentsOf(bucket), address: valueAddress(search, field, name) };
    }),
  };
}

/** How many documents match over time. @throws ApiFault */
export async function loadTimes(
  search: SearchDefinition,
  field: string,
  signal: AbortSignal,
): Promise<TileData> {
  const { first, last } = await aggregate(boundsBody(search, field), signal);
  const none = { times: [], counts: [], failed: [] };
  if (typeof first?.value !== 'number' || typeof last?.value !== 'number') {
    return { kind: 'time', interval: 'day', bars: none };
  }
  const interval = intervalFor(last.value - first.value);
  const { times } = await aggregate(timeBody(search, field, interval), signal);
  const buckets = times?.buckets ?? [];
  return {
    kind: 'time',
    interval,
    bars: {
      times: buckets.map(({ key }) => Number(key) / 1000),
      counts: buckets.map(({ doc_count }) => doc_count),
      failed: buckets.map(({ failed }) => failed?.doc_count ?? 0),
    },
  };
}

/** The first rows. @throws ApiFault */
export async function loadRows(
  search: SearchDefinition,
  size: number,
  signal: AbortSignal,
): Promise<TileData> {
  const { hits, total } = await runSearch(
    rowsBody(search),
    { limit: size, count: 'exact' },
    signal,
  );
  return { kind: 'rows', index: indexOf(search), columns: columnsIn(search), rows: hits, total };
}

/** The buckets of a result that is named `values` at every level. */
export function bucketsIn(result: AggregationResult | undefined): readonly Bucket[] {
  if (result === undefined) return [];
  return result.buckets ?? bucketsIn(result.values);
}

/** The documents of a bucket, also if it counts elements. */
export function documentsOf(bucket: Bucket): number {
  return bucket.documents?.doc_count ?? bucket.doc_count;
}
