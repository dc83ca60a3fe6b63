// Searching: a request becomes a plan, the backend answers it, and the hits become the bytes of the response.
// What came before in the same words is not planned again.
import type { Caller } from '../auth/caller.ts';
import { ServiceError } from '../errors.ts';
import { planAggregate } from '../query/aggregate-request.ts';
import { INDEX_NAMES } from '../query/document-types.ts';
import type { Plan } from '../query/plan.ts';
import {
  type PlanContext,
  planCount,
  planSearch,
  type QueryLimits,
  type SearchParameters,
} from '../query/search-request.ts';
import { type Warning, withWarnings } from '../query/unknown-names.ts';
import { aggregationCsv } from './aggregation-csv.ts';
import type { Documents } from './documents.ts';
import { type ExplainParameters, explainSearch } from './explain.ts';
import { PageForm } from './hit-page.ts';
import { JsonText } from './json-text.ts';
import type { Mappings } from './mapping-cache.ts';
import { PlanCache } from './plan-cache.ts';
import type { SearchBackend, SearchOptions } from './search-backend.ts';

/** Bytes, or something that writes them where they are wanted. */
export type AnswerPiece =
  | Uint8Array
  | { readonly length: number; writeTo(target: Uint8Array, start: number): void };

/** What a search answers. */
export interface SearchAnswer {
  /** Exact; null unless the caller asked for the count. */
  readonly total: number | null;
  /** UTF-8 JSON array, in pieces. */
  readonly body: readonly AnswerPiece[];
  /** Names in the request that no index asked knows. */
  readonly warnings: readonly Warning[];
}

/** What a count answers. */
export interface CountAnswer extends Pick<SearchAnswer, 'warnings'> {
  readonly total: number;
}

/** What an aggregation answers. */
export interface AggregateAnswer extends Omit<SearchAnswer, 'body'> {
  readonly form: 'json' | 'csv';
  /** UTF-8 JSON object or CSV, in pieces. */
  readonly body: readonly AnswerPiece[];
}

export interface SearchSettings {
  readonly limits: QueryLimits;
  /** Milliseconds a query may take. */
  readonly timeoutMs: number;
}

const encoder = new TextEncoder();
const CLOSE_OBJECT = encoder.encode('}');
const AGGREGATIONS = encoder.encode('{"aggregations":');
const HITS = encoder.encode(',"hits":');
const NO_AGGREGATIONS = JsonText.of({});

/** The search use cases; the caller has been authorised. */
export class Search {
  readonly #backend: SearchBackend;
  readonly #documents: Documents;
  readonly #clock: { now(): number };
  readonly #settings: SearchSettings;
  readonly #plans = new PlanCache();

  constructor(
    backend: SearchBackend,
    documents: Documents,
    clock: { now(): number },
    settings: SearchSettings,
  ) {
    this.#backend = backend;
    this.#documents = documents;
    this.#clock = clock;
    this.#settings = settings;
  }

