// The search backend on an OpenSearch cluster, for installations larger than one machine. It holds
// no state but a cache of the cluster's; if that is not what was committed, all documents are fed
// again from the store.
// Invariant: an incomplete index is `unavailable` and never returns incomplete results.

import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import { JsonText } from '../../identity/json/json-text.ts';
import type {
  DocumentKey,
  IndexHoldings,
  SearchBackend,
  SearchOptions,
  SearchResult,
  TypeaheadResult,
} from '../../identity/ports/search-backend.ts';
import type { DocumentChange } from '../../identity/ports/store.ts';
import { cancelled, deadlineExceeded } from '../../identity/scheduling/cooperative.ts';
import { type Log, SILENT } from '../../log.ts';
import { DateCache } from '../../query/dates/date-cache.ts';
import type { DocumentExplanation } from '../../query/explain/plan-clause.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName } from '../../query/query.ts';
import { aggregateTargets } from './aggregations/aggregate.ts';
import { BulkWriter } from './bulk.ts';
import { OpenSearchClient, OpenSearchFault, serviceError, unavailable } from './client.ts';
import { allowClauses } from './cluster-settings.ts';
import { type CommittedState, StateStore } from './committed-state.ts';
import { DocumentWriter } from './documents.ts';
import { countElements } from './element-search.ts';
import { explainDocument } from './explain-document.ts';
import { findHits } from './hit-search.ts';
import { holdingsOf } from './index-holdings.ts';
import { IndexSet } from './index-set.ts';
import { countBody, type OpenTarget } from './plan-to-body.ts';
import { SearchClient } from './search-client.ts';
import { completeValues } from './typeahead.ts';

export interface OpenSearchOptions {
  /** URL of one node or of a load balancer; may hold a user and a password. */
  readonly url: string;
  /** Prefix of all index names; each service needs its own. */
  readonly prefix: string;
  /** The current fields of an index. */
  mapping(tenantId: string, index: IndexName): Mapping | Promise<Mapping>;
  /** The store's last sequence: indexes that lost their state are complete once fed up to it. */
  lastSequence(): Promise<number>;
  readonly log?: Log;
  /**
   * Whether this process feeds the indexes; may change. Other processes follow what the feeder
   * commits. If omitted, this is the only process.
   */
  readonly feeds?: (() => boolean) | undefined;
}

/** A follower reloads after this long: the feeder may have created indexes or started over. */
const FOLLOW_MS = 500;
const PROBE_MS = 1_000;
/** Long, because a busy cluster is slow; the caller retries anyway. */
const PING_MS = 3_000;

/** Creates the backend; it connects to OpenSearch on first use. */
export function openOpenSearchBackend(options: OpenSearchOptions): SearchBackend {
  return new OpenSearchBackend(options);
}

/** The state of the cluster, cached until a fault. */
interface Connection {
  /** The last sequence committed. */
  sequence: number;
  /** The indexes were empty at the time of this change. */
  readonly covered: number;
  /** Searches are refused until this change is searchable; null: no rebuild is running. */
  rebuildUntil: number | null;
}

class OpenSearchBackend implements SearchBackend {
  readonly #options: OpenSearchOptions;
  readonly #log: Log;
  readonly #client: OpenSearchClient;
  readonly #indexes: IndexSet;
  readonly #state: StateStore;
  readonly #searchClient: SearchClient;
  readonly #dates = new DateCache();
  #connection: Promise<Connection> | null = null;
  /** Whether the cached state was loaded by a follower, and until when it is valid. */
  #following = false;
  #staleAt = 0;
  /** The sequence of the last change applied. */
  #applied = 0;
  /** Aliases with changes that are not searchable yet. */
  readonly #touched = new Set<string>();
  /** The indexes were lost and the feeder was not notified yet: it would go on where it was. */
  #lossPending = false;
  #startedOver = false;
  #closed = false;

