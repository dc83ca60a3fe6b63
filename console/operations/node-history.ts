// The last minutes of a node, as they were seen: what the lines on the page are drawn of.
// Invariant: it is bounded, by time; another node, or one that was started anew, begins a new one.
import type { NodeStatus } from '../api/node-status.ts';

/** One look. */
export interface Sample {
  readonly node: string;
  /** Epoch seconds. */
  readonly at: number;
  readonly lagSeconds: number;
  /** Each a second, over the minute before. */
  readonly requests: number;
  readonly searches: number;
  readonly writes: number;
}

export const HISTORY_SECONDS = 300;

/** The history with one more look. */
export function seen(
  history: readonly Sample[],
  { node, lag, activity }: NodeStatus,
  at: number,
): readonly Sample[] {
  const { seconds } = activity;
  // Over less than a second an average says nothing.
  const rate = (count: number) => count / Math.max(seconds, 1);
  const sample: Sample = {
    node: node.id,
    at,
    lagSeconds: lag.seconds,
    requests: rate(activity.requests),
    searches: rate(activity.searches),
    writes: rate(activity.writes),
  };
  const kept = history.filter(
    (one) => one.node === node.id && one.at < at && one.at >= at - HISTORY_SECONDS,
  );
  return [...kept, sample];
}
