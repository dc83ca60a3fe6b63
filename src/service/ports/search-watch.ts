// Observes searches for metrics and traces: the start of a search and the end of each stage. The
// use case has neither clocks nor counters; composition passes in the observers.
// Invariant: observers receive no data of a tenant, only the operation and the query type.

/** The kind of request; a type-ahead is a search with its own query type. */
export type SearchOperation = 'search' | 'count' | 'aggregate' | 'explain' | 'rows';

/** Parsing the request, querying the backend, building the response. */
export type SearchStage = 'plan' | 'search' | 'present';

/** The stages of one search. */
export interface SearchStages {
  /** Marks a stage as finished; the next one begins. */
  ended(stage: SearchStage): void;
}

/** Observes searches. */
export interface SearchWatch {
  /** @param queryType as sent, not validated */
  begin(operation: SearchOperation, queryType: unknown): SearchStages;
}

const NO_STAGES: SearchStages = { ended: () => {} };

/** Observes nothing. */
export const UNWATCHED: SearchWatch = { begin: () => NO_STAGES };

/** Combines several observers into one. */
export function combinedWatch(watches: readonly SearchWatch[]): SearchWatch {
  const [only = UNWATCHED] = watches;
  if (watches.length <= 1) return only;
  return {
    begin(operation, queryType) {
      const all = watches.map((watch) => watch.begin(operation, queryType));
      return {
        ended(stage) {
          for (const stages of all) stages.ended(stage);
        },
      };
    },
  };
}

/** The `queryType` of a body that has not been parsed. */
export function queryTypeOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'queryType' in body
    ? body.queryType
    : undefined;
}
