// The bars of a chart over time as data: the height at which outliers are cut off, and bars in words.
// Free of the drawing library, which is loaded with the first chart.

export interface Bars {
  /** Start times of the bars: epoch seconds, ascending. */
  readonly times: readonly number[];
  readonly counts: readonly number[];
  /** The part of each count that failed, drawn in red. */
  readonly failed?: readonly number[];
}

/** The height of a chart and the bars that exceed it. */
export interface BarScale {
  /** The largest count that is drawn in full; Infinity: all are. */
  readonly ceiling: number;
  /** Indexes of the bars that are cut off, ascending. */
  readonly cut: readonly number[];
}

/** Charts with fewer bars are drawn in full. */
const BARS_MIN = 6;
/** The share of bars that may be cut off; at least one may. */
const CUT_SHARE = 0.1;
/** How many times higher an outlier is than the highest other bar. */
const OUTLIER = 3;
/** The height of outliers above the highest other bar, as a factor. */
const HEADROOM = 1.35;

/**
 * Cuts off the few bars that are more than three times as high as all others: one day with an import
 * would flatten every other day.
 */
export function barScale(counts: readonly number[]): BarScale {
  const none = { ceiling: Number.POSITIVE_INFINITY, cut: [] };
  if (counts.length < BARS_MIN) return none;
  const sorted = [...counts].sort((one, other) => other - one);
  for (let many = Math.max(1, Math.floor(counts.length * CUT_SHARE)); many > 0; many -= 1) {
    const lowestOutlier = sorted[many - 1] ?? 0;
    const highest = sorted[many] ?? 0;
    if (highest === 0 || lowestOutlier <= OUTLIER * highest) continue;
    const ceiling = highest * HEADROOM;
    return { ceiling, cut: counts.flatMap((count, at) => (count > ceiling ? [at] : [])) };
  }
  return none;
}

/** The counts and failures as they are drawn. A bar that is cut off keeps its share of failures. */
export function drawnBars(
  { counts, failed = [] }: Bars,
  { ceiling }: Pick<BarScale, 'ceiling'>,
): { readonly counts: number[]; readonly failed: number[] } {
  const shrunk = counts.map((count) => (count > ceiling ? ceiling / count : 1));
  return {
    counts: counts.map((count, at) => count * (shrunk[at] ?? 1)),
    failed: counts.map((_, at) => (failed[at] ?? 0) * (shrunk[at] ?? 1)),
  };
}

/** The width of the last bar in seconds: that of the bar before it. */
export function stepOf(times: readonly number[]): number {
  const [before, last] = times.slice(-2);
  return before === undefined || last === undefined ? 3600 : last - before;
}

/** The end of a bar in epoch seconds. */
export function endOf(times: readonly number[], at: number): number {
  return times[at + 1] ?? (times[at] ?? 0) + stepOf(times);
}

/** The bar that covers a time; null: the time is before all bars. */
export function barAt(times: ArrayLike<number>, time: number): number | null {
  let at = -1;
  while (at + 1 < times.length && (times[at + 1] ?? 0) <= time) at += 1;
  return at < 0 ? null : at;
}

/**
 * A bar in words: `2026-11-20: 120, 3 failed`; a bar whose time has not ended is `so far`.
 * @param now epoch seconds
 */
export function barText(bars: Bars, at: number, now: number): string {
  const { times, counts, failed } = bars;
  const failures = failed?.[at] ?? 0;
  const count = (counts[at] ?? 0).toLocaleString('en');
  const partial = endOf(times, at) > now ? ' so far' : '';
  const failedText = failures > 0 ? `, ${failures.toLocaleString('en')} failed` : '';
  return `${timeText(times[at] ?? 0)}: ${count}${partial}${failedText}`;
}

const DAY = 86_400;
/** More than 27 days between two marks: months. */
const MONTH = 27 * DAY;

/**
 * The marks of an axis of times, in UTC: `11-20` with the year in a second line where it begins, or
 * `13:00` with the day there, or `2026-11`.
 * @param times epoch seconds, ascending
 * @param step seconds between two marks
 */
export function axisTexts(times: readonly number[], step: number): string[] {
  const starts = times.map((time) => new Date(time * 1000).toISOString());
  if (step >= MONTH) return starts.map((start) => start.slice(0, 7));
  const [from, to, whole] = step >= DAY ? [5, 10, 4] : [11, 16, 10];
  return starts.map((start, n) => {
    const mark = start.slice(from, to);
    const isNew = starts[n - 1]?.slice(0, whole) !== start.slice(0, whole);
    return isNew ? `${mark}\n${start.slice(0, whole)}` : mark;
  });
}

/** The start of a bar in UTC: `2026-11-20`, or with the time `2026-11-20 13:00`. */
export function timeText(seconds: number): string {
  const start = new Date(seconds * 1000).toISOString();
  const day = start.slice(11, 16) === '00:00' ? start.slice(0, 10) : start.slice(0, 16);
  return day.replace('T', ' ');
}
