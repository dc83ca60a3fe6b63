// Loads the data of tiles from their searches.
import type { TileSearch } from '../api/dashboard.ts';
import { aggregate, count, search as runSearch } from '../api/search-api.ts';
import type { AggregationResult, Bucket } from '../api/wire.ts';
import { intervalFor } from '../search/search-body.ts';
import type { TileData } from './tile.ts';
import {
  bodyOf,
  boundsBody,
  columnsIn,
  indexOf,
  rowsBody,
  timeBody,
  trendBody,
  valueAddress,
  valuesBody,
} from './tile-search.ts';
import { type Period, type Trend, trendOf } from './trend.ts';

/**
 * How many documents match, with the trend of a period.
 * @param whole the search without the time range of the page
 * @throws ApiFault
 */
export async function loadNumber(
  search: TileSearch,
  whole: TileSearch,
  period: Period,
  signal: AbortSignal,
): Promise<TileData> {
  const [value, trend] = await Promise.all([
    count(bodyOf(search), signal),
    loadTrend(whole, period, signal),
  ]);
  return { kind: 'number', value, note: trend?.text ?? null, trend };
}

/** The trend of a search; null if its documents have none. @throws ApiFault */
export async function loadTrend(
  search: TileSearch,
  period: Period,
  signal: AbortSignal,
): Promise<Trend | null> {
  const now = Date.now();
  const body = trendBody(search, period, now);
  if (body === null) return null;
  const { times } = await aggregate(body, signal);
  return trendOf(times?.buckets ?? [], period, now);
}

/** The most frequent values of a field. @throws ApiFault */
export async function loadValues(
  search: TileSearch,
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
  search: TileSearch,
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
  search: TileSearch,
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
