// The trend of a number of events: counts in equal slots of the last period, and the change against
// the period before it.
import type { Bucket } from '../api/wire.ts';

/** A time range that ends now, in slots that a histogram counts. */
export interface Period {
  /** `24 hours`, `30 days`. */
  readonly label: string;
  readonly slots: number;
  readonly slot: 'hour' | 'day';
}

export interface Trend {
  /** Counts of the slots of the period, oldest first. */
  readonly values: readonly number[];
  readonly current: number;
  readonly previous: number;
  /** `20% more than before`. */
  readonly change: string;
  /** `12 in the last 30 days, 20% more than before`. */
  readonly text: string;
}

export const MONTH: Period = { label: '30 days', slots: 30, slot: 'day' };
const PERIODS: Readonly<Record<string, Period>> = {
  'now-24h': { label: '24 hours', slots: 24, slot: 'hour' },
  'now-7d/d': { label: '7 days', slots: 7, slot: 'day' },
  'now-30d/d': MONTH,
  'now-90d/d': { label: '90 days', slots: 90, slot: 'day' },
  'now-1y/d': { label: '365 days', slots: 365, slot: 'day' },
};
const SLOT_MS = { hour: 3_600_000, day: 86_400_000 } as const;

/** The period of a range that ends now; 30 days for any other range. */
export function periodOf(span: { readonly from: string; readonly to: string } | null): Period {
  return (span?.to === 'now' ? PERIODS[span.from] : undefined) ?? MONTH;
}

/** The start of a number of periods that end with the present slot. @param now epoch milliseconds */
export function startOf({ slots, slot }: Period, periods: number, now: number): number {
  const slotMs = SLOT_MS[slot];
  return (Math.floor(now / slotMs) + 1) * slotMs - periods * slots * slotMs;
}

/**
 * Computes the trend from a histogram over two periods.
 * @param buckets of slots that have documents; the key is the start in epoch milliseconds
 * @param now epoch milliseconds
 */
export function trendOf(buckets: readonly Bucket[], period: Period, now: number): Trend {
  const slotMs = SLOT_MS[period.slot];
  const start = startOf(period, 2, now);
  const counts = new Array<number>(2 * period.slots).fill(0);
  for (const { key, doc_count } of buckets) {
    const at = Math.floor((Number(key) - start) / slotMs);
    if (at >= 0 && at < counts.length) counts[at] = (counts[at] ?? 0) + doc_count;
  }
  const previous = sumOf(counts.slice(0, period.slots));
  const values = counts.slice(period.slots);
  const current = sumOf(values);
  const change = changeText(current, previous);
  const text = `${current.toLocaleString('en')} in the last ${period.label}, ${change}`;
  return { values, current, previous, change, text };
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

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
