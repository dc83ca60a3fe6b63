// A sort key over one segment. Each row has a place, its sort position as a number, so that the
// collector compares numbers only; a place can be turned back into its value. Smaller places come
// first in either order; missing values come last.
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { SortKey, SortValue } from '../../query/query.ts';
import { type Cells, cellsOf, elementCellsOf } from '../fields/document-cells.ts';
import type { Terms } from '../fields/term-dictionary.ts';
import type {
  NumberIndex,
  SegmentView,
  Table,
  TermDictionary,
  ValueIndex,
} from '../sections/segment.ts';
import { compareCodePoints, encodeText } from '../sections/utf8.ts';

/** The place of missing values. */
export const LAST = Number.POSITIVE_INFINITY;

/** One sort key over one segment. */
export interface SortColumn {
  /** The terms whose ordinals, with a sign, the places are; null if places are plain numbers. */
  readonly terms: Terms | null;
  /** The column that places are read from; null unless it is a column of numbers. */
  readonly numbers: { readonly index: NumberIndex; readonly parent: Int32Array | null } | null;
  /** The column of the documents whose places are those of their elements, the rows; else null. */
  readonly documents: {
    readonly column: SortColumn;
    /** The document of each row. */
    readonly parent: Int32Array;
    /** Of the documents. */
    readonly rowCount: number;
  } | null;
  /** The place of a row; `score` is its score, for keys that sort by it. */
  place(row: number, score: number): number;
  /** The place of a value of `searchAfter`. */
  placeOf(value: SortValue): number;
  /** The value of a place. */
  valueAt(place: number): SortValue;
}

/** The row that a page begins after: rows that tie with it are later from `row` on. */
export interface AfterRow {
  readonly places: Float64Array;
  readonly row: number;
}

/** True if a row comes strictly after another in sort order. */
export function isAfter(places: Float64Array, row: number, after: AfterRow): boolean {
  for (let key = 0; key < places.length; key++) {
    if (places[key] !== after.places[key]) return places[key]! > after.places[key]!;
  }
  return row >= after.row;
}

/** Reads the places of a row. @param score for columns by score */
export function readPlaces(
  columns: readonly SortColumn[],
  row: number,
  score: number,
  places: Float64Array,
): void {
  for (let key = 0; key < places.length; key++) places[key] = columns[key]!.place(row, score);
}

/** The places of the values of `searchAfter`. */
export function placesOf(
  columns: readonly SortColumn[],
  values: readonly SortValue[],
): Float64Array {
  return Float64Array.from(columns, (column, at) => column.placeOf(values[at] ?? null));
}

export function sortColumn(key: SortKey, mapping: Mapping, view: SegmentView): SortColumn {
  const sign = key.order === 'asc' ? 1 : -1;
  if (key.type === 'score') return SCORE;
  if (key.type === 'doc') return { ...UNKNOWN, place: (row) => sign * row, placeOf: () => LAST };
  const constant = mapping.constants[key.field];
  if (constant !== undefined) return constantColumn(constant, sign);
  const path = mapping.fields.get(key.field)?.nested ?? null;
  const table = path === null ? view.segment.root : view.segment.nested.get(path);
  if (table === undefined) return UNKNOWN;
  return columnOf(table, key, (start) => cellsOf(table, start));
}

/**
 * A sort key over the elements of a nested table: a field of the elements, or of their documents. The
 * rows are those of the table. No key sorts by score or index order.
 */
export function elementColumn(
  key: SortKey,
  mapping: Mapping,
  view: SegmentView,
  table: Table,
): SortColumn {
  if (mapping.fields.get(key.field)?.nested === table.path) {
    const column = columnOf(table, key, elementCellsOf);
    const { numbers } = column;
    return numbers === null ? column : { ...column, numbers: { ...numbers, parent: null } };
  }
  const column = sortColumn(key, mapping, view);
  const parent = table.parent!;
  const { docCount } = view.segment;
  return {
    ...column,
    place: (row) => column.place(parent[row]!, 0),
    numbers: null,
    documents: { column, parent, rowCount: docCount },
  };
}

/** The cells of a row in a column that starts as in ValueIndex; null if each row has its own cell. */
type CellsOf = (start: Uint32Array | null) => Cells | null;

