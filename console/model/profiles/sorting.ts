// The order of profiles on the pages. The service orders by members of the record, ascending; the
// console reverses an order by reading from the end, and sorts by an attribute itself, if few
// enough profiles match.

/** Members that the service orders by. */
export const SERVICE_ORDERS = ['name', 'status', 'uid', 'created_at', 'updated_at'] as const;
export type ServiceOrder = (typeof SERVICE_ORDERS)[number];

/** Most profiles that the console sorts itself. */
export const SORTED_MAX = 2_000;

/** An order in the address: `name`, `-updated_at`, `attributes.end_date`. */
export interface Sort {
  readonly field: string;
  readonly isDescending: boolean;
}

/** Reads the order of an address; by name without one. */
export function sortOf(text: string | null): Sort {
  const isDescending = text?.startsWith('-') ?? false;
  const field = (isDescending ? text?.slice(1) : text) || 'name';
  return { field, isDescending };
}

/** The member by which the service orders; null: the console sorts. */
export function serviceOrder({ field }: Sort): ServiceOrder | null {
  return SERVICE_ORDERS.find((order) => order === field) ?? null;
}

/**
 * The rows of the ascending order that are a page of the descending one, to be reversed; null past
 * the end.
 */
export function reversedWindow(
  offset: number,
  size: number,
  total: number,
): { readonly offset: number; readonly limit: number } | null {
  const end = total - offset;
  const start = Math.max(0, end - size);
  return end <= 0 ? null : { offset: start, limit: end - start };
}

/** Sorts by the text of a cell: numbers by value, words without case, missing ones last. */
export function sortedBy<R>(rows: readonly R[], cell: (row: R) => string, sort: Sort): R[] {
  const keyed = rows.map((row) => ({ row, text: cell(row) }));
  const sign = sort.isDescending ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.text === '' || b.text === '') return Number(a.text === '') - Number(b.text === '');
    return sign * compared(a.text, b.text);
  });
  return keyed.map(({ row }) => row);
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const COLLATOR = new Intl.Collator('en', { sensitivity: 'base' });

function compared(a: string, b: string): number {
  if (NUMBER.test(a) && NUMBER.test(b)) return Number(a) - Number(b);
  return COLLATOR.compare(a, b);
}
