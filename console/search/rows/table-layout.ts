// The layout of the result tables: the columns that the user chose, and their widths. It stays in
// the browser, since it is about the screen, and holds names of fields and numbers, never a value.
import { Cell } from '../../api/cell.ts';

/** The layout of the table of one index. */
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

/** The layouts by index. */
export const layouts = new Cell<Layouts>(readLayouts(localStorage.getItem(KEY)));

/** The layout of an index. */
export function layoutOf(all: Layouts, index: string): TableLayout {
  return Object.hasOwn(all, index) ? (all[index] ?? PLAIN) : PLAIN;
}

/** Changes the layout of an index, and stores it. */
export function changeLayout(index: string, change: Partial<TableLayout>): void {
  const all = { ...layouts.get(), [index]: { ...layoutOf(layouts.get(), index), ...change } };
  layouts.set(all);
  localStorage.setItem(KEY, JSON.stringify(all));
}

/** Sets the width of one column, within the limits. */
export function setWidth(index: string, column: string, px: number): void {
  const width = Math.round(Math.max(WIDTH_MIN_PX, Math.min(WIDTH_MAX_PX, px)));
  const { widths } = layoutOf(layouts.get(), index);
  changeLayout(index, { widths: { ...widths, [column]: width } });
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

function readLayout([index, value]: [string, unknown]): [string, TableLayout][] {
  if (typeof value !== 'object' || value === null) return [];
  const { columns, widths } = value as Record<string, unknown>;
  const names = Array.isArray(columns) ? columns.filter((name) => typeof name === 'string') : [];
  const sizes = typeof widths === 'object' && widths !== null ? Object.entries(widths) : [];
  const sound = sizes.filter(([, px]) => typeof px === 'number' && px >= WIDTH_MIN_PX);
  return [
    [index, { columns: names.length === 0 ? null : names, widths: Object.fromEntries(sound) }],
  ];
}
