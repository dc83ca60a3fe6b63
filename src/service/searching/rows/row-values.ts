// Reads the values of one row from a document and one of its elements.
import type { Column } from '../../../query/rows/columns.ts';

type Json = Readonly<Record<string, unknown>>;

/** The cells of one row as JSON values, in the order of the columns; null where nothing is. */
export function rowValues(
  columns: readonly Column[],
  document: Json,
  element: Json | null,
): unknown[] {
  return columns.map(({ path, ofElement }) => valueAt(ofElement ? element : document, path));
}

/**
 * The value at a dotted path. Below an array it is an array with one value for each item, null where
 * an item has none, so that two columns of the same array have their values at the same places. The
 * name of a member may contain dots, as those of attributes can.
 */
export function valueAt(value: unknown, path: string): unknown {
  if (path === '') return value ?? null;
  if (Array.isArray(value)) return value.map((item) => valueAt(item, path));
  if (typeof value !== 'object' || value === null) return null;
  const members = value as Json;
  if (Object.hasOwn(members, path)) return members[path] ?? null;
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(members, name)) return valueAt(members[name], path.slice(dot + 1));
  }
  return null;
}
