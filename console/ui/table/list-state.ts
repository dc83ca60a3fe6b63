// What the address stores of a table: the shown columns, the order and the page.
// Invariant: a change of anything but the page shows the first page again.

export interface ListState {
  /** null: the default columns. */
  readonly columns: readonly string[] | null;
  /** A field, with `-` in front for descending; null: the default order. */
  readonly sort: string | null;
  /** How many rows are before the page. */
  readonly offset: number;
}

/** Changes of parameters by name: null or an empty value removes one, a list repeats it. */
export type ParameterChanges = Readonly<Record<string, string | readonly string[] | null>>;

/** Reads the state of a table. An invalid offset is the first page. */
export function listStateOf(parameters: URLSearchParams): ListState {
  const columns = (parameters.get('columns') ?? '').split(',').filter((name) => name !== '');
  const offset = Number(parameters.get('offset') ?? 0);
  return {
    columns: columns.length === 0 ? null : columns,
    sort: parameters.get('sort') || null,
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
  };
}

/** The parameters after changes. */
export function changedParameters(
  parameters: URLSearchParams,
  changes: ParameterChanges,
): URLSearchParams {
  const next = new URLSearchParams(parameters);
  next.delete('offset');
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name);
    const values = typeof value === 'string' ? [value] : (value ?? []);
    for (const one of values) if (one !== '') next.append(name, one);
  }
  return next;
}

/** The order after a click on the head of a field: ascending, then descending. */
export function nextSort(sort: string | null, field: string): string {
  return sort === field ? `-${field}` : field;
}

/** The address of a page with parameters, without `?` if there are none. */
export function addressWith(path: string, parameters: URLSearchParams): string {
  const text = String(parameters);
  return text === '' ? path : `${path}?${text}`;
}
