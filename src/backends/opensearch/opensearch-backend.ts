// The search backend on an OpenSearch cluster, for installations larger than one machine. It holds
// no state but a cache of the cluster's; if that is not what was committed, all documents are fed
// again from the store (indexes/fed-indexes.ts).
// Invariant: an incomplete index is `unavailable` and never returns incomplete results.

import { ServiceError } from '../../errors.ts';
import { JsonText } from '../../json/json-text.ts';
import { DateCache } from '../../query/dates/date-cache.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { Plan } from '../../query/plan.ts';
import type { DocumentExplanation } from '../../query/plan-clause.ts';
import type { IndexName } from '../../query/query.ts';
import { withAbort, within } from '../../scheduling/abort.ts';
import { cancelled } from '../../scheduling/deadline.ts';
import type {
  DocumentKey,
  IndexContents,
  IndexHoldings,
  SearchBackend,
  SearchOptions,
  SearchResult,
  TypeaheadResult,
} from '../../service/ports/search-backend.ts';
import type { DocumentChange } from '../../service/ports/store.ts';
import { type Log, SILENT } from '../../telemetry/log.ts';
import type { FedBackend } from '../indexer.ts';
import { aggregateTargets } from './aggregations/aggregate.ts';
import { countElements } from './elements/element-search.ts';
import { explainDocument } from './explain-document.ts';
import { OpenSearchContents } from './foreign-writes/index-contents.ts';
import {
  type SurplusDocuments,
  type TrueDocuments,
  TrueHits,
  withoutSurplus,
} from './foreign-writes/true-hits.ts';
import { findHits } from './hit-search.ts';
import { StateStore } from './indexes/committed-state.ts';
import { type Connection, FedIndexes, type FedOptions } from './indexes/fed-indexes.ts';
import { holdingsOf } from './indexes/index-holdings.ts';
import { DEFAULT_LAYOUT, type Layout } from './indexes/index-set.ts';
import { IndexUpkeep } from './indexes/index-upkeep.ts';
import { isClosed, OpenIndexes } from './indexes/open-indexes.ts';
import { type GenerationFeed, RebuildBeside } from './indexes/rebuild-beside.ts';
import { RefusedDocuments } from './indexes/refused-documents.ts';
import { RemoteIndexes } from './indexes/remote-indexes.ts';
import { SearchClient } from './indexes/search-client.ts';
import { OpenSearchClient, OpenSearchFault, serviceError, unavailable } from './requests/client.ts';
import { countBody, type OpenTarget } from './requests/plan-to-body.ts';
import type { Searches, SearchFunction, SearchLimits } from './requests/search-response.ts';
import { completeValues } from './typeahead.ts';
import { visibleTarget } from './visible-target.ts';

export interface OpenSearchOptions {
  /** URL of one node or of a load balancer; may hold a user and a password. */
  readonly url: string;
  /** Prefix of all index names; each service needs its own. */
  readonly prefix: string;
  /** The current fields of an index. */
  mapping(tenantId: string, index: IndexName): Mapping | Promise<Mapping>;
  /** The store's last sequence: indexes that lost their state are complete once fed up to it. */
  lastSequence(): Promise<number>;
  /** As in FedOptions. */
  readonly storeMark?: FedOptions['storeMark'];
  /**
   * The store, for documents that another program has written, changed or deleted; if omitted, a search
   * that finds one fails.
   */
  readonly documents?: TrueDocuments | undefined;
  /** As in FedOptions; false if omitted. */
  readonly refusesEmptyStore?: boolean;
  readonly log?: Log;
  /**
   * Whether this process feeds the indexes; may change. Other processes follow what the feeder
   * commits. If omitted, this is the only process.
   */
  readonly feeds?: (() => boolean) | undefined;
  /** Shards and replicas; one shard and `auto` replicas if omitted. */
  readonly layout?: Layout;
  /** As `mostPerNode` of OpenIndexesOptions. */
  readonly openIndexes?: number;
  /** Bounds of the requests for a page; LIMITS if omitted. */
  readonly limits?: SearchLimits;
  /**
   * Makes a feed of a generation from the store. If omitted, indexes with another number of shards
   * than `layout` says stay as they are until everything is fed again.
   */
  readonly feedOf?: (generation: FedBackend) => GenerationFeed;
  /** As in UpkeepOptions. */
  readonly ifUnfed?: (format: number, work: () => Promise<void>) => Promise<void>;
  /** As in UpkeepOptions. */
  readonly graceMs?: number;
  /** As in UpkeepOptions. */
  readonly intervalMs?: number;
}

