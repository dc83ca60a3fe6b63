// What the state of a mirror means: current, too old, failed, or never completed.
import type { MirrorStatus } from '../../api/mirror-status.ts';
import { spanText } from '../../model/amount.ts';

/** A mirror whose runs have no rhythm yet is old after a day. */
const DEFAULT_MAX_AGE_SECONDS = 86_400;
/** A copy older than this many of the usual intervals between runs is old. */
const INTERVALS_MAX = 3;
/** A mirror that runs every minute is not old after three minutes. */
const LEAST_MAX_AGE_SECONDS = 3_600;

/** The age from which on a copy needs attention, in seconds. */
export function maxAgeSeconds(runs: readonly { readonly began: string }[]): number {
  const begins = runs.map(({ began }) => Date.parse(began) / 1_000).sort((a, b) => b - a);
  const intervals = begins.slice(1).map((began, at) => (begins[at] ?? began) - began);
  const usual = intervals.sort((a, b) => a - b)[Math.floor(intervals.length / 2)];
  if (usual === undefined) return DEFAULT_MAX_AGE_SECONDS;
  return Math.max(LEAST_MAX_AGE_SECONDS, INTERVALS_MAX * usual);
}

/** A state in one line. */
export interface MirrorVerdict {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly text: string;
}

/** The state of a mirror. */
export function mirrorVerdict({
  lagSeconds,
  error,
  running,
  runs,
}: Pick<MirrorStatus, 'lagSeconds' | 'error' | 'running' | 'runs'>): MirrorVerdict {
  if (error !== null) return { tone: 'bad', text: `The last run failed: ${error}` };
  if (lagSeconds === null) {
    return running === null
      ? { tone: 'warn', text: 'The first copy is not complete' }
      : { tone: 'warn', text: 'The first copy is under way' };
  }
  const age = `${spanText(lagSeconds)} old`;
  if (lagSeconds <= maxAgeSeconds(runs)) return { tone: 'good', text: `The copy is ${age}` };
  return { tone: 'warn', text: `The copy is ${age}, which is longer than its runs are apart` };
}
