// The figures of the interactions, as a table.
import { percentile } from '../load.ts';
import type { Timing } from './page-clock.ts';

/** The times of an interaction: of this build and, if there is one, of an earlier build. */
export interface Measured {
  readonly name: string;
  readonly times: readonly Timing[];
  readonly before: readonly Timing[];
}

/** What an interaction may take, in milliseconds, 95 times in 100. */
export const TARGET_MS = 100;

/** The table, with the slowest interactions first, and how many meet the target. */
export function tableOf(all: readonly Measured[]): string[] {
  const isCompared = all.some(({ before }) => before.length > 0);
  const head = ['Interaction', 'Next frame', 'First request', 'Painted: p50', 'p95'];
  const columns = isCompared ? [...head, 'before: p50', 'p95'] : head;
  const sorted = [...all].sort((one, other) => p95(other.times) - p95(one.times));
  const met = all.filter(({ times }) => p95(times) <= TARGET_MS).length;
  return [
    `${met} of ${all.length} interactions are painted within ${TARGET_MS} ms at p95.`,
    '',
    row(columns),
    row(columns.map(() => '---')),
    ...sorted.map(({ name, times, before }) => {
      const own = [name, ms(times, 'feedbackMs'), ms(times, 'requestMs'), ...painted(times)];
      return row(isCompared ? [...own, ...painted(before)] : own);
    }),
  ];
}

function painted(times: readonly Timing[]): string[] {
  return [ms(times, 'paintedMs'), p95(times).toFixed(0)];
}

function p95(times: readonly Timing[]): number {
  return percentile(
    times.map(({ paintedMs }) => paintedMs),
    0.95,
  );
}

/** The median of a time; empty without any. */
function ms(times: readonly Timing[], name: keyof Timing): string {
  const values = times.map((timing) => timing[name]).filter((value) => value !== null);
  return values.length === 0 ? '' : percentile(values, 0.5).toFixed(0);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