  /**
   * `POST /search` (contract/search.md sections 1, 2 and 4).
   * @throws ServiceError for every 400 of section 1, `deadline_exceeded`, `cancelled`, `unavailable`
   */
  async search(
    caller: Caller,
    body: unknown,
    parameters: SearchParameters,
    signal?: AbortSignal,
  ): Promise<SearchAnswer> {
    const { tenantId } = caller;
    const mappings = await this.#documents.mappings(tenantId);
    const question = { asks: 'search', tenantId, body, parameters, mappings } as const;
    const { plan, warnings, form } = this.#plans.through(question, () => {
      const context = this.#context(mappings);
      const heard = withWarnings(context, (mapped) => planSearch(body, parameters, mapped));
      return { ...formed(heard.planned, mappings), warnings: heard.warnings };
    });
    const options = this.#options(signal, mappings);
    if (plan.typeahead !== undefined) {
      return { ...(await this.#complete(tenantId, plan, options)), warnings };
    }
    const { hits, total } = await this.#backend.search(tenantId, plan, options);
    return { total, body: [form.page(hits)], warnings };
  }

  /**
   * `POST /search/aggregate` (contract/search.md section 5).
   * @param prefers what the client would rather have; CSV is there for the vendor's own form of aggregations only
   * @throws ServiceError as search
   */
  async aggregate(
    caller: Caller,
    body: unknown,
    parameters: SearchParameters,
    prefers: 'json' | 'csv',
    signal?: AbortSignal,
  ): Promise<AggregateAnswer> {
    const { tenantId } = caller;
    const mappings = await this.#documents.mappings(tenantId);
    const question = { asks: 'aggregate', tenantId, body, parameters, mappings } as const;
    const {
      plan,
      csv,
      warnings,
      form: rows,
    } = this.#plans.through(question, () => {
      const context = this.#context(mappings);
      const heard = withWarnings(context, (mapped) => planAggregate(body, parameters, mapped));
      const { plan: planned, csv: columns } = heard.planned;
      return { ...formed(planned, mappings), csv: columns, warnings: heard.warnings };
    });
    const result = await this.#backend.search(tenantId, plan, this.#options(signal, mappings));
    const { total, aggregations = NO_AGGREGATIONS } = result;
    if (prefers === 'csv' && csv !== null) {
      const text = aggregationCsv(aggregations.value(), csv);
      return { total, form: 'csv', body: [encoder.encode(text)], warnings };
    }
    const page = rows.page(result.hits);
    const pieces = [AGGREGATIONS, aggregations.bytes, HITS, page, CLOSE_OBJECT];
    return { total, form: 'json', body: pieces, warnings };
  }

  /** The values a type-ahead asks for; their number is that of all that complete the text. */
  async #complete(
    tenantId: string,
    plan: Plan,
    options: SearchOptions,
  ): Promise<Omit<SearchAnswer, 'warnings'>> {
    const { values, total } = await this.#backend.typeahead(tenantId, plan, options);
    const body = [encoder.encode(JSON.stringify(values.map(({ value }) => value)))];
    return { total: plan.trackTotal ? total : null, body };
  }

  /** `POST /search/count`: how many documents match. */
  async count(caller: Caller, body: unknown, signal?: AbortSignal): Promise<CountAnswer> {
    const { tenantId } = caller;
    const mappings = await this.#documents.mappings(tenantId);
    const question = { asks: 'count', tenantId, body, parameters: {}, mappings } as const;
    const { planned: plan, warnings } = this.#plans.through(question, () =>
      withWarnings(this.#context(mappings), (mapped) => planCount(body, mapped)),
    );
    const total = await this.#backend.count(tenantId, plan, this.#options(signal, mappings));
    return { total, warnings };
  }

  /**
   * `POST /search/explain`: what a search would do, as a JSON value; docs/explain.md lists its members.
   * @throws ServiceError as search; `not_found` for a document that the index does not have
   */
  async explain(
    caller: Caller,
    body: unknown,
    parameters: ExplainParameters,
    signal?: AbortSignal,
  ): Promise<object> {
    const { tenantId } = caller;
    return explainSearch(body, parameters, {
      tenantId,
      backend: this.#backend,
      options: this.#options(signal),
      context: async () => this.#context(await this.#documents.mappings(tenantId)),
      stopwatch: () => performance.now(),
    });
  }

  /**
   * `GET /search/{index}/{id}`: the bare document, from the store, so a caller reads its own write.
   * @throws ServiceError `request_invalid` for an unknown index, `not_found`
   */
  async get(caller: Caller, index: string, id: string): Promise<Uint8Array> {
    const known = INDEX_NAMES.find((name) => name === index);
    if (known === undefined) {
      throw new ServiceError('request_invalid', 'There is no such index.', {
        causes: [`index "${index}" is not one of ${INDEX_NAMES.join(', ')}`],
      });
    }
    return this.#documents.get(caller.tenantId, known, id);
  }

  #options(signal: AbortSignal | undefined, mappings?: Mappings): SearchOptions {
    const { timeoutMs } = this.#settings;
    return { timeoutMs, ...(signal && { signal }), ...(mappings && { mappings }) };
  }

  #context(mappings: Mappings): PlanContext {
    return {
      mapping: (index) => mappings[index],
      now: this.#clock.now(),
      limits: this.#settings.limits,
    };
  }
}

function formed(plan: Plan, mappings: Mappings): { plan: Plan; form: PageForm } {
  return { plan, form: new PageForm(plan.source, (index) => mappings[index]) };
}
