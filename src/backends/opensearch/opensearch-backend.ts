// The search backend on an OpenSearch cluster, for those who outgrow one machine. It keeps nothing of its own but
// what it found there; when that is not what was committed, everything is fed again from the store.
// Invariant: an index that is not whole answers `unavailable`, never too little.
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
import type { DocumentExplanation } from '../../query/explain/plan-clause.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName } from '../../query/query.ts';
import { type BackendLog, SILENT } from '../backend-log.ts';
import { aggregateTargets } from './aggregations/aggregate.ts';
import { BulkWriter } from './bulk.ts';
import { OpenSearchClient, OpenSearchFault, serviceError, unavailable } from './client.ts';
import { allowClauses } from './cluster-settings.ts';
import { StateStore } from './committed-state.ts';
import { DocumentWriter } from './documents.ts';
import { countElements } from './element-search.ts';
import { explainDocument } from './explain-document.ts';
import { findHits } from './hit-search.ts';
import { holdingsOf } from './index-holdings.ts';
import { IndexSet } from './index-set.ts';
import { countBody, type OpenTarget } from './plan-to-body.ts';
import { SearchAsker } from './search-asker.ts';
import { completeValues } from './typeahead.ts';

export interface OpenSearchOptions {
  /** Of one node or of what stands before several; may hold a user and a password. */
  readonly url: string;
  /** What the names of all indexes begin with; one service each. */
  readonly prefix: string;
  /** What the fields of an index are at this moment. */
  mapping(tenantId: string, index: IndexName): Mapping | Promise<Mapping>;
  /** The store's last sequence: indexes that lost their state are whole again when they have been fed that far. */
  lastSequence(): Promise<number>;
  readonly log?: BackendLog;
  /** Whether this process feeds, which may change; left out, nobody else searches here. Who does not follows what the feeder commits. */
  readonly feeds?: () => boolean;
}

/** A follower looks again after this long: the feeder may have made indexes, or begun anew. */
const FOLLOW_MS = 500;
const PROBE_MS = 1_000;
/** A cluster that is busy takes its time; who asks does so again and again. */
const PING_MS = 3_000;

/** Opens the backend; whether OpenSearch is there is found out when it is needed. */
export function openOpenSearchBackend(options: OpenSearchOptions): SearchBackend {
  return new OpenSearchBackend(options);
}

/** What is known of the cluster, until a fault casts doubt on it. */
interface Connection {
  /** The last sequence committed. */
  sequence: number;
  /** Searches wait until this change is searchable; null: they need not. */
  rebuildUntil: number | null;
}

class OpenSearchBackend implements SearchBackend {
  readonly #options: OpenSearchOptions;
  readonly #log: BackendLog;
  readonly #client: OpenSearchClient;
  readonly #indexes: IndexSet;
  readonly #state: StateStore;
  readonly #asker: SearchAsker;
  #connection: Promise<Connection> | null = null;
  /** Whether what is known of the cluster is a follower's, who only looks, and until when it will do. */
  #following = false;
  #staleAt = 0;
  /** The last change taken. */
  #applied = 0;
  /** Aliases of what was applied and is not searchable yet. */
  readonly #touched = new Set<string>();
  /** A loss was found that the feeder has not been told of: it would go on where it was. */
  #untold = false;
  #startedOver = false;
  #closed = false;

