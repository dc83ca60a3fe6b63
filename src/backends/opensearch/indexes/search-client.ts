// Sends searches to OpenSearch, one at a time or many in one request, within the caller's timeout.
// Invariant: an answer is complete: a failed shard, or one failed search of many, is an error.

import type { Deadline } from '../../../scheduling/deadline.ts';
import type { ReadOptions } from '../../../service/ports/search-backend.ts';
import { type ParsedAnswer, parseAnswer } from '../requests/answer-bytes.ts';
import {
  bodyFault,
  NOT_OPENSEARCH,
  type OpenSearchClient,
  OpenSearchFault,
  type OpenSearchRequest,
  OpenSearchTimeout,
  serviceError,
  unavailable,
} from '../requests/client.ts';
import { isSharded, type OpenTarget } from '../requests/plan-to-body.ts';
import type {
  MultiSearchFunction,
  SearchFunction,
  SearchResponse,
} from '../requests/search-response.ts';
import { isClosed } from './open-indexes.ts';

const PROBE_MS = 1_000;
/** A request of many searches is sent when it reaches this size. */
const REQUEST_CHARS = 4 * 1024 * 1024;
/** Searches in one request. */
const REQUEST_SEARCHES = 200;

type Answer = SearchResponse & { readonly status?: number; readonly error?: object };

export interface IndexEvents {
  /** An index was deleted. */
  onGone(): void;
  /** Opens closed indexes. */
  open(names: readonly string[], timeoutMs: number): Promise<void>;
}

/**
 * Collects the statistics of all shards before scoring, so that scores do not depend on the shard
 * that a document is in.
 */
const WITH_ALL_SHARDS = 'dfs_query_then_fetch';

export class SearchClient {
  readonly #client: OpenSearchClient;
  readonly #events: IndexEvents;

  constructor(client: OpenSearchClient, events: IndexEvents) {
    this.#client = client;
    this.#events = events;
  }

  /** All requests of one search share its deadline. */
  within(options: ReadOptions): {
    readonly search: SearchFunction;
    readonly multiSearch: MultiSearchFunction;
  } {
    const { deadline } = options;
    return {
      search: (targets, body, scored = true) => {
        const names = targets.map(({ concreteIndex }) => concreteIndex);
        const path = `/${names.map(encodeURIComponent).join(',')}/_search`;
        return this.#withOpen(names, deadline, () => {
          const type = scored && needsStatistics(targets) ? `&search_type=${WITH_ALL_SHARDS}` : '';
          const query = `allow_partial_search_results=false&cancel_after_time_interval=${Math.ceil(leftMs(deadline))}ms${type}`;
          const request = { method: 'POST', path: `${path}?${query}`, body } as const;
          return this.#send<Answer>(request, options, (answer, release) => {
            if (release !== undefined) answer.release = release;
            return checkComplete(answer);
          });
        });
      },
      multiSearch: async (target, bodies) => {
        const { concreteIndex } = target;
        const answers: SearchResponse[] = [];
        for (const batch of batchesOf(bodies.map((body) => JSON.stringify(body)))) {
          const many = await this.#withOpen([concreteIndex], deadline, () => {
            const head = JSON.stringify({
              index: concreteIndex,
              allow_partial_search_results: false,
              cancel_after_time_interval: `${Math.ceil(leftMs(deadline))}ms`,
              ...(needsStatistics([target]) ? { search_type: WITH_ALL_SHARDS } : {}),
            });
            const lines = batch.map((body) => `${head}\n${body}\n`).join('');
            const request = { method: 'POST', path: '/_msearch', lines } as const;
            return this.#send<{ readonly responses: readonly Answer[] }, SearchResponse[]>(
              request,
              options,
              ({ responses }) => responses.map(checkComplete),
            );
          });
          answers.push(...many);
        }
        return answers;
      },
    };
  }

  /** Repeats a request once after opening its indexes, if one of them is closed. */
  async #withOpen<Result>(
    names: readonly string[],
    deadline: Deadline,
    request: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await request();
    } catch (error) {
      if (!isClosed(error)) throw error;
    }
    try {
      await this.#events.open(names, leftMs(deadline));
    } catch (error) {
      throw this.#faultOf(error, deadline);
    }
    try {
      return await request();
    } catch (error) {
      // Another search has needed its room meanwhile.
      throw isClosed(error) ? unavailable((error as Error).message) : error;
    }
  }

  async #send<Body, Read = SearchResponse>(
    request: OpenSearchRequest,
    { deadline, signal, memory }: ReadOptions,
    read: (body: Body, release?: () => void) => Read,
  ): Promise<Read> {
    let answersHalfway = Promise.resolve(true);
    const timeoutMs = leftMs(deadline);
    const halfMs = timeoutMs / 2;
    const halfway = setTimeout(() => {
      answersHalfway = this.#answers(Math.min(PROBE_MS, halfMs));
    }, halfMs);
    try {
      const options = { timeoutMs, signal, memory };
      const { bytes, release } = await this.#client.sendForBytes(request, options);
      const { value, hasParts } = parsed(bytes);
      if (!hasParts) release();
      return read(value as Body, hasParts ? release : undefined);
    } catch (error) {
      // Distinguishes a slow query from a cluster that did not answer other requests either.
      const isTimeout = error instanceof OpenSearchTimeout;
      if (isTimeout && (await answersHalfway) && (await this.#answers(PROBE_MS))) {
        throw deadline.exceeded();
      }
      throw this.#faultOf(error, deadline);
    } finally {
      clearTimeout(halfway);
    }
  }

  async #answers(timeoutMs: number): Promise<boolean> {
    return this.#client.send({ method: 'GET', path: '/' }, { timeoutMs }).then(
      () => true,
      () => false,
    );
  }

  #faultOf(error: unknown, deadline: Deadline): unknown {
    if (error instanceof OpenSearchFault && error.type === 'task_cancelled_exception') {
      return deadline.exceeded();
    }
    if (error instanceof OpenSearchFault && error.status === 404) this.#events.onGone();
    return serviceError(error);
  }
}

/** A request has at least a millisecond. */
function leftMs(deadline: Deadline): number {
  return Math.max(1, deadline.leftMs);
}

/**
 * Statistics of several indexes would be mixed: such searches are sent to one index at a time where
 * scores matter (search-in-order.ts).
 */
function needsStatistics(targets: readonly OpenTarget[]): boolean {
  return targets.length === 1 && isSharded(targets);
}

/** @throws ServiceError for an answer of another program than OpenSearch, such as a proxy */
function parsed(bytes: Buffer): ParsedAnswer {
  let answer: ParsedAnswer;
  try {
    answer = parseAnswer(bytes);
  } catch (error) {
    throw error instanceof SyntaxError ? unavailable(NOT_OPENSEARCH) : error;
  }
  const { value } = answer;
  const isObject = typeof value === 'object' && value !== null;
  if (isObject && ('_shards' in value || 'responses' in value)) return answer;
  throw unavailable(NOT_OPENSEARCH);
}

function checkComplete(answer: Answer): SearchResponse {
  if (answer.error !== undefined) throw bodyFault(answer.status ?? 0, answer, null);
  if (answer.timed_out || answer._shards.failed > 0) {
    throw unavailable(`${answer._shards.failed} shards did not answer`);
  }
  return answer;
}

function batchesOf(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let chars = 0;
  for (const text of texts) {
    const full = batch.length === REQUEST_SEARCHES || chars + text.length > REQUEST_CHARS;
    if (full && batch.length > 0) {
      batches.push(batch);
      batch = [];
      chars = 0;
    }
    batch.push(text);
    chars += text.length;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