const OPEN_INDEXES = 450;
const LIMITS: SearchLimits = {
  window: 10_000,
  documents: 1_000,
  elements: 50,
  elementsBefore: 1_000,
};
const GRACE_MS = 60_000;
const UPKEEP_MS = 60_000;
const PROBE_MS = 1_000;
/** Long, because a busy cluster is slow; the caller retries anyway. */
const PING_MS = 3_000;

/** Creates the backend; it connects to OpenSearch on first use. */
export function openOpenSearchBackend(options: OpenSearchOptions): SearchBackend {
  return new OpenSearchBackend(options);
}

class OpenSearchBackend implements SearchBackend {
  readonly #options: OpenSearchOptions;
  readonly #client: OpenSearchClient;
  /** The indexes that answer. */
  readonly #indexes: FedIndexes;
  readonly #rebuild: RebuildBeside | null;
  readonly #upkeep: IndexUpkeep;
  readonly #open: OpenIndexes;
  readonly #refused: RefusedDocuments;
  readonly #searchClient: SearchClient;
  readonly contents: IndexContents;
  readonly #dates = new DateCache();
  #closed = false;

  constructor(options: OpenSearchOptions) {
    const { url, prefix, log = SILENT, openIndexes = OPEN_INDEXES } = options;
    const layout = options.layout ?? DEFAULT_LAYOUT;
    const { all: replicas } = layout.replicas;
    const client = new OpenSearchClient(url);
    const state = new StateStore(client, prefix, replicas === 'auto' ? 1 : Math.max(1, replicas));
    const remote = new RemoteIndexes(client, prefix);
    const feeds = () => this.#feeds;
    const open = new OpenIndexes({ client, prefix, mostPerNode: openIndexes, feeds });
    const refused = new RefusedDocuments(log);
    const fed: FedOptions = {
      ...{ client, remote, state, open, refused, log, set: { prefix, layout } },
      mapping: options.mapping,
      lastSequence: options.lastSequence,
      storeMark: options.storeMark,
      feeds: options.feeds,
      records: options.documents?.records,
      refusesEmptyStore: options.refusesEmptyStore,
    };
    this.#options = options;
    this.#client = client;
    this.#open = open;
    this.#refused = refused;
    this.#indexes = new FedIndexes(fed);
    this.#rebuild = rebuildOf(this.#indexes, fed, options, () => this.#upkeep.replaced());
    this.#upkeep = new IndexUpkeep({
      ...{ client, remote, state, open, log, answering: this.#indexes },
      ifUnfed: options.ifUnfed,
      graceMs: options.graceMs ?? GRACE_MS,
      intervalMs: options.intervalMs ?? UPKEEP_MS,
    });
    this.#searchClient = new SearchClient(client, {
      onGone: () => this.#indexes.drop(),
      open: (names, timeoutMs) => open.open(names, timeoutMs),
    });
    this.contents = new OpenSearchContents({
      ...{ indexes: this.#indexes, open, refused, searchClient: this.#searchClient },
      mapping: options.mapping,
    });
  }

  search(tenantId: string, plan: Plan, options: SearchOptions): Promise<SearchResult> {
    return withoutSurplus(plan, (confined, surplus) =>
      this.#search(tenantId, confined, options, surplus),
    );
  }

  async #search(
    tenantId: string,
    plan: Plan,
    options: SearchOptions,
    surplus: SurplusDocuments,
  ): Promise<SearchResult> {
    const aggregates = plan.targets.some(({ aggregations }) => aggregations !== undefined);
    const hasHits = plan.size > 0 || plan.trackTotal;
    const trueHits = new TrueHits(tenantId, this.#options.documents, surplus);
    if (!aggregates || !hasHits) {
      const searches = this.#searches(options, trueHits);
      const targets = await this.#targets(tenantId, plan, options);
      if (!aggregates) return findHits(targets, plan, searches);
      const uncounted = trueHits.of(this.#uncounted(options), 'visible');
      return { hits: [], total: null, ...(await this.#aggregate(plan, targets, uncounted)) };
    }
    return withAbort({ signal: options.signal }, async (halves) => {
      const { signal } = halves;
      const half = { ...options, signal };
      const searches = this.#searches(half, trueHits);
      const uncounted = trueHits.of(this.#uncounted(half), 'visible');
      try {
        const targets = await this.#targets(tenantId, plan, options);
        const [hits, aggregations] = await Promise.all([
          findHits(targets, plan, searches),
          this.#aggregate(plan, targets, uncounted),
        ]);
        return { ...hits, ...aggregations };
      } catch (error) {
        halves.abort(); // the result of the other half is not needed any more
        throw error;
      }
    });
  }

  async #aggregate(
    plan: Plan,
    targets: readonly OpenTarget[],
    search: SearchFunction,
  ): Promise<Pick<SearchResult, 'aggregations'>> {
    // Answers with buckets are parsed and not kept.
    const aggregations = await aggregateTargets(plan, targets, search, this.#dates);
    return { aggregations: JsonText.of(aggregations) };
  }

  async count(tenantId: string, plan: Plan, options: SearchOptions): Promise<number> {
    const { search } = this.#searchClient.within(options);
    const targets = await this.#targets(tenantId, plan, options);
    const documents = targets.filter(({ innerHit }) => innerHit === undefined);
    const elements = targets.filter(({ innerHit }) => innerHit !== undefined);
    const rows = await countElements(elements, search);
    if (documents.length === 0) return rows;
    const answer = await search(documents, countBody(documents), false);
    return rows + (answer.hits.total?.value ?? 0);
  }

  async typeahead(tenantId: string, plan: Plan, options: SearchOptions): Promise<TypeaheadResult> {
    if (plan.typeahead === undefined) throw new TypeError('Not a plan for values');
    const { search } = this.#searchClient.within(options);
    const targets = await this.#targets(tenantId, plan, options);
    return completeValues(targets, plan.typeahead, search);
  }

  async explain(
    tenantId: string,
    plan: Plan,
    document: DocumentKey,
    options: SearchOptions,
  ): Promise<DocumentExplanation | null> {
    const { multiSearch } = this.#searchClient.within(options);
    if (!(await this.#shows(tenantId, plan, document, options))) return null;
    const targets = await this.#targets(tenantId, wholePlan(plan), options);
    return explainDocument(targets, plan, document, multiSearch);
  }

  apply(tenantId: string, changes: readonly DocumentChange[]): Promise<void> {
    return this.#fed((indexes) => indexes.apply(tenantId, changes));
  }

  refresh(): Promise<void> {
    return this.#fed((indexes) => indexes.refresh());
  }

  commit(sequence: number): Promise<void> {
    return this.#fed((indexes) => indexes.commit(sequence));
  }

  /** A feeder calls it between two batches, when the indexes may be replaced. */
  committedSequence(): Promise<number> {
    return this.#fed(async (indexes) => {
      const sequence = await indexes.committedSequence();
      if (!this.#feeds) {
        await this.#rebuild?.abandon();
        return sequence;
      }
      await this.#rebuild?.step();
      await this.#upkeep.run();
      return indexes.committedSequence();
    });
  }

  coveredSequence(): Promise<number> {
    return this.#fed((indexes) => indexes.coveredSequence());
  }

  clear(): Promise<void> {
    return this.#fed((indexes) => indexes.clear());
  }

  rebuilding(): Promise<boolean> {
    return this.#fed((indexes) => indexes.rebuilding());
  }

  async ping(): Promise<void> {
    if (this.#closed) throw new ServiceError('unavailable', 'The search index is closed');
    try {
      await this.#client.send({ method: 'GET', path: '/' }, { timeoutMs: PING_MS });
    } catch (error) {
      // Any answer below 500 shows that OpenSearch is up, even an authorization error.
      if (error instanceof OpenSearchFault && error.status < 500) return;
      const fault = serviceError(error);
      throw fault instanceof ServiceError ? fault : unavailable(String(fault));
    }
  }

  async unreadyReason(): Promise<string | null> {
    if (this.#closed) return 'The search index is closed';
    try {
      const { rebuildUntil } = await this.#connectedWithin(PROBE_MS);
      const health = await this.#client.send<{ readonly status: string }>(
        { method: 'GET', path: `/_cluster/health/${this.#options.prefix}-*` },
        { timeoutMs: PROBE_MS },
      );
      if (health.status === 'red') return 'Some of the indexes in OpenSearch have no live shard';
      if (rebuildUntil !== null) return 'The search index is being filled again from the store';
      return null;
    } catch (error) {
      throw serviceError(error);
    }
  }

  async holdings(tenantId: string): Promise<readonly IndexHoldings[]> {
    const { indexes } = await this.#connectedWithin(PROBE_MS);
    const existing = INDEX_NAMES.flatMap((index) => {
      const one = indexes.get(tenantId, index);
      if (one === undefined) return [];
      const refused = this.#feeds ? this.#refused.count(tenantId, index) : null;
      return [{ index, name: one.name, refused }];
    });
    const read = (one: (typeof existing)[number]) => holdingsOf(this.#client, one, PROBE_MS);
    try {
      return await Promise.all(existing.map(read));
    } catch (error) {
      if (!isClosed(error)) throw serviceError(error);
    }
    try {
      await this.#open.open(existing.map(({ name }) => name));
      return await Promise.all(existing.map(read));
    } catch (error) {
      // Another index has needed its room meanwhile.
      throw isClosed(error) ? unavailable((error as Error).message) : serviceError(error);
    }
  }

  warnings(): readonly string[] {
    const { warning } = this.#refused;
    return this.#feeds && warning !== null ? [warning] : [];
  }

  /** Requests that wait for an answer of OpenSearch fail at once. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([this.#client.close(), this.#rebuild?.abandon()]);
  }

  #searches(options: SearchOptions, trueHits: TrueHits): Searches {
    const { search } = this.#searchClient.within(options);
    const { limits = LIMITS } = this.#options;
    return {
      search: trueHits.of(search, 'query'),
      searchUncounted: this.#uncounted(options),
      limits,
    };
  }

  #uncounted(options: SearchOptions): SearchFunction {
    return this.#searchClient.within({ ...options, memory: undefined }).search;
  }

  /** Whether a document is among those that exist for the plan. */
  async #shows(
    tenantId: string,
    plan: Plan,
    { index, id }: DocumentKey,
    options: SearchOptions,
  ): Promise<boolean> {
    const target = plan.targets.find((one) => one.index === index);
    if (target?.visible === undefined) return true;
    visibleTarget(target);
    const { visible } = target;
    const targets = [{ index, query: { kind: 'ids', values: [id] } as const, visible }];
    return (await this.count(tenantId, { ...plan, targets }, options)) > 0;
  }

  /** The plan's targets that have an index. */
  async #targets(
    tenantId: string,
    plan: Plan,
    { deadline, signal, mappings }: SearchOptions,
  ): Promise<OpenTarget[]> {
    const { leftMs } = deadline;
    if (leftMs <= 0) throw deadline.exceeded();
    if (signal?.aborted) throw cancelled();
    const { rebuildUntil, indexes } = await this.#connectedWithin(leftMs);
    if (rebuildUntil !== null) {
      throw new ServiceError('unavailable', 'The search index is being rebuilt', {
        causes: [`It is being fed again up to change ${rebuildUntil}`],
        retryAfterSeconds: 5,
      });
    }
    const targets: OpenTarget[] = [];
    for (const one of plan.targets) {
      const target = visibleTarget(one);
      const existing = indexes.get(tenantId, target.index);
      if (existing === undefined) continue;
      const { index } = target;
      targets.push({
        mapping: mappings[index],
        concreteIndex: existing.name,
        shards: existing.shards,
        ...target,
      });
    }
    return targets;
  }

  /** Whether this process feeds the indexes. */
  get #feeds(): boolean {
    return this.#options.feeds?.() ?? true;
  }

  #connected(): Promise<Connection> {
    return this.#fed((indexes) => indexes.connected());
  }

  #connectedWithin(timeoutMs: number): Promise<Connection> {
    return within(timeoutMs, this.#connected(), () => {
      throw unavailable(`No answer within ${timeoutMs} ms`);
    });
  }

  #fed<Result>(use: (indexes: FedIndexes) => Promise<Result>): Promise<Result> {
    if (!this.#closed) return use(this.#indexes);
    return Promise.reject(new ServiceError('unavailable', 'The search index is closed'));
  }
}

/** The plan over all documents of its indexes. */
function wholePlan(plan: Plan): Plan {
  return { ...plan, targets: plan.targets.map(({ visible: _, ...target }) => target) };
}

function rebuildOf(
  answering: FedIndexes,
  fed: FedOptions,
  { feedOf }: OpenSearchOptions,
  onReplaced: () => void,
): RebuildBeside | null {
  if (feedOf === undefined) return null;
  const { state, log } = fed;
  const open = (generation: string) => new FedIndexes(fed, generation);
  return new RebuildBeside({ state, log, answering, open, feed: feedOf, onReplaced });
}
