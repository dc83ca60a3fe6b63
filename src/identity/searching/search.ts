// Searching: a request becomes a plan, the backend answers it, and the hits become the bytes of the response.
// What came before in the same words is not planned again.
import type { Caller } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import { planAggregateSteps } from '../../query/aggregate-request.ts';
import type { NoCsv } from '../../query/aggregation/csv-columns.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import { type Warning, warningSteps } from '../../query/mapping/unknown-names.ts';
import type { Plan } from '../../query/plan.ts';
import {
  type PlanContext,
  planCountSteps,
  planSearchSteps,
  type QueryLimits,
  type SearchParameters,
} from '../../query/search-request.ts';
import type { Documents } from '../documents/documents.ts';
import type { Mappings } from '../documents/mapping-cache.ts';
import { JsonText } from '../json/json-text.ts';
import type { Hit, SearchBackend, SearchOptions } from '../ports/search-backend.ts';
import {
  queryTypeOf,
  type SearchStages,
  type SearchWatch,
  UNWATCHED,
} from '../ports/search-watch.ts';
import { CooperativeScheduler, type WorkOptions } from '../scheduling/cooperative.ts';
import { aggregationCsv } from './aggregation-csv.ts';
import { type ExplainParameters, explainSearch } from './explain.ts';
import { type HitRows, PageForm } from './hit-page.ts';
import { PlanCache } from './plan-cache.ts';

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
  /** Runs planning and projection; one of its own when left out. */
  readonly scheduler?: CooperativeScheduler;
  /** Who measures; nobody when left out. */
  readonly watch?: SearchWatch;
}

const encoder = new TextEncoder();
const CLOSE_OBJECT = encoder.encode('}');
const AGGREGATIONS = encoder.encode('{"aggregations":');
const HITS = encoder.encode(',"hits":');
/** A page of more hits is put together in steps. */
const HITS_AT_ONCE_MAX = 1_000;
const NO_AGGREGATIONS = JsonText.of({});

