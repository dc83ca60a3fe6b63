// Search use cases: plans a request, runs it on the backend, and writes the hits as response bytes.

import { authorize } from '../../auth/access.ts';
import type { Reader } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import { JsonText } from '../../json/json-text.ts';
import type { NoCsv } from '../../query/aggregation/csv-columns.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName } from '../../query/query.ts';
import { planAggregateSteps } from '../../query/requests/aggregate-request.ts';
import {
  type PlanContext,
  planCountSteps,
  planSearchSteps,
  type QueryLimits,
  type SearchParameters,
} from '../../query/requests/search-request.ts';
import { planRowsSteps, rowsCount } from '../../query/rows/rows-request.ts';
import type { Steps } from '../../query/steps.ts';
import { CooperativeScheduler, type WorkOptions } from '../../scheduling/cooperative.ts';
import { Deadline } from '../../scheduling/deadline.ts';
import { bareDocument, readIndexName } from '../documents/bare-document.ts';
import type { Hit, ReadOptions, SearchResult, Waiter } from '../ports/search-backend.ts';
import {
  queryTypeOf,
  type SearchOperation,
  type SearchStages,
  type SearchWatch,
  UNWATCHED,
} from '../ports/search-watch.ts';
import { documentIn, type VisibleIndexes } from '../views/visible-indexes.ts';
import { requestsPaths, withAccessPaths } from './access-path-hits.ts';
import { aggregationCsv } from './aggregation-csv.ts';
import { type ExplainParameters, explainSearch } from './explain.ts';
import { type HitRows, PageForm } from './hit-page.ts';
import {
  type Planning,
  type ReadRequest,
  type RequestOptions,
  RequestPlanner,
} from './request-planner.ts';
import { hitPages } from './rows/hit-walk.ts';
import { headersOf, type RowFormat } from './rows/row-format.ts';
import { type RowChunk, type RowsAnswer, rowChunks, rowPages } from './rows/rows.ts';
import { type Hint, withHints } from './rows/search-hints.ts';
import { shownIn, withShownColumns } from './shown-fields.ts';
import type { Visibility } from './visibility.ts';

/** Bytes, or an object that writes them to the response buffer. */
export type AnswerPiece =
  | Uint8Array
  | {
      readonly length: number;
      writeTo(target: Buffer, start: number): void;
      /** Frees memory that this piece and those before it are written from; called at most once. */
      readonly release?: (() => void) | undefined;
    };

/** The result of a search. */
export interface SearchAnswer {
  /** Exact; null unless the caller asked for the count. */
  readonly total: number | null;
  /** UTF-8 JSON array, in pieces. */
  readonly body: readonly AnswerPiece[];
  /** Names in the request that no searched index has, and hints. */
  readonly warnings: readonly Hint[];
}

/** The result of a count. */
export interface CountAnswer extends Pick<SearchAnswer, 'warnings'> {
  readonly total: number;
}

/** The result of an aggregation. */
export interface AggregateAnswer extends Omit<SearchAnswer, 'body'> {
  readonly form: 'json' | 'csv';
  /** UTF-8 JSON object or CSV, in pieces. */
  readonly body: readonly AnswerPiece[];
}

/**
 * Checks the body of a search.
 * @throws ServiceError as Search.search, for what is wrong with the request
 */
export type CheckSearch = (body: unknown) => Promise<readonly Hint[]>;

export interface SearchSettings {
  readonly limits: QueryLimits;
  /** Time limit of a query in milliseconds. */
  readonly timeoutMs: number;
  /** Runs planning and projection; a new one when omitted. */
  readonly scheduler?: CooperativeScheduler;
  /** Observes the stages; none when omitted. */
  readonly watch?: SearchWatch;
}

const encoder = new TextEncoder();
const CLOSE_OBJECT = encoder.encode('}');
const AGGREGATIONS = encoder.encode('{"aggregations":');
const HITS = encoder.encode(',"hits":');
/** Larger pages are built in steps. */
const HITS_AT_ONCE_MAX = 1_000;
const NO_AGGREGATIONS = JsonText.of({});

/** The pages of a walk. */
export interface WalkLimits {
  readonly size: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** The search use cases. Each checks the right of its reader, but for `checker`, which finds nothing. */
export class Search {
  readonly #visibility: Visibility;
  readonly #timeoutMs: number;
  readonly #planner: RequestPlanner;
  readonly #scheduler: CooperativeScheduler;
  readonly #watch: SearchWatch;

