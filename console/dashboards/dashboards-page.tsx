// The dashboard. Every tile shows a live count or aggregation and links to the search behind it.
import { aggregate, count } from '../api/search-api.ts';
import type { AggregationResult, Bucket } from '../api/wire.ts';
import { searchAddress } from '../document/reference.ts';
import type { PageProps } from '../page-props.ts';
import {
  defaultSearch,
  printSearch,
  readSearch,
  type SearchState,
} from '../search/search-state.ts';
import { Timeline } from '../search/timeline.tsx';
import '../style/dashboards.css';
import { Icon } from '../ui/icon.tsx';
import { FaultNotice, Waiting } from '../ui/notice.tsx';
import { go, replace } from '../ui/route.ts';
import { useLoad } from '../ui/use-load.ts';
import { BARS, type BarsTile, barSearch, barsBody, FIGURES, type FigureTile } from './tiles.ts';

export function DashboardsPage({ route }: PageProps) {
  const events = { ...defaultSearch('events'), span: readSearch('events', route.parameters).span };
  const chooseRange = (span: SearchState['span']) =>
    replace(
      span === null
        ? '/dashboard'
        : `/dashboard?${new URLSearchParams({ in: `${span.from}|${span.to}` })}`,
    );
  return (
    <div class="page dashboards">
      <h1>Dashboard</h1>
      <ul class="figures" aria-label="Figures">
        {FIGURES.map((tile) => (
          <Figure tile={tile} key={tile.title} />
        ))}
      </ul>
      <section class="tile" aria-label="Activity over time">
        <h2>
          <a href={`#${printSearch(events)}`}>Activity over time</a>
        </h2>
        <Timeline
          state={events}
          field="created"
          onSpan={(span) => go(printSearch({ ...events, span }))}
          onRange={chooseRange}
        />
      </section>
      <div class="bar-tiles">
        {BARS.map((tile) => (
          <Bars tile={tile} key={tile.title} />
        ))}
      </div>
    </div>
  );
}

function Figure({ tile: { title, hint, index, query, alarm } }: { tile: FigureTile }) {
  const { value, fault, reload } = useLoad(`${index} ${query}`, (signal) =>
    count({ indices: [index], query: { query } }, signal),
  );
  if (fault !== null)
    return (
      <li>
        <FaultNotice fault={fault} reload={reload} />
      </li>
    );
  const isAlarm = alarm !== undefined && value !== undefined && value > 0;
  return (
    <li>
      <a
        class="tile figure-tile"
        data-alarm={isAlarm ? alarm : undefined}
        href={searchAddress(index, query)}
      >
        <span class="figure-title">
          {isAlarm && <Icon name="alert" size={15} />} {title}
        </span>
        <strong class="figure-value">
          {value === undefined ? '…' : value.toLocaleString('en')}
        </strong>
        <span class="quiet">{hint}</span>
      </a>
    </li>
  );
}

function Bars({ tile }: { tile: BarsTile }) {
  const { value, fault, reload } = useLoad(tile.title, (signal) =>
    aggregate(barsBody(tile), signal),
  );
  const buckets = bucketsIn(value?.['values']);
  const most = Math.max(1, ...buckets.map(documentsOf));
  return (
    <section class="tile" aria-label={tile.title} data-failure={tile.isFailure}>
      <h2>{tile.title}</h2>
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      {value === undefined && fault === null && <Waiting />}
      {value !== undefined && buckets.length === 0 && <p class="quiet">No results</p>}
      <ul class="bars">
        {buckets.map((bucket) => (
          <li key={String(bucket.key)}>
            <a class="bar" href={searchAddress(tile.index, barSearch(tile, String(bucket.key)))}>
              <span class="bar-name">{bucket.key}</span>
              <span class="bar-count">{documentsOf(bucket).toLocaleString('en')}</span>
              <span class="bar-room">
                <span
                  class="bar-fill"
                  style={{ width: `${(100 * documentsOf(bucket)) / most}%` }}
                />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function bucketsIn(result: AggregationResult | undefined): readonly Bucket[] {
  if (result === undefined) return [];
  return result.buckets ?? bucketsIn(result.values);
}

function documentsOf(bucket: Bucket): number {
  return bucket.documents?.doc_count ?? bucket.doc_count;
}
