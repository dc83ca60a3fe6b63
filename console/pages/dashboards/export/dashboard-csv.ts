// Tiles and dashboards as CSV, with exact values. A tile is a table of its own; a dashboard is one
// table of all values, since its tiles have different columns.
import { csvRow } from '../../../../src/query/csv-row.ts';
import { BYTE_ORDER_MARK } from '../../../model/csv.ts';
import { valuesAt } from '../../../model/document-value.ts';
import type { Document } from '../../../model/wire.ts';
import type { LoadedTile, TileData } from '../tile/tile.ts';

/** A tile as a table: a header, then rows. */
export function tileCsv(tile: LoadedTile): string {
  const { columns, rows } = tableOf(tile);
  return BYTE_ORDER_MARK + [columns, ...rows].map((cells) => csvRow(cells)).join('');
}

/** All values of some tiles: a row for each value, with its tile, query, row and column. */
export function dashboardCsv(tiles: readonly LoadedTile[]): string {
  const values = tiles.flatMap((loaded) => {
    const { columns, rows } = tableOf(loaded);
    const { title, query } = loaded.tile;
    // The first column names the rows, but of documents, which are numbered.
    const isNumbered = loaded.data.kind === 'rows';
    return rows.flatMap((cells, at) => {
      const name = isNumbered ? at + 1 : (cells[0] ?? '');
      return columns
        .map((column, position) => [title, query, name, column, cells[position] ?? ''])
        .slice(isNumbered ? 0 : 1);
    });
  });
  const rows = [['Tile', 'Query', 'Row', 'Column', 'Value'], ...values];
  return BYTE_ORDER_MARK + rows.map((cells) => csvRow(cells)).join('');
}

type Cells = readonly unknown[];

function tableOf({ tile, data }: LoadedTile): {
  readonly columns: readonly string[];
  readonly rows: readonly Cells[];
} {
  switch (data.kind) {
    case 'number':
      return numberTable(tile.title, data);
    case 'values':
      return {
        columns: [data.field, 'Documents'],
        rows: data.values.map(({ name, count }) => [name, count]),
      };
    case 'time': {
      const { times, counts, failed } = data.bars;
      const hasFailures = failed?.some((count) => count > 0) ?? false;
      return {
        columns: ['Start (UTC)', 'Documents', ...(hasFailures ? ['Failed'] : [])],
        rows: times.map((time, at) => [
          new Date(time * 1000).toISOString(),
          counts[at] ?? 0,
          ...(hasFailures ? [failed?.[at] ?? 0] : []),
        ]),
      };
    }
    case 'rows':
      return {
        columns: data.columns.map(({ label }) => label),
        rows: data.rows.map((row) => data.columns.map(({ field }) => cellOf(row, field))),
      };
  }
}

/** The value at a path; several share the cell. */
function cellOf(row: Document, field: string): unknown {
  const values = valuesAt(row, field);
  return values.length === 1 ? values[0] : values;
}

function numberTable(title: string, { value, trend }: Extract<TileData, { kind: 'number' }>) {
  const rows: Cells[] = [[title, value]];
  if (trend !== null) {
    rows.push([`${title}: ${trend.period.label}`, trend.current]);
    rows.push([`${title}: as long before`, trend.previous]);
  }
  return { columns: ['Figure', 'Documents'], rows };
}
