// A histogram of the matches over time. Dragging over the bars, or two date fields, filter by time.
import { aggregate } from '../../api/search-api.ts';
import { countedText } from '../../model/amount.ts';
import { QUICK_RANGES, quickRangeOf } from '../../model/quick-ranges.ts';
import { boundsBody, histogramBody, intervalFor } from '../../model/search-body.ts';
import type { SearchState } from '../../model/search-state.ts';
import { BarChart } from '../../ui/charts/bar-chart.tsx';
import { Icon } from '../../ui/icon.tsx';
import { FaultNotice } from '../../ui/notice.tsx';
import { useTypedDay } from '../../ui/typing/use-typed-day.ts';
import { useLoad } from '../../ui/use-load.ts';

export interface TimelineProps {
  readonly state: SearchState;
  /** The date field of the histogram. */
  readonly field: string;
  readonly onSpan: (span: SearchState['span']) => void;
  /** Receives a range of the menu; by default `onSpan` does. */
  readonly onRange?: (span: SearchState['span']) => void;
}

const DAY_MS = 86_400_000;

export function Timeline({ state, field, onSpan, onRange = onSpan }: TimelineProps) {
  const { index, query, facetFilters, excluded, span, moreFilters, wordFields } = state;
  const filters = [facetFilters, excluded, span, moreFilters, wordFields];
  const key = JSON.stringify([index, query, filters]);
  const load = useLoad(key, (signal) => loadTimes(state, field, signal));
  const { fault, reload, loading } = load;
  // The query box and the results say why a query is refused.
  const hasFailed = fault !== null && fault.kind !== 'refused';
  const value = hasFailed ? undefined : load.value;
  const choose = (from: number, to: number) =>
    onSpan({ from: new Date(from * 1000).toISOString(), to: new Date(to * 1000).toISOString() });
  const sum = sumOf(value?.bars.counts);
  const failed = sumOf(value?.bars.failed);
  const label = value
    ? `${countedText(sum, 'document')} by ${value.interval}, ${value.first} to ${value.last}${failedText(failed)}`
    : 'Timeline';
  return (
    <section class="timeline" aria-label="Timeline">
      <div data-stale={loading}>
        {hasFailed && <FaultNotice fault={fault} reload={reload} />}
        {value != null && (
          <BarChart bars={value.bars} label={label} heightPx={110} onSpan={choose} />
        )}
        {value == null && !hasFailed && (
          <p class="timeline-none quiet">{value === null && !loading ? 'No data' : ''}</p>
        )}
      </div>
      <div class="timeline-dates">
        <RangeMenu span={span} onSpan={onRange} />
        <DateField
          label="From"
          value={dateOf(span?.from)}
          onDate={(from) => onSpan(spanWith(span, { from }))}
        />
        <DateField
          label="Before"
          value={dateOf(span?.to)}
          onDate={(to) => onSpan(spanWith(span, { to }))}
        />
        {failed > 0 && (
          <span class="legend">
            <span class="legend-bad" aria-hidden="true" /> {failed.toLocaleString('en')} failed
          </span>
        )}
        <span class="quiet">UTC. Drag over the bars to select a time range.</span>
        {span !== null && (
          <button type="button" class="button" onClick={() => onRange(null)}>
            <Icon name="close" size={14} /> Clear dates
          </button>
        )}
      </div>
    </section>
  );
}

function sumOf(counts: readonly number[] = []): number {
  return counts.reduce((all, count) => all + count, 0);
}

function failedText(failed: number): string {
  return failed === 0 ? '' : `, of which ${failed.toLocaleString('en')} failed`;
}

const CUSTOM = 'custom';

/** Time ranges that end now. */
function RangeMenu({
  span,
  onSpan,
}: Pick<TimelineProps, 'onSpan'> & { span: SearchState['span'] }) {
  const value = span === null ? '' : (quickRangeOf(span)?.label ?? CUSTOM);
  return (
    <label class="select">
      <span class="unseen">Time range</span>
      <select
        value={value}
        onChange={({ currentTarget }) =>
          onSpan(QUICK_RANGES.find(({ label }) => label === currentTarget.value)?.span ?? null)
        }
      >
        <option value="">All time</option>
        {QUICK_RANGES.map(({ label }) => (
          <option key={label} value={label}>
            {label}
          </option>
        ))}
        {value === CUSTOM && <option value={CUSTOM}>Dates</option>}
      </select>
    </label>
  );
}

/** The date of an instant; '' for a relative one. */
function dateOf(moment: string | undefined): string {
  return moment === undefined || moment.startsWith('now') ? '' : moment.slice(0, 10);
}

function DateField({
  label,
  value,
  onDate,
}: {
  label: string;
  value: string;
  onDate: (instant: string) => void;
}) {
  const field = useTypedDay(value, (day) => {
    if (day !== '') onDate(new Date(day).toISOString());
  });
  return (
    <label class="date-field">
      <span>{label}</span>
      <input type="date" {...field} />
    </label>
  );
}

/** Changes one end of a time range; an end before the start becomes one day after it. */
function spanWith(
  span: SearchState['span'],
  change: { from?: string; to?: string },
): SearchState['span'] {
  const fixed = span?.from.startsWith('now') ? null : span;
  const from = change.from ?? fixed?.from ?? '1970-01-01T00:00:00.000Z';
  const to = change.to ?? fixed?.to ?? new Date(Date.now() + DAY_MS).toISOString();
  if (Date.parse(from) < Date.parse(to)) return { from, to };
  const next = new Date(Date.parse(from) + DAY_MS).toISOString();
  return { from, to: next };
}

async function loadTimes(state: SearchState, field: string, signal: AbortSignal) {
  const { first, last } = await aggregate(boundsBody(state, field), signal);
  if (typeof first?.value !== 'number' || typeof last?.value !== 'number') return null;
  const interval = intervalFor(last.value - first.value);
  const { times } = await aggregate(histogramBody(state, field, interval), signal);
  const buckets = times?.buckets ?? [];
  return {
    interval,
    first: new Date(first.value).toISOString().slice(0, 10),
    last: new Date(last.value).toISOString().slice(0, 10),
    bars: {
      times: buckets.map(({ key }) => Number(key) / 1000),
      counts: buckets.map(({ doc_count }) => doc_count),
      failed: buckets.map(({ failed }) => failed?.doc_count ?? 0),
    },
  };
}
