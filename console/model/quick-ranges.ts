// Time ranges that end now. They stay relative in the address, so that a link shows the last days
// whenever it is opened.
import type { SearchState } from './search-state.ts';

export interface QuickRange {
  readonly label: string;
  readonly span: NonNullable<SearchState['span']>;
}

export const QUICK_RANGES: readonly QuickRange[] = [
  { label: 'Last 24 hours', span: { from: 'now-24h', to: 'now' } },
  { label: 'Last 7 days', span: { from: 'now-7d/d', to: 'now' } },
  { label: 'Last 30 days', span: { from: 'now-30d/d', to: 'now' } },
  { label: 'Last 90 days', span: { from: 'now-90d/d', to: 'now' } },
  { label: 'Last year', span: { from: 'now-1y/d', to: 'now' } },
];

/** The quick range of a span; undefined for fixed dates. */
export function quickRangeOf(span: SearchState['span']): QuickRange | undefined {
  return QUICK_RANGES.find((range) => range.span.from === span?.from && range.span.to === span.to);
}

/** A span in words. */
export function spanLabel(span: NonNullable<SearchState['span']>): string {
  const day = (moment: string) => (moment.startsWith('now') ? moment : moment.slice(0, 10));
  return quickRangeOf(span)?.label ?? `${day(span.from)} to ${day(span.to)}`;
}