/** The search use cases; the caller has been authorised. */
export class Search {
  readonly #backend: SearchBackend;
  readonly #documents: Documents;
  readonly #clock: { now(): number };
  readonly #settings: SearchSettings;
  readonly #plans = new PlanCache();
  readonly #scheduler: CooperativeScheduler;
  readonly #watch: SearchWatch;

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
    this.#scheduler = settings.scheduler ?? new CooperativeScheduler();
    this.#watch = settings.watch ?? UNWATCHED;
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
    const stages = this.#watch.begin('search', queryTypeOf(body));
    const { tenantId } = caller;
    const mappings = await this.#documents.mappings(tenantId);
    const question = { asks: 'search', tenantId, body, parameters, mappings } as const;
    const options = this.#options(tenantId, signal, mappings);
    const { plan, warnings, form } = await this.#plans.through(question, async () => {
      const context = this.#context(mappings);
      const steps = warningSteps(context, (heard) => planSearchSteps(body, parameters, heard));
      const { planned, warnings: found } = await this.#scheduler.run(steps, options);
      return { ...formed(planned, mappings), warnings: found };
    });
    stages.ended('plan');
    if (plan.typeahead !== undefined) {
      return { ...(await this.#complete(tenantId, plan, options, stages)), warnings };
    }
    const { hits, total } = await this.#backend.search(tenantId, plan, options);
    stages.ended('search');
    const page = await this.#page(form, hits, options);
    stages.ended('present');
    return { total, body: page, warnings };
  }

  /**
   * `POST /search/aggregate` (contract/search.md section 5).
   * @param accepted what the client asks for: `csv` where JSON does as well, `csvOnly` where it does not. There is a CSV of
   * a chain of aggregations, in either form
   * @throws ServiceError as search; `not_acceptable`
   */
  async aggregate(
    caller: Caller,
    body: unknown,
    parameters: SearchParameters,
    accepted: 'json' | 'csv' | 'csvOnly',
    signal?: AbortSignal,
  ): Promise<AggregateAnswer> {
    const stages = this.#watch.begin('aggregate', queryTypeOf(body));
    const { tenantId } = caller;
    const mappings = await this.#documents.mappings(tenantId);
    const question = { asks: 'aggregate', tenantId, body, parameters, mappings } as const;
    const options = this.#options(tenantId, signal, mappings);
    const { plan, csv, warnings, form } = await this.#plans.through(question, async () => {
      const context = this.#context(mappings);
      const steps = warningSteps(context, (heard) => planAggregateSteps(body, parameters, heard));
      const { planned, warnings: found } = await this.#scheduler.run(steps, options);
      return { ...formed(planned.plan, mappings), csv: planned.csv, warnings: found };
    });
    if (accepted === 'csvOnly' && 'problem' in csv) throw notAcceptable(csv);
    stages.ended('plan');
    const result = await this.#backend.search(tenantId, plan, options);
    stages.ended('search');
    const { total, aggregations = NO_AGGREGATIONS } = result;
    if (accepted !== 'json' && !('problem' in csv)) {
      const text = aggregationCsv(aggregations.value(), csv);
      return { total, form: 'csv', body: [encoder.encode(text)], warnings };
    }
    const page = await this.#page(form, result.hits, options);
    const pieces = [AGGREGATIONS, aggregations.bytes, HITS, ...page, CLOSE_OBJECT];
    stages.ended('present');
    return { total, form: 'json', body: pieces, warnings };
  }

  /** Splicing the stored bytes of a small page is quick; a projection parses every document. */
  #page(
    form: PageForm,
    hits: readonly Hit[],
    options: WorkOptions,
  ): readonly HitRows[] | Promise<readonly HitRows[]> {
    return form.projects || hits.length > HITS_AT_ONCE_MAX
      ? this.#scheduler.run(form.pageSteps(hits), options)
      : form.page(hits);
  }

  /** The values a type-ahead asks for; their number is that of all that complete the text. */
  async #complete(
    tenantId: string,
    plan: Plan,
    options: SearchOptions,
    stages: SearchStages,
  ): Promise<Omit<SearchAnswer, 'warnings'>> {
    const { values, total } = await this.#backend.typeahead(tenantId, plan, options);
    stages.ended('search');
    const body = [encoder.encode(JSON.stringify(values.map(({ value }) => value)))];
    stages.ended('present');
    return { total: plan.trackTotal ? total : null, body };
  }

  /** `POST /search/count`: how many documents match. */
  async count(caller: Caller, body: unknown, signal?: AbortSignal): Promise<CountAnswer> {
    const stages = this.#watch.begin('count', queryTypeOf(body));
    const { tenantId } = caller;
    const mappings = await this.#documents.mappings(tenantId);
    const question = { asks: 'count', tenantId, body, parameters: {}, mappings } as const;
    const options = this.#options(tenantId, signal, mappings);
    const { planned: plan, warnings } = await this.#plans.through(question, () => {
      const context = this.#context(mappings);
      const steps = warningSteps(context, (heard) => planCountSteps(body, heard));
      return this.#scheduler.run(steps, options);
    });
    stages.ended('plan');
    const total = await this.#backend.count(tenantId, plan, options);
    stages.ended('search');
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
    this.#watch.begin('explain', queryTypeOf(body));
    const { tenantId } = caller;
    return explainSearch(body, parameters, {
      tenantId,
      backend: this.#backend,
      options: this.#options(tenantId, signal),
      context: async () => this.#context(await this.#documents.mappings(tenantId)),
      scheduler: this.#scheduler,
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

  #options(
    tenantId: string,
    signal: AbortSignal | undefined,
    mappings?: Mappings,
  ): SearchOptions & WorkOptions {
    const { timeoutMs } = this.#settings;
    return { tenantId, timeoutMs, ...(signal && { signal }), ...(mappings && { mappings }) };
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

function notAcceptable({ problem }: NoCsv): ServiceError {
  const message = 'The answer has no form that the Accept header asks for.';
  return new ServiceError('not_acceptable', message, {
    causes: [`${problem}; or send Accept: application/json`],
  });
}
