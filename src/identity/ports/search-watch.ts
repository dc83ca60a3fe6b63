// What a search tells whoever measures it: that it begins, and when each of its stages ends. The use case knows
// neither clocks nor counters; composition hands in who has them.
// Invariant: nothing of a tenant goes through here but what kind of question it asked.

/** What is asked of the search; a type-ahead is a search whose query type says so. */
export type SearchOperation = 'search' | 'count' | 'aggregate' | 'explain';

/** Reading the request, asking the backend, making the answer. */
export type SearchStage = 'plan' | 'search' | 'present';

/** One search on its way. */
export interface SearchLap {
  /** The stage is over; the next one begins. */
  ended(stage: SearchStage): void;
}

/** Hears of searches. */
export interface SearchWatch {
  /** @param queryType as sent, whatever that is */
  begin(operation: SearchOperation, queryType: unknown): SearchLap;
}

const NO_LAP: SearchLap = { ended: () => {} };

/** Where nobody measures. */
export const UNWATCHED: SearchWatch = { begin: () => NO_LAP };

/** Tells all of them. */
export function watchedBy(watches: readonly SearchWatch[]): SearchWatch {
  const [only = UNWATCHED] = watches;
  if (watches.length <= 1) return only;
  return {
    begin(operation, queryType) {
      const laps = watches.map((watch) => watch.begin(operation, queryType));
      return {
        ended(stage) {
          for (const lap of laps) lap.ended(stage);
        },
      };
    },
  };
}

/** The `queryType` of a body that has not been looked into yet. */
export function queryTypeOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'queryType' in body
    ? body.queryType
    : undefined;
}
