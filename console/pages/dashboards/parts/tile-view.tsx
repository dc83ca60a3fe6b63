// A tile with its title, its menu and its data: a number, values, bars over time, or rows.
import type { ComponentChildren } from 'preact';
import { countedText } from '../../../model/amount.ts';
import {
  firstText,
  instantText,
  isInstant,
  textAt,
  valuesAt,
} from '../../../model/document-value.ts';
import { documentAddress } from '../../../model/reference.ts';
import type { Document } from '../../../model/wire.ts';
import { BarChart } from '../../../ui/charts/bar-chart.tsx';
import { Sparkline } from '../../../ui/charts/sparkline.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { useOneStop } from '../../../ui/keyboard/one-stop.ts';
import { FaultNotice, Waiting } from '../../../ui/notice.tsx';
import { TableFrame } from '../../../ui/table-frame.tsx';
import { useLoad } from '../../../ui/use-load.ts';
import { CellValue } from '../../search/rows/cell-value.tsx';
import { ExportMenu } from '../export/export-menu.tsx';
import { alarmOf, type Tile, type TileData } from '../tile/tile.ts';
import type { Trend } from '../tile/trend.ts';

export interface TileViewProps {
  readonly tile: Tile;
  /** Shown above the title, such as the buttons of the editor. */
  readonly children?: ComponentChildren;
}

export function TileView({ tile, children }: TileViewProps) {
  const { value, fault, reload, loading } = useLoad(tile.key, tile.load);
  const tone = value?.kind === 'number' ? alarmOf(tile, value.value) : undefined;
  return (
    <section
      class={`tile dashboard-tile ${tile.kind === 'number' ? 'figure-tile' : ''}`}
      aria-label={tile.title}
      data-kind={tile.kind}
      data-alarm={tone}
      data-failure={tile.isFailure}
    >
      {children}
      <header class="tile-head">
        <h2 class="tile-title">
          {tone !== undefined && <Icon name="alert" size={15} />}{' '}
          {tile.address === null ? tile.title : <a href={tile.address}>{tile.title}</a>}
        </h2>
        <ExportMenu title={tile.title} tiles={[tile]} isCompact />
      </header>
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      {value === undefined && fault === null && tile.kind !== 'number' && <Waiting />}
      {tile.kind === 'number' && fault === null && <Figure data={value} hint={tile.hint} />}
      {value !== undefined && fault === null && (
        <div class="tile-body" data-stale={loading}>
          <Body tile={tile} data={value} />
        </div>
      )}
    </section>
  );
}

function Body({ tile, data }: { tile: Tile; data: TileData }) {
  switch (data.kind) {
    case 'number':
      return data.trend === null ? null : (
        <Sparkline values={data.trend.values} title={lineTitle(data.trend)} />
      );
    case 'values':
      return <Values data={data} />;
    case 'time':
      return <Times tile={tile} data={data} />;
    case 'rows':
      return <Rows tile={tile} data={data} />;
  }
}

/** What the line of a number shows. */
function lineTitle({ period: { label, slot } }: Trend): string {
  return `Documents by ${slot} (UTC) in the ${label}`;
}

type DataOf<Kind extends TileData['kind']> = Extract<TileData, { readonly kind: Kind }>;

function Figure({ data, hint }: { data: TileData | undefined; hint: string | null }) {
  const figure = data?.kind === 'number' ? data : null;
  return (
    <>
      <strong class="figure-value">
        {figure === null ? '…' : figure.value.toLocaleString('en')}
      </strong>
      {hint !== null && <span class="quiet">{hint}</span>}
      {figure !== null && figure.note !== null && <span class="figure-note">{figure.note}</span>}
    </>
  );
}

function Values({ data }: { data: DataOf<'values'> }) {
  const stop = useOneStop<HTMLUListElement>('a');
  const most = Math.max(1, ...data.values.map(({ count }) => count));
  if (data.values.length === 0) return <p class="quiet">No results</p>;
  return (
    <ul class="bars" {...stop}>
      {data.values.map(({ name, count, address }) => {
        const parts = (
          <>
            <span class="bar-name">{name}</span>
            <span class="bar-count">{count.toLocaleString('en')}</span>
            <span class="bar-room">
              <span class="bar-fill" style={{ width: `${(100 * count) / most}%` }} />
            </span>
          </>
        );
        return (
          <li key={name}>
            {address === null ? (
              <span class="bar">{parts}</span>
            ) : (
              <a class="bar" href={address}>
                {parts}
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}

const CHART_HEIGHT_PX = 170;

function Times({ tile, data: { bars, interval } }: { tile: Tile; data: DataOf<'time'> }) {
  const sum = bars.counts.reduce((all, count) => all + count, 0);
  const failed = (bars.failed ?? []).reduce((all, count) => all + count, 0);
  if (bars.times.length === 0) return <p class="quiet">No data</p>;
  const failures = failed > 0 && !tile.isFailure;
  const failedText = failures ? `, of which ${failed.toLocaleString('en')} failed` : '';
  const label = `${tile.title}: ${countedText(sum, 'document')} by ${interval}${failedText}`;
  return (
    <>
      <BarChart bars={bars} label={label} heightPx={CHART_HEIGHT_PX} />
      {failures && (
        <span class="legend">
          <span class="legend-bad" aria-hidden="true" /> {failed.toLocaleString('en')} failed
        </span>
      )}
    </>
  );
}

function Rows({
  tile,
  data: { index, columns, rows, total },
}: {
  tile: Tile;
  data: DataOf<'rows'>;
}) {
  if (rows.length === 0) return <p class="quiet">No results</p>;
  return (
    <>
      <TableFrame label={`Rows of ${tile.title}`}>
        <thead>
          <tr>
            {columns.map(({ field, label }) => (
              <th key={field} class={cellClass(rows[0], field)}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={firstText(row, 'id')}>
              {columns.map(({ field }, at) => (
                <td key={field} class={cellClass(row, field)}>
                  {at === 0 ? (
                    <a href={documentAddress(index, firstText(row, 'id'))}>{nameOf(row, field)}</a>
                  ) : (
                    <CellValue field={field} values={valuesAt(row, field)} terms={[]} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </TableFrame>
      {total > rows.length && (
        <p class="quiet">
          {rows.length} of {total.toLocaleString('en')}
        </p>
      )}
    </>
  );
}

/** Numbers are right-aligned. */
function cellClass(row: Document | undefined, field: string): string {
  return typeof valuesAt(row, field)[0] === 'number' ? 'cell-number' : '';
}

/** The text of the link to a document. */
function nameOf(row: Document, field: string): string {
  const text = textAt(row, field);
  if (text === '') return firstText(row, 'displayName', 'name', 'id');
  return isInstant(text) ? instantText(text) : text;
}
