// Figures of one side in one cell: the medians of its rounds, since one disturbed round must not
// count.
import { type Load, percentile, perSecond } from '../load.ts';

export interface Figures {
  /** Of one connection. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Requests per second over eight connections. */
  readonly perSecond: number;
  /** CPU of the server's processes for each request, over one and eight connections. */
  readonly cpuMs: number;
  /** Of it, that of the OpenSearch that is searched in; 0 without one. */
  readonly searchCpuMs: number;
}

/** A round: the same side with one connection and with eight. */
export interface Round {
  readonly one: Load;
  readonly eight: Load;
}

export function roundFigures({ one, eight }: Round): Figures {
  const requests = one.timesMs.length + eight.timesMs.length;
  return {
    p50Ms: percentile(one.timesMs, 0.5),
    p99Ms: percentile(one.timesMs, 0.99),
    perSecond: perSecond(eight),
    cpuMs: ((one.serverCpuSeconds + eight.serverCpuSeconds) * 1000) / requests,
    searchCpuMs: ((one.searchCpuSeconds + eight.searchCpuSeconds) * 1000) / requests,
  };
}

export function medianFigures(rounds: readonly Figures[]): Figures {
  return mapFigures((name) => median(rounds.map((round) => round[name])));
}

/** How many times better `ours` is than `theirs`, figure by figure; above 1 is better. */
export function ratios(ours: Figures, theirs: Figures): Figures {
  return {
    p50Ms: theirs.p50Ms / ours.p50Ms,
    p99Ms: theirs.p99Ms / ours.p99Ms,
    perSecond: ours.perSecond / theirs.perSecond,
    cpuMs: theirs.cpuMs / ours.cpuMs,
    searchCpuMs: theirs.searchCpuMs / ours.searchCpuMs,
  };
}

function mapFigures(of: (name: keyof Figures) => number): Figures {
  return {
    ...{ p50Ms: of('p50Ms'), p99Ms: of('p99Ms'), perSecond: of('perSecond') },
    ...{ cpuMs: of('cpuMs'), searchCpuMs: of('searchCpuMs') },
  };
}

export function geometricMean(list: readonly Figures[]): Figures {
  return mapFigures((name) =>
    Math.exp(list.reduce((sum, figures) => sum + Math.log(figures[name]), 0) / list.length),
  );
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
