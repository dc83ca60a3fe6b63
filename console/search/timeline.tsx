// A histogram of the matches over time. Dragging over the bars, or two date fields, filter by time.
import { aggregate } from '../api/search-api.ts';
import { BarChart } from '../ui/bar-chart.tsx';
import { Icon } from '../ui/icon.tsx';
import { useLoad } from '../ui/use-load.ts';
import { boundsBody, histogramBody, intervalFor } from './search-body.ts';
import type { SearchState } from './search-state.ts';

export interface TimelineProps {
  readonly state: SearchState;
  /** The date field of the histogram. */
  readonly field: string;
  readonly onSpan: (span: SearchState['span']) => void;
}

const DAY_MS = 86_400_000;

export function Timeline({ state, field, onSpan }: TimelineProps) {
  const { index, query, facetFilters, span } = state;
  const key = JSON.stringify([index, query, facetFilters, span]);
  const { value, loading } = useLoad(key, (signal) => loadTimes(state, field, signal));
  const choose = (from: number, to: number) =>
    onSpan({ from: new Date(from * 1000).toISOString(), to: new Date(to * 1000).toISOString() });
  const sum = value?.bars.counts.reduce((all, count) => all + count, 0) ?? 0;
  const label = value
    ? `${sum} documents by ${value.interval}, ${value.first} to ${value.last}`
    : 'Timeline';
  return (
    <section class="timeline" aria-label="Timeline">
      <div data-stale={loading}>
        {value !== undefined && value !== null ? (
          <BarChart bars={value.bars} label={label} heightPx={110} onSpan={choose} />
        ) : (
          <p class="timeline-none quiet">{loading ? '' : 'No data'}</p>
        )}
      </div>
      <div class="timeline-dates">
        <DateField
          label="From"
          value={span?.from ?? ''}
          onDate={(from) => onSpan(spanWith(span, { from }))}
        />
        <DateField
          label="Before"
          value={span?.to ?? ''}
          onDate={(to) => onSpan(spanWith(span, { to }))}
        />
        <span class="quiet">UTC. Drag over the bars to select a time range.</span>
        {span !== null && (
          <button type="button" class="button" onClick={() => onSpan(null)}>
            <Icon name="close" size={14} /> All time
          </button>
        )}
      </div>
    </section>
  );
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
  return (
    <label class="date-field">
      <span>{label}</span>
      <input
        type="date"
        value={value.slice(0, 10)}
        onChange={({ currentTarget }) => {
          const time = Date.parse(currentTarget.value);
          if (!Number.isNaN(time)) onDate(new Date(time).toISOString());
        }}
      />
    </label>
  );
}

/** Changes one end of a time range; an end before the start becomes one day after it. */
function spanWith(
  span: SearchState['span'],
  change: { from?: string; to?: string },
): SearchState['span'] {
  const from = change.from ?? span?.from ?? '1970-01-01T00:00:00.000Z';
  const to = change.to ?? span?.to ?? new Date(Date.now() + DAY_MS).toISOString();
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
    },
  };
}
