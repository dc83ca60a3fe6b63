// Searching: a request becomes a plan, the backend answers it, and the hits become the bytes of the response.
// A hit is spliced from the stored bytes and the envelope of its index; it is parsed only where a projection asks.

import type { Caller } from '../auth/caller.ts';
import { ServiceError } from '../errors.ts';
import { planAggregate } from '../query/aggregate-request.ts';
import { INDEX_NAMES, typeOf } from '../query/document-types.ts';
import type { Constants, Mapping } from '../query/mapping.ts';
import type { IndexName, Plan } from '../query/plan.ts';
import { Projection, projects } from '../query/projection.ts';
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
import type { Hit, SearchBackend } from './search-backend.ts';
import { queryTypeOf, type SearchLap, type SearchWatch, UNWATCHED } from './search-watch.ts';

/** What a search answers. */
export interface SearchAnswer {
  /** Exact; null unless the caller asked for the count. */
  readonly total: number | null;
  /** UTF-8 JSON array, in pieces. */
  readonly body: readonly Uint8Array[];
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
  readonly body: readonly Uint8Array[];
}

export interface SearchSettings {
  readonly limits: QueryLimits;
  /** Milliseconds a query may take. */
  readonly timeoutMs: number;
  /** Who measures; nobody when left out. */
  readonly watch?: SearchWatch;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const OPEN = encoder.encode('[');
const CLOSE = encoder.encode(']');
const COMMA = encoder.encode(',');
const CLOSE_OBJECT = encoder.encode('}');
/** Bytes of `{}`: an element without members, which nothing can be appended to. */
const EMPTY_OBJECT = 2;
const EVERYTHING = new Projection({ includes: [], excludes: [], nested: true });

/** The search use cases; the caller has been authorised. */
export class Search {
  readonly #backend: SearchBackend;
  readonly #documents: Documents;
  readonly #clock: { now(): number };
  readonly #settings: SearchSettings;
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
    const lap = this.#watch.begin('search', queryTypeOf(body));
    const context = await this.#context(caller.tenantId);
    const { planned: plan, warnings } = withWarnings(context, (heard) =>
      planSearch(body, parameters, heard),
    );
    lap.ended('plan');
    if (plan.typeahead !== undefined) {
      return { ...(await this.#complete(caller, plan, lap, signal)), warnings };
    }
    const { hits, total } = await this.#backend.search(
      caller.tenantId,
      plan,
      this.#options(signal),
    );
    lap.ended('search');
    const answer = { total, body: present(hits, plan, context.mapping), warnings };
    lap.ended('present');
    return answer;
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
    const lap = this.#watch.begin('aggregate', queryTypeOf(body));
    const context = await this.#context(caller.tenantId);
    const { planned, warnings } = withWarnings(context, (heard) =>
      planAggregate(body, parameters, heard),
    );
    lap.ended('plan');
    const { plan, csv } = planned;
    const result = await this.#backend.search(caller.tenantId, plan, this.#options(signal));
    lap.ended('search');
    const { total, aggregations = {} } = result;
    if (prefers === 'csv' && csv !== null) {
      const text = aggregationCsv(aggregations, csv);
      return { total, form: 'csv', body: [encoder.encode(text)], warnings };
    }
    const hits = present(result.hits, plan, context.mapping);
    const head = encoder.encode(`{"aggregations":${JSON.stringify(aggregations)},"hits":`);
    lap.ended('present');
    return { total, form: 'json', body: [head, ...hits, CLOSE_OBJECT], warnings };
  }

  /** The values a type-ahead asks for; their number is that of all that complete the text. */
  async #complete(
    caller: Caller,
    plan: Plan,
    lap: SearchLap,
    signal: AbortSignal | undefined,
  ): Promise<Omit<SearchAnswer, 'warnings'>> {
    const options = this.#options(signal);
    const { values, total } = await this.#backend.typeahead(caller.tenantId, plan, options);
    lap.ended('search');
    const body = [encoder.encode(JSON.stringify(values.map(({ value }) => value)))];
    lap.ended('present');
    return { total: plan.trackTotal ? total : null, body };
  }