  constructor(
    visibility: Visibility,
    clock: { now(): number },
    {
      limits,
      timeoutMs,
      scheduler = new CooperativeScheduler(),
      watch = UNWATCHED,
    }: SearchSettings,
  ) {
    this.#visibility = visibility;
    this.#timeoutMs = timeoutMs;
    this.#planner = new RequestPlanner({ visibility, clock, limits, scheduler });
    this.#scheduler = scheduler;
    this.#watch = watch;
  }

  /**
   * `POST /search` (contract/search.md sections 1, 2 and 4). With `accessPaths` in the body, an
   * extension, elements of access have their paths.
   * @throws ServiceError for every 400 of section 1, `deadline_exceeded`, `cancelled`,
   * `unavailable`
   */
  async search(
    reader: Reader,
    body: unknown,
    parameters: SearchParameters,
    waiter: Waiter = {},
  ): Promise<SearchAnswer> {
    authorize(reader, 'search');
    const begun = await this.#begin('search', reader, body, waiter, (context) =>
      planSearchSteps(body, parameters, context),
    );
    const { planned: plan, indexes, options, stages } = begun;
    const warnings = withHints(begun.warnings, body, plan, parameters);
    if (plan.typeahead !== undefined) {
      return { ...(await this.#complete(indexes, plan, options, stages)), warnings };
    }
    const addsPaths = requestsPaths(body, plan.size);
    const result = await indexes.search(plan, options);
    const { hits, total } = result;
    stages.ended('search');
    const form = new PageForm(plan.source, (index) => indexes.mappings[index]);
    const page = addsPaths
      ? await this.#page(form, { hits: await this.#withPaths(hits, indexes, options) }, options)
      : await this.#page(form, result, options);
    stages.ended('present');
    return { total, body: page, warnings };
  }

  /**
   * `POST /search/{index}`: a search of one index.
   * @param name the index in the path
   * @throws ServiceError as search; `not_found` for an unknown index, `request_invalid` for a body
   * that names another one
   */
  async searchIndex(
    reader: Reader,
    name: string,
    body: unknown,
    parameters: SearchParameters,
    waiter: Waiter = {},
  ): Promise<SearchAnswer> {
    return this.search(reader, bodyForIndex(name, body), parameters, waiter);
  }

  #withPaths(
    hits: readonly Hit[],
    indexes: VisibleIndexes,
    options: RequestOptions,
  ): Promise<readonly Hit[]> {
    return withAccessPaths(hits, { indexes, scheduler: this.#scheduler, options });
  }

  /**
   * `POST /search/aggregate` (contract/search.md section 5).
   * @param accepted `csv` when the client prefers CSV to JSON, `csvOnly` when it rejects JSON. Only
   * a chain of aggregations has a CSV form
   * @throws ServiceError as search; `not_acceptable`
   */
  async aggregate(
    reader: Reader,
    body: unknown,
    parameters: SearchParameters,
    accepted: 'json' | 'csv' | 'csvOnly',
    waiter: Waiter = {},
  ): Promise<AggregateAnswer> {
    authorize(reader, 'search:aggregate');
    const begun = await this.#begin('aggregate', reader, body, waiter, (context) =>
      planAggregateSteps(body, parameters, context),
    );
    const { planned, indexes, options, stages } = begun;
    const { plan, csv } = planned;
    const warnings = withHints(begun.warnings, body, plan, parameters);
    if (accepted === 'csvOnly' && 'problem' in csv) throw notAcceptable(csv);
    const result = await indexes.search(plan, options);
    stages.ended('search');
    const { total, aggregations = NO_AGGREGATIONS } = result;
    if (accepted !== 'json' && !('problem' in csv)) {
      const text = aggregationCsv(aggregations.value(), csv);
      return { total, form: 'csv', body: [encoder.encode(text)], warnings };
    }
    const form = new PageForm(plan.source, (index) => indexes.mappings[index]);
    const page = await this.#page(form, result, options);
    const pieces = [AGGREGATIONS, aggregations.bytes, HITS, ...page, CLOSE_OBJECT];
    stages.ended('present');
    return { total, form: 'json', body: pieces, warnings };
  }

  /**
   * Builds a page: at once from a few stored hits, in steps for a large page or a projection, which
   * parses every document.
   */
  #page(
    form: PageForm,
    { hits, release }: Pick<SearchResult, 'hits' | 'release'>,
    options: WorkOptions,
  ): readonly HitRows[] | Promise<readonly HitRows[]> {
    return form.projects || hits.length > HITS_AT_ONCE_MAX
      ? this.#scheduler.run(form.pageSteps(hits, release), options)
      : form.page(hits, release);
  }

