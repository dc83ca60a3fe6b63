// The live matches of one segment, one after the other in the order a search asks for: found only as far as someone
// wants them, so that a page costs what it shows and not what each segment could add to it.
import type { Segment } from '../index/segment.ts';
import type { SortColumn } from './sort-column.ts';

/** What `next` answers when it has looked for long and found nothing yet: ask again, after a pause if need be. */
export const STILL_LOOKING = -1;

export interface SegmentHits {
  /** Which index of the request: its place among them. */
  readonly target: number;
  /** Which segment of the index: its place among the views. */
  readonly view: number;
  readonly segment: Segment;
  /** By sort key. */
  readonly columns: readonly SortColumn[];
  /** The row it stands on. */
  readonly row: number;
  /** The places of that row, by sort key. Changed by `next`. */
  readonly places: Float64Array;
  /** Goes on to the next row; NO_MORE_DOCS behind the last one. */
  next(): number;
  /** How many live documents match in all. To be asked last: `next` has no meaning afterwards. */
  count(): Generator<void, number>;
}

const NO_PLACES = new Float64Array(0);

/** Where hits belong. */
export type HitPlace = Pick<SegmentHits, 'target' | 'view' | 'segment' | 'columns'>;

/** What all hits of segments have. */
export abstract class PlacedHits implements SegmentHits {
  readonly target: number;
  readonly view: number;
  readonly segment: Segment;
  readonly columns: readonly SortColumn[];
  readonly places: Float64Array;
  row = STILL_LOOKING;

  constructor({ target, view, segment, columns }: HitPlace) {
    this.target = target;
    this.view = view;
    this.segment = segment;
    this.columns = columns;
    this.places = columns.length === 0 ? NO_PLACES : new Float64Array(columns.length);
  }

  abstract next(): number;
  abstract count(): Generator<void, number>;
}