  /** `POST /search/count`: how many documents match. */
  async count(caller: Caller, body: unknown, signal?: AbortSignal): Promise<CountAnswer> {
    const lap = this.#watch.begin('count', queryTypeOf(body));
    const context = await this.#context(caller.tenantId);
    const { planned: plan, warnings } = withWarnings(context, (heard) => planCount(body, heard));
    lap.ended('plan');
    const total = await this.#backend.count(caller.tenantId, plan, this.#options(signal));
    lap.ended('search');
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
      options: this.#options(signal),
      context: () => this.#context(tenantId),
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

  #options(signal: AbortSignal | undefined) {
    const timeoutMs = this.#settings.timeoutMs;
    return signal === undefined ? { timeoutMs } : { timeoutMs, signal };
  }

  async #context(tenantId: string): Promise<PlanContext> {
    const mappings = await this.#documents.mappings(tenantId);
    return {
      mapping: (index) => mappings[index],
      now: this.#clock.now(),
      limits: this.#settings.limits,
    };
  }
}

/** The response body: the hits in their order, each with the envelope of its index. */
function present(
  hits: readonly Hit[],
  plan: Plan,
  mapping: (index: IndexName) => Mapping,
): Uint8Array[] {
  const projection = projects(plan.source) ? new Projection(plan.source) : null;
  const envelopes = new Map<string, Uint8Array>();
  const parts: Uint8Array[] = [OPEN];
  hits.forEach((hit, position) => {
    if (position > 0) parts.push(COMMA);
    const asObject = projection ?? (hit.root.length === EMPTY_OBJECT ? EVERYTHING : null);
    if (asObject !== null) {
      parts.push(encoder.encode(JSON.stringify(projected(hit, asObject, mapping(hit.index)))));
      return;
    }
    parts.push(hit.root.subarray(0, hit.root.length - 1));
    if (hit.nested.length > 0) {
      parts.push(COMMA);
      parts.push(hit.nested);
    }
    parts.push(
      memo(envelopes, `${hit.index} ${hit.elementOf ?? ''}`, () =>
        envelopeBytes(envelopeOf(hit, mapping(hit.index))),
      ),
    );
  });
  parts.push(CLOSE);
  return parts;
}

/** What a row has beyond its stored members. */
function envelopeOf({ elementOf }: Hit, mapping: Mapping): Constants {
  if (elementOf === undefined) return mapping.constants;
  const _version = mapping.constants['_version'] ?? '';
  return { _type: elementOf, _originalType: typeOf(mapping.index), _version };
}

/** `,"_type":…}`: what follows the stored members of every row of a kind. */
function envelopeBytes(envelope: Constants): Uint8Array {
  return encoder.encode(`,${JSON.stringify(envelope).slice(1)}`);
}

function projected(hit: Hit, projection: Projection, mapping: Mapping): Record<string, unknown> {
  const root = decoder.decode(hit.root);
  const nested = hit.nested.length > 0 ? `,${decoder.decode(hit.nested)}` : '';
  const document: Record<string, unknown> = JSON.parse(`${root.slice(0, -1)}${nested}}`);
  const envelope = envelopeOf(hit, mapping);
  const kept = projection.apply({ ...document, ...envelope });
  // These are in every row, asked for or not: clients sort rows into kinds by them.
  for (const name of ['_type', '_originalType', '_version']) {
    if (envelope[name] !== undefined) kept[name] = envelope[name];
  }
  const type = envelope['type'] ?? document['type'];
  if (type !== undefined) kept['type'] = type;
  return kept;
}

function memo<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  let value = known.get(key);
  if (value === undefined) {
    value = make();
    known.set(key, value);
  }
  return value;
}
