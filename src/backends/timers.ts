// The time source and timers of the indexers. Tests pass virtual time, so that schedules of faults
// and takeovers over minutes run in milliseconds and deterministically.
import type { Clock } from '../scheduling/deadline.ts';

/** A monotonic clock and one-shot timers on it. */
export interface Timers extends Clock {
  /** Calls `run` once after `ms` milliseconds; the returned function cancels the timer. */
  after(ms: number, run: () => void): () => void;
}

/** The timers of the process. */
export const PROCESS_TIMERS: Timers = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
