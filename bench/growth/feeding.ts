// A simulation of the feeding lag: documents are written at a changing rate, and one node feeds them
// to OpenSearch at a measured one. It steps through the time in ticks, and follows how much is
// written and how much is searchable.
// Invariant: every written document becomes searchable, in the order of writing.

/** How fast documents become searchable. */
export interface Feeder {
  /** Most documents a second. */
  readonly documentsPerSecond: number;
  /** Seconds from write to searchable when nothing waits: batch, bulk request and refresh. */
  readonly leastSeconds: number;
}

/** Documents written in a second, by the second since the start. */
export type WriteRate = (second: number) => number;

export interface FeedingResult {
  /** From write to searchable, of the document that waited longest. */
  readonly longestLagSeconds: number;
  /** The share of documents that were searchable within `AIM_SECONDS`. */
  readonly shareWithinAim: number;
  /** How long some document waited for more than `AIM_SECONDS`. */
  readonly secondsBehind: number;
  /** Documents that were not searchable yet at the end. */
  readonly waitingAtEnd: number;
}

/** What design.md promises with OpenSearch: searchable within 2 s. */
export const AIM_SECONDS = 2;
const TICK_SECONDS = 0.1;

/** Simulates the writes of `seconds`, and what is fed meanwhile. */
export function simulateFeeding(rate: WriteRate, feeder: Feeder, seconds: number): FeedingResult {
  let waiting = 0;
  let written = 0;
  let inTime = 0;
  let longestLagSeconds = 0;
  let ticksBehind = 0;
  const perTick = feeder.documentsPerSecond * TICK_SECONDS;
  for (let tick = 0; tick < seconds / TICK_SECONDS; tick += 1) {
    const documents = rate(tick * TICK_SECONDS) * TICK_SECONDS;
    waiting += documents;
    written += documents;
    const lag = feeder.leastSeconds + waiting / feeder.documentsPerSecond;
    if (documents > 0) longestLagSeconds = Math.max(longestLagSeconds, lag);
    if (lag <= AIM_SECONDS) inTime += documents;
    else ticksBehind += 1;
    waiting = Math.max(0, waiting - perTick);
  }
  return {
    longestLagSeconds,
    shareWithinAim: written === 0 ? 1 : inTime / written,
    secondsBehind: ticksBehind * TICK_SECONDS,
    waitingAtEnd: waiting,
  };
}

const DAY_SECONDS = 86_400;

/**
 * A working day: a rate that rises and falls with the hour around its mean, and a nightly load of
 * many documents at once, such as an aggregation of all sources.
 */
export function workingDay({
  mean,
  nightly,
  nightlyPerSecond,
}: {
  /** Documents a second, mean of the day without the nightly load. */
  readonly mean: number;
  /** Documents of the nightly load. */
  readonly nightly: number;
  /** How fast they arrive. */
  readonly nightlyPerSecond: number;
}): WriteRate {
  const NIGHT_AT = 2 * 3_600;
  const nightSeconds = nightlyPerSecond === 0 ? 0 : nightly / nightlyPerSecond;
  return (second) => {
    const ofDay = second % DAY_SECONDS;
    // Nothing at midnight, twice the mean at noon.
    const usual = mean * (1 - Math.cos((2 * Math.PI * ofDay) / DAY_SECONDS));
    const isNight = ofDay >= NIGHT_AT && ofDay < NIGHT_AT + nightSeconds;
    return usual + (isNight ? nightlyPerSecond : 0);
  };
}
