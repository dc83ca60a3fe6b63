// Where the four columns of an access graph are in a given width.

/** Places of the columns, in px. */
export interface Columns {
  readonly total: number;
  /** That of each column. */
  readonly width: number;
  /** The left edge of each. */
  readonly lefts: readonly number[];
}

/** Narrower than this, names do not fit; then the frame scrolls. */
const WIDTH_MIN = 760;
const GAP_MIN = 44;
const GAP_MAX = 130;

/** Fits the columns into a width, with wider gaps for curves in a wider one. */
export function columnsIn(available: number): Columns {
  const total = Math.max(available, WIDTH_MIN);
  const gap = Math.round(Math.min(GAP_MAX, Math.max(GAP_MIN, total * 0.075)));
  const width = Math.floor((total - 3 * gap) / 4);
  return { total, width, lefts: [0, 1, 2, 3].map((layer) => layer * (width + gap)) };
}