function columnOf(
  table: Table,
  { field, order, type, form }: SortKey,
  cellsIn: CellsOf,
): SortColumn {
  const sign = order === 'asc' ? 1 : -1;
  if (type !== 'string') return numberColumn(table, field, sign, cellsIn);
  const values = table.values(field);
  if (values === undefined) return UNKNOWN;
  return form === 'folded' && values.folded !== values.exact
    ? stringColumn(values, foldedOrder(values), sign, cellsIn)
    : stringColumn(values, exactOrder(values), sign, cellsIn);
}

/** What the values of a field are sorted by. */
interface TermOrder {
  readonly terms: TermDictionary;
  /** By exact ordinal: the ordinal in `terms`; null if it is the same. */
  readonly ordOf: Uint32Array | null;
}

function exactOrder({ exact }: ValueIndex): TermOrder {
  return { terms: exact, ordOf: null };
}

function foldedOrder({ folded, exactToFolded }: ValueIndex): TermOrder {
  return { terms: folded, ordOf: exactToFolded };
}

const NO_COLUMN = { terms: null, numbers: null, documents: null };

const UNKNOWN: SortColumn = {
  ...NO_COLUMN,
  place: () => LAST,
  placeOf: (value) => (value === null ? LAST : 0),
  valueAt: () => null,
};

/** Best first in either order. */
const SCORE: SortColumn = {
  ...NO_COLUMN,
  place: (_row, score) => -score,
  placeOf: (value) => (typeof value === 'number' ? -value : LAST),
  valueAt: (place) => 0 - place,
};

function constantColumn(constant: string, sign: number): SortColumn {
  const bytes = encodeText(constant);
  return {
    terms: { bytes, offsets: Uint32Array.of(0, bytes.length) },
    numbers: null,
    documents: null,
    place: () => 0,
    placeOf: (value) =>
      value === null ? LAST : sign * Math.sign(compareCodePoints(String(value), constant)),
    valueAt: () => constant,
  };
}

function stringColumn(
  { ords, ordStart }: ValueIndex,
  { terms, ordOf }: TermOrder,
  sign: number,
  cellsIn: CellsOf,
): SortColumn {
  const cells = cellsIn(ordStart);
  const placeOf = (ord: number) => sign * (ordOf === null ? ord : ordOf[ord]!);
  return {
    terms,
    numbers: null,
    documents: null,
    place(row) {
      if (cells === null) {
        const ord = ords[row]!;
        return ord < 0 ? LAST : placeOf(ord);
      }
      let place = LAST;
      for (let cell = cells.first(row), end = cells.end(row); cell < end; cell++) {
        const ord = ords[cell]!;
        if (ord >= 0 && placeOf(ord) < place) place = placeOf(ord);
      }
      return place;
    },
    placeOf: (value) => (value === null ? LAST : sign * ordinalOf(terms, String(value))),
    valueAt: (place) => (place === LAST ? null : terms.term(Math.abs(place))),
  };
}

/** A term that the segment does not have is halfway between its neighbours. */
function ordinalOf(terms: TermDictionary, term: string): number {
  const ord = terms.find(term);
  return ord >= 0 ? ord : terms.ceiling(term) - 0.5;
}

function numberColumn(table: Table, field: string, sign: number, cellsIn: CellsOf): SortColumn {
  const numbers = table.numbers(field, 'value');
  if (numbers === undefined) return UNKNOWN;
  const { values, start } = numbers;
  const cells = cellsIn(start);
  return {
    terms: null,
    numbers: { index: numbers, parent: table.parent },
    documents: null,
    place(row) {
      if (cells === null) {
        const value = values[row]!;
        return Number.isNaN(value) ? LAST : sign * value;
      }
      let place = LAST;
      for (let cell = cells.first(row), end = cells.end(row); cell < end; cell++) {
        const value = values[cell]!;
        if (sign * value < place) place = sign * value; // false for NaN
      }
      return place;
    },
    placeOf: (value) => (value === null ? LAST : sign * Number(value)),
    valueAt: (place) => (place === LAST ? null : sign * place + 0),
  };
}
