// What a test and its counting threads (counting-thread.ts) share.
import type { ProcessCountsData } from '../../src/http/admission/process-counts.ts';

export interface CountingThreadData {
  readonly data: ProcessCountsData;
  readonly thread: number;
  /** Times that it takes shares, or events that it counts; Infinity: until it is terminated. */
  readonly rounds: number;
  readonly total: number;
  readonly job: 'shares' | 'events';
  /** What all threads hold together, by their own account; the most that it was; takes so far. */
  readonly figures: Int32Array;
}

/** Indexes of the figures. */
export const [HELD, MOST, TAKES] = [0, 1, 2];