  constructor(options: OpenSearchOptions) {
    this.#options = options;
    this.#log = options.log ?? SILENT;
    this.#client = new OpenSearchClient(options.url);
    this.#indexes = new IndexSet(this.#client, options.prefix);
    this.#state = new StateStore(this.#client, options.prefix);
    this.#asker = new SearchAsker(this.#client, () => {
      this.#connection = null; // the feeder has to notice, who asks from where to start
    });
  }

  async search(tenantId: string, plan: Plan, options: SearchOptions): Promise<SearchResult> {
    const targets = await this.#targets(tenantId, plan, options);
    const { ask } = this.#asker.within(options);
    const found = await findHits(targets, plan, ask);
    if (plan.targets.every(({ aggregations }) => aggregations === undefined)) return found;
    return { ...found, aggregations: JsonText.of(await aggregateTargets(plan, targets, ask)) };
  }

  async count(tenantId: string, plan: Plan, options: SearchOptions): Promise<number> {
    const targets = await this.#targets(tenantId, plan, options);
    const { ask } = this.#asker.within(options);
    const documents = targets.filter(({ innerHit }) => innerHit === undefined);
    const elements = targets.filter(({ innerHit }) => innerHit !== undefined);
    const rows = await countElements(elements, ask);
    if (documents.length === 0) return rows;
    const answer = await ask(documents, countBody(documents));
    return rows + (answer.hits.total?.value ?? 0);
  }

  async typeahead(tenantId: string, plan: Plan, options: SearchOptions): Promise<TypeaheadResult> {
    if (plan.typeahead === undefined) throw new TypeError('Not a plan for values');
    const targets = await this.#targets(tenantId, plan, options);
    return completeValues(targets, plan.typeahead, this.#asker.within(options).ask);
  }

  async explain(
    tenantId: string,
    plan: Plan,
    document: DocumentKey,
    options: SearchOptions,
  ): Promise<DocumentExplanation | null> {
    const targets = await this.#targets(tenantId, plan, options);
    return explainDocument(targets, plan, document, this.#asker.within(options).askEach);
  }

  apply(tenantId: string, changes: readonly DocumentChange[]): Promise<void> {
    return this.#feed(async (connection) => {
      const bulk = new BulkWriter(this.#client);
      const writers = new Map<IndexName, { alias: string; writer: DocumentWriter }>();
      for (const change of changes) {
        // A replay of what is committed: a deletion may be forgotten already.
        if (change.sequence <= connection.sequence) continue;
        let to = writers.get(change.index);
        if (to === undefined) {
          if (change.document === null && this.#indexes.get(tenantId, change.index) === undefined) {
            continue;
          }
          const mapping = await this.#options.mapping(tenantId, change.index);
          const { alias } = await this.#indexes.ensure(tenantId, mapping);
          to = { alias, writer: new DocumentWriter(mapping) };
          writers.set(change.index, to);
          this.#touched.add(alias);
        }
        await bulk.add(to.alias, change, to.writer);
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
      // Every bulk request is on disk when it is answered (index.translog.durability).
      const last = Math.max(sequence, connection.sequence);
      await this.#state.write({
        sequence: last,
        rebuildUntil: connection.rebuildUntil,
        indexes: Object.fromEntries(this.#indexes.all().map(({ alias, uuid }) => [alias, uuid])),
      });
      connection.sequence = last;
    });
  }

  async committedSequence(): Promise<number> {
    const { sequence } = await this.#connected();
    this.#tell();
    return sequence;
  }

  /** The feeder must be at rest, or it feeds on from where it was. */
  async clear(): Promise<void> {
    await this.#feed(() => this.#forget());
    this.#connection = null; // says until when searches wait
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
      // It need not like the question to be there.
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
    const there = INDEX_NAMES.flatMap((index) => {
      const known = this.#indexes.get(tenantId, index);
      return known === undefined ? [] : [{ index, name: known.name }];
    });
    return Promise.all(there.map((one) => holdingsOf(this.#client, one, PROBE_MS)));
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
      const known = this.#indexes.get(tenantId, target.index);
      if (known === undefined) continue;
      const { index } = target;
      const mapping = mappings?.[index] ?? (await this.#options.mapping(tenantId, index));
      targets.push({ ...target, mapping, concreteIndex: known.name });
    }
    return targets;
  }

  async #refresh(connection: Connection): Promise<void> {
    const applied = this.#applied;
    const touched = [...this.#touched];
    await this.#indexes.refresh(touched);
    if (this.#options.feeds !== undefined) await this.#untilFollowed();
    for (const alias of touched) this.#touched.delete(alias);
    const { rebuildUntil } = connection;
    if (rebuildUntil === null || applied < rebuildUntil) return;
    connection.rebuildUntil = null;
    this.#log.info({ sequence: applied }, 'The search index is whole again');
  }

  /** A new index is searched by the other nodes as soon as they look what there is. */
  async #untilFollowed(): Promise<void> {
    const leftMs = this.#indexes.madeAt + FOLLOW_MS - performance.now();
    if (leftMs > 0) await pause(leftMs);
  }

  /** Work of the feeder; after a fault nothing that was known of the cluster is trusted. */
  async #feed(work: (connection: Connection) => Promise<void>): Promise<void> {
    const connection = await this.#connected();
    this.#tell();
    try {
      await work(connection);
    } catch (error) {
      this.#connection = null;
      this.#applied = 0; // whoever hears of a fault asks where to start
      const fault = serviceError(error);
      if (fault instanceof ServiceError) throw fault;
      // A document or a mapping that OpenSearch refuses: nothing goes on before it is mended.
      const reason = fault instanceof Error ? fault.message : String(fault);
      if (fault instanceof OpenSearchFault) await this.#startOver(reason);
      throw unavailable(reason);
    }
  }

  /** Somebody else may have meddled with the indexes: new ones are tried, once. */
  async #startOver(reason: string): Promise<void> {
    if (this.#startedOver) return;
    this.#startedOver = true;
    this.#log.warn({ reason }, 'OpenSearch refuses a change: the indexes are made anew');
    await this.#forget();
  }

  /** @throws ServiceError `unavailable` once after a loss, so that the feeder asks where to start */
  #tell(): void {
    if (!this.#untold) return;
    this.#untold = false;
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

  /** Finds out how far the indexes are, and whether they are still those that were committed. */
  async #connect(): Promise<Connection> {
    await allowClauses(this.#client, this.#log);
    await this.#indexes.load();
    const state = await this.#state.read();
    const last = await this.#options.lastSequence();
    const reason = this.#lossOf(state, last);
    const sequence = reason === null ? (state?.sequence ?? 0) : 0;
    if (this.#applied > sequence) this.#untold = true;
    this.#touched.clear();
    this.#applied = sequence;
    if (state !== null && reason === null) {
      return { sequence: state.sequence, rebuildUntil: state.rebuildUntil };
    }
    if (reason !== null) {
      this.#log.warn({ reason }, 'The indexes in OpenSearch are filled again from the store');
    }
    await this.#forget();
    return { sequence: 0, rebuildUntil: last > 0 ? last : null };
  }

  /** Looks what the feeder has committed, and changes nothing. */
  async #follow(): Promise<Connection> {
    await this.#indexes.load();
    const state = await this.#state.read();
    const last = await this.#options.lastSequence();
    this.#applied = 0;
    this.#untold = false;
    const reason = this.#lossOf(state, last);
    if (reason !== null) throw unavailable(reason, 1);
    if (state === null) return { sequence: 0, rebuildUntil: last > 0 ? last : null };
    return { sequence: state.sequence, rebuildUntil: state.rebuildUntil };
  }

  /** Why what was committed cannot be built upon; null where it can, or where there is nothing. */
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

  async #forget(): Promise<void> {
    await this.#state.remove();
    await this.#indexes.clear();
    this.#touched.clear();
    this.#applied = 0;
  }
}

/** The connection, if it is there in time. */
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