  constructor(options: OpenSearchOptions) {
    this.#options = options;
    this.#log = options.log ?? SILENT;
    this.#client = new OpenSearchClient(options.url);
    this.#indexes = new IndexSet(this.#client, options.prefix);
    this.#state = new StateStore(this.#client, options.prefix);
    this.#searchClient = new SearchClient(this.#client, () => {
      this.#connection = null; // the feeder then asks for the sequence to start from
    });
  }

  async search(tenantId: string, plan: Plan, options: SearchOptions): Promise<SearchResult> {
    const targets = await this.#targets(tenantId, plan, options);
    const { search } = this.#searchClient.within(options);
    if (plan.targets.every(({ aggregations }) => aggregations === undefined)) {
      return findHits(targets, plan, search);
    }
    const [hits, aggregations] = await Promise.all([
      findHits(targets, plan, search),
      aggregateTargets(plan, targets, search, this.#dates),
    ]);
    return { ...hits, aggregations: JsonText.of(aggregations) };
  }

  async count(tenantId: string, plan: Plan, options: SearchOptions): Promise<number> {
    const targets = await this.#targets(tenantId, plan, options);
    const { search } = this.#searchClient.within(options);
    const documents = targets.filter(({ innerHit }) => innerHit === undefined);
    const elements = targets.filter(({ innerHit }) => innerHit !== undefined);
    const rows = await countElements(elements, search);
    if (documents.length === 0) return rows;
    const answer = await search(documents, countBody(documents));
    return rows + (answer.hits.total?.value ?? 0);
  }

  async typeahead(tenantId: string, plan: Plan, options: SearchOptions): Promise<TypeaheadResult> {
    if (plan.typeahead === undefined) throw new TypeError('Not a plan for values');
    const targets = await this.#targets(tenantId, plan, options);
    return completeValues(targets, plan.typeahead, this.#searchClient.within(options).search);
  }

  async explain(
    tenantId: string,
    plan: Plan,
    document: DocumentKey,
    options: SearchOptions,
  ): Promise<DocumentExplanation | null> {
    const targets = await this.#targets(tenantId, plan, options);
    return explainDocument(targets, plan, document, this.#searchClient.within(options).multiSearch);
  }

  apply(tenantId: string, changes: readonly DocumentChange[]): Promise<void> {
    return this.#feed(async (connection) => {
      const bulk = new BulkWriter(this.#client);
      const writers = new Map<IndexName, { alias: string; writer: DocumentWriter }>();
      for (const change of changes) {
        // A replay of committed changes: OpenSearch may have purged the tombstone of a deletion.
        if (change.sequence <= connection.sequence) continue;
        let destination = writers.get(change.index);
        if (destination === undefined) {
          if (change.document === null && this.#indexes.get(tenantId, change.index) === undefined) {
            continue;
          }
          const mapping = await this.#options.mapping(tenantId, change.index);
          const { alias } = await this.#indexes.ensure(tenantId, mapping);
          destination = { alias, writer: new DocumentWriter(mapping) };
          writers.set(change.index, destination);
          this.#touched.add(alias);
        }
        await bulk.add(destination.alias, change, destination.writer);
      }
      await bulk.flush();
      for (const { sequence } of changes) this.#applied = Math.max(this.#applied, sequence);
    });
  }

  refresh(): Promise<void> {
    return this.#feed((connection) => this.#refresh(connection));
  }

  commit(sequence: number): Promise<void> {
    return this.#feed(async (connection) => {
      await this.#refresh(connection);
      // Every answered bulk request is on disk (index.translog.durability).
      const last = Math.max(sequence, connection.sequence);
      await this.#state.write({
        sequence: last,
        covered: connection.covered,
        rebuildUntil: connection.rebuildUntil,
        indexes: Object.fromEntries(this.#indexes.all().map(({ alias, uuid }) => [alias, uuid])),
      });
      connection.sequence = last;
    });
  }

  async committedSequence(): Promise<number> {
    const { sequence } = await this.#connected();
    this.#reportLoss();
    return sequence;
  }

  async coveredSequence(): Promise<number> {
    const { sequence, covered } = await this.#connected();
    return Math.max(sequence, covered);
  }

  /** A feeder must ask again where to start, or it would go on from its last change. */
  async clear(): Promise<void> {
    await this.#feed(() => this.#deleteEverything());
    this.#connection = null; // connecting again sets the end of the rebuild
  }

  async rebuilding(): Promise<boolean> {
    const { rebuildUntil } = await this.#connected();
    return rebuildUntil !== null;
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
      const { rebuildUntil } = await within(this.#connected(), PROBE_MS);
      const health = await this.#client.send<{ readonly status: string }>(
        { method: 'GET', path: `/_cluster/health/${this.#options.prefix}-*` },
        { timeoutMs: PROBE_MS },
      );
      if (health.status === 'red') return 'Some of the indexes in OpenSearch have no live shard';
      if (rebuildUntil !== null) return 'The search index is being filled again from the store';
      return null;
    } catch (error) {
      const fault = serviceError(error);
      if (!(fault instanceof ServiceError)) return String(fault);
      return [fault.message, ...(fault.details.causes ?? [])].join(': ');
    }
  }

  async holdings(tenantId: string): Promise<readonly IndexHoldings[]> {
    await within(this.#connected(), PROBE_MS);
    const indexes = INDEX_NAMES.flatMap((index) => {
      const existing = this.#indexes.get(tenantId, index);
      return existing === undefined ? [] : [{ index, name: existing.name }];
    });
    return Promise.all(indexes.map((one) => holdingsOf(this.#client, one, PROBE_MS)));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#client.close();
  }

  /** The plan's targets that have an index. */
  async #targets(
    tenantId: string,
    plan: Plan,
    { timeoutMs, signal, mappings }: SearchOptions,
  ): Promise<OpenTarget[]> {
    if (timeoutMs <= 0) throw deadlineExceeded(timeoutMs);
    if (signal?.aborted) throw cancelled();
    const { rebuildUntil } = await within(this.#connected(), timeoutMs);
    if (rebuildUntil !== null) {
      throw new ServiceError('unavailable', 'The search index is being rebuilt', {
        causes: [`It is being fed again up to change ${rebuildUntil}`],
        retryAfterSeconds: 5,
      });
    }
    const targets: OpenTarget[] = [];
    for (const target of plan.targets) {
      const existing = this.#indexes.get(tenantId, target.index);
      if (existing === undefined) continue;
      const { index } = target;
      const mapping = mappings?.[index] ?? (await this.#options.mapping(tenantId, index));
      targets.push({ ...target, mapping, concreteIndex: existing.name });
    }
    return targets;
  }

  async #refresh(connection: Connection): Promise<void> {
    const applied = this.#applied;
    // Searches are refused until the rebuild has ended, and few large segments cost least.
    if (connection.rebuildUntil !== null && applied < connection.rebuildUntil) return;
    // A process before this one may have fed indexes without refreshing them.
    const isRebuilt = connection.rebuildUntil !== null;
    const all = this.#indexes.all().map(({ alias }) => alias);
    const touched = isRebuilt ? all : [...this.#touched];
    await this.#indexes.refresh(touched);
    if (this.#options.feeds !== undefined) await this.#waitForFollowers();
    for (const alias of touched) this.#touched.delete(alias);
    if (!isRebuilt) return;
    connection.rebuildUntil = null;
    this.#log.info({ sequence: applied }, 'The search index is whole again');
  }

  /** Waits until other nodes have loaded the list of indexes, so that they search a new one. */
  async #waitForFollowers(): Promise<void> {
    const leftMs = this.#indexes.lastCreatedAt + FOLLOW_MS - performance.now();
    if (leftMs > 0) await pause(leftMs);
  }

  /** Runs work of the feeder; a fault drops the cached state of the cluster. */
  async #feed(work: (connection: Connection) => Promise<void>): Promise<void> {
    const connection = await this.#connected();
    this.#reportLoss();
    try {
      await work(connection);
    } catch (error) {
      this.#connection = null;
      this.#applied = 0; // after a fault the feeder asks for the sequence to start from
      const fault = serviceError(error);
      if (fault instanceof ServiceError) throw fault;
      // OpenSearch rejected a document or a mapping: feeding cannot go on until that is fixed.
      const reason = fault instanceof Error ? fault.message : String(fault);
      if (fault instanceof OpenSearchFault) await this.#startOver(reason);
      throw unavailable(reason);
    }
  }

  /** Recreates the indexes, once, as they may have been changed by another program. */
  async #startOver(reason: string): Promise<void> {
    if (this.#startedOver) return;
    this.#startedOver = true;
    this.#log.warn({ reason }, 'OpenSearch rejects a change: the indexes are created again');
    await this.#deleteEverything();
  }

  /**
   * @throws ServiceError `unavailable` once after a loss, so that the feeder asks where to start
   */
  #reportLoss(): void {
    if (!this.#lossPending) return;
    this.#lossPending = false;
    throw unavailable('The indexes must be fed again from the store', 1);
  }

  #connected(): Promise<Connection> {
    if (this.#closed) {
      return Promise.reject(new ServiceError('unavailable', 'The search index is closed'));
    }
    const feeds = this.#options.feeds?.() ?? true;
    const stale = feeds ? this.#following : performance.now() >= this.#staleAt;
    if (this.#connection !== null && !stale) return this.#connection;
    this.#following = !feeds;
    this.#staleAt = performance.now() + FOLLOW_MS;
    const connection = (feeds ? this.#connect() : this.#follow()).catch((error) => {
      if (this.#connection === connection) this.#connection = null;
      const fault = serviceError(error);
      throw fault instanceof ServiceError ? fault : unavailable(String(fault));
    });
    this.#connection = connection;
    return connection;
  }

  /** Loads the commit and checks that the indexes are still the committed ones. */
  async #connect(): Promise<Connection> {
    await allowClauses(this.#client, this.#log);
    await this.#indexes.load();
    const state = await this.#state.read();
    const last = await this.#options.lastSequence();
    const reason = this.#lossOf(state, last);
    const sequence = reason === null ? (state?.sequence ?? 0) : 0;
    if (this.#applied > sequence) this.#lossPending = true;
    this.#touched.clear();
    this.#applied = sequence;
    if (state !== null && reason === null) {
      return connectionOf(state);
    }
    if (reason !== null) {
      this.#log.warn({ reason }, 'The indexes in OpenSearch are filled again from the store');
    }
    await this.#deleteEverything();
    return emptyConnection(last);
  }

  /** Loads what the feeder has committed; changes nothing. */
  async #follow(): Promise<Connection> {
    await this.#indexes.load();
    const state = await this.#state.read();
    const last = await this.#options.lastSequence();
    this.#applied = 0;
    this.#lossPending = false;
    const reason = this.#lossOf(state, last);
    if (reason !== null) throw unavailable(reason, 1);
    // Only the feeder knows when indexes without a commit were empty.
    return state === null ? { ...emptyConnection(last), covered: 0 } : connectionOf(state);
  }

  /** Why the indexes do not match the commit; null if they do, or if there is no commit. */
  #lossOf(state: Awaited<ReturnType<StateStore['read']>>, last: number): string | null {
    if (state === null) return null;
    if (state.sequence > last) {
      return `They were fed up to change ${state.sequence}, the store ends at ${last}`;
    }
    const uuids = new Map(this.#indexes.all().map(({ alias, uuid }) => [alias, uuid]));
    for (const [alias, uuid] of Object.entries(state.indexes)) {
      if (uuids.get(alias) !== uuid) return `The index ${alias} is not the one that was committed`;
    }
    return null;
  }

  async #deleteEverything(): Promise<void> {
    await this.#state.remove();
    await this.#indexes.clear();
    this.#touched.clear();
    this.#applied = 0;
  }
}

function connectionOf({ sequence, covered = 0, rebuildUntil }: CommittedState): Connection {
  return { sequence, covered, rebuildUntil };
}

/** Indexes that are empty while `last` is the last change of the store. */
function emptyConnection(last: number): Connection {
  return { sequence: 0, covered: last, rebuildUntil: last > 0 ? last : null };
}

/** Waits for the connection, at most `timeoutMs`. */
async function within(connection: Promise<Connection>, timeoutMs: number): Promise<Connection> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fault = unavailable(`No answer within ${timeoutMs} ms`);
    timer = setTimeout(() => reject(fault), timeoutMs);
  });
  try {
    return await Promise.race([connection, late]);
  } finally {
    clearTimeout(timer);
  }
}
