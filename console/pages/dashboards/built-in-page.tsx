// The built-in dashboard. Every tile shows a live count or aggregation and links to the search behind
// it.
import { useMemo } from 'preact/hooks';
import { visibleTypes } from '../../api/views/sight.ts';
import { printSearch, readSearch, type SearchState } from '../../model/search-state.ts';
import type { PageProps } from '../../ui/page-props.ts';
import { go, replace } from '../../ui/route.ts';
import { useCell } from '../../ui/use-cell.ts';
import { Timeline } from '../search/timeline.tsx';
import { builtInTiles, eventsIn } from './built-in.ts';
import { ExportMenu } from './export/export-menu.tsx';
import { DashboardHead } from './parts/dashboard-head.tsx';
import { TileView } from './parts/tile-view.tsx';

export function BuiltInPage({ route }: PageProps) {
  const { span } = readSearch('events', route.parameters);
  const types = useCell(visibleTypes) ?? [];
  const tiles = useMemo(() => builtInTiles(span, types), [JSON.stringify(span), types]);
  const events = eventsIn(span);
  const chooseRange = (range: SearchState['span']) =>
    replace(
      range === null
        ? '/dashboard'
        : `/dashboard?${new URLSearchParams({ in: `${range.from}|${range.to}` })}`,
    );
  const { activity } = tiles;
  const all = [...tiles.figures, ...(activity === null ? [] : [activity]), ...tiles.bars];
  return (
    <div class="page dashboards">
      <DashboardHead title="Dashboard" current={null}>
        <ExportMenu title="Dashboard" tiles={all} />
      </DashboardHead>
      <div class="figures">
        {tiles.figures.map((tile) => (
          <TileView tile={tile} key={tile.id} />
        ))}
      </div>
      {activity !== null && (
        <section class="tile" aria-label="Activity over time">
          <header class="tile-head">
            <h2 class="tile-title">
              <a href={`#${printSearch(events)}`}>Activity over time</a>
            </h2>
            <ExportMenu title="Activity over time" tiles={[activity]} isCompact />
          </header>
          <Timeline
            state={events}
            field="created"
            onSpan={(range) => go(printSearch({ ...events, span: range }))}
            onRange={chooseRange}
          />
        </section>
      )}
      <div class="bar-tiles">
        {tiles.bars.map((tile) => (
          <TileView tile={tile} key={tile.id} />
        ))}
      </div>
    </div>
  );
}
