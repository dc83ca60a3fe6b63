// The trend of a number of documents: their counts in the slots of a time range that ends now, and
// the change against as long a time before it.
// Invariant: the counts add up to the number of documents in the range, as its search finds them.

import { quickRangeOf } from '../../../model/quick-ranges.ts';
import type { SearchState } from '../../../model/search-state.ts';
import type { AggregationResult } from '../../../model/wire.ts';

/** A time range that ends now. Slots begin on the hour or day in UTC, so the range may cut the first and the last one. */
export interface Period {
  /** The start as date math, such as `now-7d/d`. */
  readonly from: string;
  /** `last 7 days`. */
  readonly label: string;
  readonly slot: 'hour' | 'day';
}

export interface Trend {
  /** Counts of the slots, oldest first. */
  readonly values: readonly number[];
  readonly current: number;
  readonly previous: number;
  readonly period: Period;
  /** `20% more than before`. */
  readonly change: string;
}

export const MONTH: Period = { from: 'now-30d/d', label: 'last 30 days', slot: 'day' };
const SLOT_MS = { hour: 3_600_000, day: 86_400_000 } as const;

/** The period of a range; null for fixed dates. */
export function periodOf(span: SearchState['span']): Period | null {
  const range = quickRangeOf(span);
  if (range === undefined) return null;
  const { from } = range.span;
  return { from, label: range.label.toLowerCase(), slot: from === 'now-24h' ? 'hour' : 'day' };
}

/** The start of a period in epoch milliseconds. @param now epoch milliseconds */
export function startOf({ from }: Period, now: number): number {
  const [, amount, unit, rounding] = /^now-(\d+)([hdy])(\/d)?$/.exec(from) ?? [];
  const start = new Date(now);
  if (unit === 'h') start.setUTCHours(start.getUTCHours() - Number(amount));
  if (unit === 'd') start.setUTCDate(start.getUTCDate() - Number(amount));
  if (unit === 'y') start.setUTCFullYear(start.getUTCFullYear() - Number(amount));
  if (rounding !== undefined) start.setUTCHours(0, 0, 0, 0);
  return start.getTime();
}

/**
 * Counts documents by slot in a period, and all of as long a time before it, as `current` and
 * `previous`.
 * @param field a date
 * @param now epoch milliseconds
 */
export function trendAggregations(field: string, period: Period, now: number): object {
  const { from, slot } = period;
  const start = startOf(period, now);
  const before = new Date(2 * start - now).toISOString();
  return {
    current: {
      filter: { range: { [field]: { gte: from, lt: 'now' } } },
      aggs: { times: { date_histogram: { field, calendar_interval: slot } } },
    },
    previous: { filter: { range: { [field]: { gte: before, lt: from } } } },
  };
}

/**
 * Computes the trend from the results of `trendAggregations`.
 * @param now the same as there
 */
export function trendOf(
  { current, previous }: Readonly<Record<string, AggregationResult | undefined>>,
  period: Period,
  now: number,
): Trend {
  const slotMs = SLOT_MS[period.slot];
  const slotAt = (moment: number) => Math.floor(moment / slotMs);
  const first = slotAt(startOf(period, now));
  const values = new Array<number>(slotAt(now) - first + 1).fill(0);
  for (const { key, doc_count } of current?.times?.buckets ?? []) {
    // The clock of the service may be ahead or behind.
    const at = Math.min(Math.max(slotAt(Number(key)) - first, 0), values.length - 1);
    values[at] = (values[at] ?? 0) + doc_count;
  }
  const counts = { current: current?.doc_count ?? 0, previous: previous?.doc_count ?? 0 };
  return { values, ...counts, period, change: changeText(counts.current, counts.previous) };
}

/** `in the last 7 days, 20% more than before`. */
export function trendText({ period, change }: Trend): string {
  return `in the ${period.label}, ${change}`;
}

/** `20% more than before`. */
function changeText(current: number, previous: number): string {
  if (current === previous) return 'as many as before';
  if (previous === 0) return 'none before';
  const percent = Math.round((100 * Math.abs(current - previous)) / previous);
  const amount =
    percent === 0 || percent > 999
      ? Math.abs(current - previous).toLocaleString('en')
      : `${percent}%`;
  return `${amount} ${current > previous ? 'more' : 'fewer'} than before`;
}
