// The layout of the result tables: the columns that the user chose, and their widths. It stays in
// the browser, since it is about the screen, and holds names of fields and numbers, never a value.
import { Cell } from './cell.ts';

/** The layout of one table. */
export interface TableLayout {
  /** null: the default columns. */
  readonly columns: readonly string[] | null;
  /** Widths in pixels by column. */
  readonly widths: Readonly<Record<string, number>>;
}

type Layouts = Readonly<Record<string, TableLayout>>;

const KEY = 'cardea.tables';
const PLAIN: TableLayout = { columns: null, widths: {} };
export const WIDTH_MIN_PX = 64;
export const WIDTH_MAX_PX = 900;
/** The step of a width that is changed by keyboard. */
export const WIDTH_STEP_PX = 24;

/** The layouts by name. */
export const layouts = new Cell<Layouts>(readLayouts(localStorage.getItem(KEY)));

/** The name of the layout of a table: that of its index, with the array if its rows are elements. */
export function layoutName(index: string, rows: { readonly path: string } | null): string {
  return rows === null ? index : `${index} ${rows.path}`;
}

/** The layout of a table. */
export function layoutOf(all: Layouts, table: string): TableLayout {
  return Object.hasOwn(all, table) ? (all[table] ?? PLAIN) : PLAIN;
}

/** Changes the layout of a table, and stores it. */
export function changeLayout(table: string, change: Partial<TableLayout>): void {
  const all = { ...layouts.get(), [table]: { ...layoutOf(layouts.get(), table), ...change } };
  layouts.set(all);
  localStorage.setItem(KEY, JSON.stringify(all));
}

/** Sets the width of one column, within the limits. */
export function setWidth(table: string, column: string, px: number): void {
  const width = Math.round(Math.max(WIDTH_MIN_PX, Math.min(WIDTH_MAX_PX, px)));
  const { widths } = layoutOf(layouts.get(), table);
  changeLayout(table, { widths: { ...widths, [column]: width } });
}

function readLayouts(text: string | null): Layouts {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return Object.fromEntries(Object.entries(value as object).flatMap(readLayout));
  } catch {
    // Not JSON: written by something else.
    return {};
  }
}

function readLayout([table, value]: [string, unknown]): [string, TableLayout][] {
  if (typeof value !== 'object' || value === null) return [];
  const { columns, widths } = value as Record<string, unknown>;
  const names = Array.isArray(columns) ? columns.filter((name) => typeof name === 'string') : [];
  const sizes = typeof widths === 'object' && widths !== null ? Object.entries(widths) : [];
  const sound = sizes.filter(([, px]) => typeof px === 'number' && px >= WIDTH_MIN_PX);
  return [
    [table, { columns: names.length === 0 ? null : names, widths: Object.fromEntries(sound) }],
  ];
}