  /** The values of a type-ahead; the total is that of all matching values. */
  async #complete(
    indexes: VisibleIndexes,
    plan: Plan,
    options: ReadOptions,
    stages: SearchStages,
  ): Promise<Omit<SearchAnswer, 'warnings'>> {
    const { values, total } = await indexes.typeahead(plan, options);
    stages.ended('search');
    const body = [encoder.encode(JSON.stringify(values.map(({ value }) => value)))];
    stages.ended('present');
    return { total: plan.trackTotal ? total : null, body };
  }

  /** `POST /search/count`: the number of matching documents. */
  async count(reader: Reader, body: unknown, waiter: Waiter = {}): Promise<CountAnswer> {
    authorize(reader, 'search:count');
    const begun = await this.#begin('count', reader, body, waiter, (context) =>
      planCountSteps(body, context),
    );
    const { planned: plan, indexes, options, stages } = begun;
    const total = await indexes.count(plan, options);
    stages.ended('search');
    return { total, warnings: withHints(begun.warnings, body, null) };
  }

  /**
   * `POST /search/rows`: the matching documents, or elements of them, as a table of any length. The
   * time limit of a query applies to each page.
   * @throws ServiceError as search
   */
  async rows(
    reader: Reader,
    body: unknown,
    parameters: SearchParameters,
    format: RowFormat,
    { signal }: Waiter = {},
  ): Promise<RowsAnswer> {
    authorize(reader, 'search');
    const begun = await this.#begin('rows', reader, body, { signal }, (context) =>
      planRowsSteps(body, parameters, context),
    );
    const { planned, indexes, stages } = begun;
    const warnings = withHints(begun.warnings, body, { sort: planned.sort }, parameters);
    const options = () => ({ ...begun.options, deadline: new Deadline(this.#timeoutMs) });
    const plan = await withShownColumns(planned, indexes, options());
    const total = plan.count ? await indexes.count(rowsCount(plan), options()) : null;
    const pages = rowPages(plan, { indexes, options });
    const chunks = rowChunks(plan, format, pages, {
      options,
      scheduler: this.#scheduler,
      constants: (index) => indexes.mappings[index].constants,
    });
    const headers = headersOf(plan.columns);
    return { total, warnings, headers, chunks: endStageAfter(chunks, stages) };
  }

  /**
   * `POST /search/explain`: what a search does, as a JSON value; docs/explain.md lists its members.
   * @throws ServiceError as search; `not_found` for a document that the index does not have
   */
  async explain(
    reader: Reader,
    body: unknown,
    parameters: ExplainParameters,
    waiter: Waiter = {},
  ): Promise<object> {
    authorize(reader, 'search');
    this.#watch.begin('explain', queryTypeOf(body));
    return explainSearch(body, parameters, {
      plan: (steps) => this.#planner.plan(this.#request(reader, waiter), steps),
      scheduler: this.#scheduler,
      stopwatch: () => performance.now(),
    });
  }

  /**
   * `GET /search/{index}/{id}`: the bare document; from the store, so callers read their own writes,
   * unless a view restricts them.
   * @throws ServiceError `request_invalid` for an unknown index, `not_found`
   */
  async get(reader: Reader, index: string, id: string): Promise<readonly Uint8Array[]> {
    authorize(reader, 'document:get');
    const name = readIndexName(index);
    return bareDocument(await documentIn(await this.#visibility.of(reader), name, id));
  }

  /**
   * Returns a function that plans searches without running them; they have the time limit of one query
   * together. Whoever keeps a search has a right of its own.
   */
  checker(reader: Reader, signal?: AbortSignal): CheckSearch {
    const request = this.#request(reader, { signal });
    return async (body) => {
      const { warnings, remarks } = await this.#planner.plan(request, (context) =>
        planSearchSteps(body, {}, context),
      );
      return [...warnings, ...remarks];
    };
  }

  /**
   * All hits of a search in its order, in pages, as hitPages; the first has the total. `now` is the
   * same for all pages.
   * @param body a search with a sort that ends with `id`
   * @param limits.timeoutMs longest time of a page; what the query looks up has the time of a query
   * @throws ServiceError as search
   */
  async *walk(
    reader: Reader,
    body: unknown,
    { size, timeoutMs = this.#timeoutMs, signal }: WalkLimits,
  ): AsyncGenerator<Pick<SearchResult, 'hits' | 'total'>> {
    authorize(reader, 'search');
    const planning = await this.#planner.plan(this.#request(reader, { signal }), (context) =>
      planSearchSteps(body, { limit: String(size), count: 'true' }, context),
    );
    const pageMs = Math.min(this.#timeoutMs, timeoutMs);
    const options = () => ({ ...planning.options, deadline: new Deadline(pageMs) });
    yield* hitPages(planning.planned, { indexes: planning.indexes, options });
  }

  /**
   * The columns of an index where none are chosen, by what the documents that the reader sees have.
   * @returns field names, none of a nested array
   * @throws ServiceError as search
   */
  async shownColumns(
    reader: Reader,
    index: IndexName,
    signal?: AbortSignal,
  ): Promise<readonly string[]> {
    authorize(reader, 'search');
    const { options } = this.#request(reader, { signal });
    return (await shownIn(await this.#visibility.of(reader), index, options)).columns;
  }

  /** Plans a request, and begins the stage of its search. */
  async #begin<Planned>(
    operation: SearchOperation,
    reader: Reader,
    body: unknown,
    waiter: Waiter,
    steps: (context: PlanContext) => Steps<Planned>,
  ): Promise<
    Omit<Planning<Planned>, 'warnings'> & {
      readonly stages: SearchStages;
      /** About unknown names, and the clauses. */
      readonly warnings: readonly Hint[];
    }
  > {
    const stages = this.#watch.begin(operation, queryTypeOf(body));
    const planning = await this.#planner.plan(this.#request(reader, waiter), steps);
    stages.ended('plan');
    return { stages, ...planning, warnings: [...planning.warnings, ...planning.remarks] };
  }

  #request(reader: Reader, waiter: Waiter): ReadRequest {
    const { signal, memory } = waiter;
    const deadline = new Deadline(this.#timeoutMs);
    return { reader, options: { tenantId: reader.tenantId, deadline, signal, memory } };
  }
}

/** The same chunks; the stage of the search ends after the last one. */
async function* endStageAfter(
  chunks: AsyncGenerator<RowChunk>,
  stages: SearchStages,
): AsyncGenerator<RowChunk> {
  yield* chunks;
  stages.ended('search');
}

/**
 * The body of a search of one index, which it may name as well.
 * @throws ServiceError `not_found`, `request_invalid`
 */
function bodyForIndex(name: string, body: unknown): unknown {
  const index = INDEX_NAMES.find((known) => known === name);
  if (index === undefined) {
    const cause = `${JSON.stringify(name.slice(0, 60))} is none of ${INDEX_NAMES.join(', ')}`;
    throw new ServiceError('not_found', 'There is no such index.', { causes: [cause] });
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { indices = null } = body as { readonly indices?: unknown };
  const isEmpty = indices === null || (Array.isArray(indices) && indices.length === 0);
  if (isEmpty) return { ...body, indices: [index] };
  // Of another type: planning names what is expected.
  if (!Array.isArray(indices)) return body;
  const at = indices.findIndex((other) => typeof other === 'string' && other !== index);
  if (at === -1) return body;
  const cause = `indices[${at}]: ${JSON.stringify(String(indices[at]).slice(0, 60))} is not ${index}, the index in the path; leave indices out, or search without an index in the path`;
  throw new ServiceError('request_invalid', cause, { causes: [cause] });
}

function notAcceptable({ problem }: NoCsv): ServiceError {
  const message = 'The response is not available in a form that the Accept header allows.';
  return new ServiceError('not_acceptable', message, {
    causes: [`${problem}; or send Accept: application/json`],
  });
}
