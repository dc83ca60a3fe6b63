// Runs requests on the embedded indexes, in slices of the thread that they arrived in. A search has two
// phases, as in Elasticsearch: the query phase finds row numbers; then their documents are fetched.
// Other requests (counts, aggregations, explanations) are complete after the first phase.
// Invariant: a request reads one list of segments from its beginning to its end, and releases it.
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import type { Plan } from '../../../query/plan.ts';
import type { DocumentExplanation } from '../../../query/plan-clause.ts';
import type { CooperativeScheduler } from '../../../scheduling/cooperative.ts';
import type {
  DocumentKey,
  Searches,
  SearchOptions,
  SearchResult,
  TypeaheadResult,
} from '../../../service/ports/search-backend.ts';
import {
  type QueryPhaseResult,
  type QueryRequest,
  type QueryResult,
  type QueryResults,
  queryPhase,
} from './query-request.ts';
import { fetchSteps } from './query-steps.ts';
import { requestHash } from './request-hash.ts';
import type { ResultCache } from './result-cache.ts';
import {
  rebuilding,
  releaseAll,
  type SearchedIndexes,
  type SearchedTarget,
  searchedTargets,
} from './searched-indexes.ts';

export interface EmbeddedSearchParts {
  readonly indexes: SearchedIndexes;
  readonly scheduler: CooperativeScheduler;
  readonly results: ResultCache;
}

export class EmbeddedSearch implements Searches {
  readonly #parts: EmbeddedSearchParts;

  constructor(parts: EmbeddedSearchParts) {
    this.#parts = parts;
  }

  search(tenantId: string, plan: Plan, options: SearchOptions): Promise<SearchResult> {
    const cacheAs = plan.size === 0 ? 'search' : null;
    return this.#execute(tenantId, { kind: 'search', plan }, options, cacheAs);
  }

  typeahead(tenantId: string, plan: Plan, options: SearchOptions): Promise<TypeaheadResult> {
    return this.#execute(tenantId, { kind: 'typeahead', plan }, options);
  }

  count(tenantId: string, plan: Plan, options: SearchOptions): Promise<number> {
    return this.#execute(tenantId, { kind: 'count', plan }, options, 'count');
  }

  explain(
    tenantId: string,
    plan: Plan,
    document: DocumentKey,
    options: SearchOptions,
  ): Promise<DocumentExplanation | null> {
    return this.#execute(tenantId, { kind: 'explain', plan, document }, options);
  }

  /**
   * Runs a request on a snapshot of the segments.
   * @param cacheAs the kind of result to cache; null: not cached
   */
  async #execute<Request extends QueryRequest>(
    tenantId: string,
    request: Request,
    options: SearchOptions,
    cacheAs: 'search' | 'count' | null = null,
  ): Promise<QueryResults[Request['kind']]> {
    const { indexes, results } = this.#parts;
    const { plan } = request;
    const targets = searchedTargets(indexes, tenantId, plan, options.mappings);
    const run = () =>
      this.#run(tenantId, request, targets, options) as Promise<QueryResults[Request['kind']]>;
    try {
      if (cacheAs === null) return await run();
      const { hash, isLarge } = requestHash(tenantId, request);
      // The key of a cached result is the text of its plan, so that of a large one is not made.
      if (isLarge) return await run();
      const states = targets.map(({ snapshot }) => snapshot);
      const requested = { plan, requestHash: hash };
      return await results.through(cacheAs, tenantId, requested, states, run);
    } catch (error) {
      if (!(error instanceof CorruptSegmentError)) throw error;
      await indexes.onDamaged(error, tenantId, targets);
      throw rebuilding(error.message);
    } finally {
      releaseAll(targets);
    }
  }

  /**
   * @throws ServiceError `deadline_exceeded`, `cancelled`, `unavailable`; CorruptSegmentError; what the
   * engine throws
   */
  #run(
    tenantId: string,
    request: QueryRequest,
    targets: readonly SearchedTarget[],
    { signal, deadline, memory }: SearchOptions,
  ): Promise<QueryResult> {
    const { scheduler } = this.#parts;
    return new Promise((resolve, reject) => {
      const work = { tenantId, signal, deadline, reject };
      const fetch = (found: QueryPhaseResult): void => {
        if (found.kind !== 'search') {
          resolve(found.result);
          return;
        }
        const begunAt = performance.now();
        const { rows, ...rest } = found.page;
        scheduler.begin({
          ...work,
          steps: fetchSteps(targets, request.plan, rows, memory),
          resolve: (hits) => resolve({ hits, fetchMs: performance.now() - begunAt, ...rest }),
        });
      };
      scheduler.begin({ ...work, steps: queryPhase(request, targets), resolve: fetch });
    });
  }
}
