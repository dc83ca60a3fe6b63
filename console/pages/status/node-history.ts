// The polled samples of a node's last minutes, for the line charts.
// Invariant: bounded by time; another node or a restarted one begins a new history.
import type { NodeStatus } from '../../api/node-status.ts';

/** One polled status. */
export interface Sample {
  readonly node: string;
  /** Epoch seconds. */
  readonly at: number;
  readonly lagSeconds: number;
  /** Rates per second, averaged over the minute before. */
  readonly requests: number;
  readonly searches: number;
  readonly writes: number;
}

export const HISTORY_SECONDS = 300;

/** The history with one more sample. */
export function withSample(
  history: readonly Sample[],
  { node, lag, activity }: NodeStatus,
  at: number,
): readonly Sample[] {
  const { seconds } = activity;
  // An average over less than a second would be far too high.
  const rate = (count: number) => count / Math.max(seconds, 1);
  const sample: Sample = {
    node: node.id,
    at,
    lagSeconds: lag.seconds,
    requests: rate(activity.requests),
    searches: rate(activity.searches),
    writes: rate(activity.writes),
  };
  const recent = history.filter(
    (one) => one.node === node.id && one.at < at && one.at >= at - HISTORY_SECONDS,
  );
  return [...recent, sample];
}
