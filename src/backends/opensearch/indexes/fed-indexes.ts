// A generation of the indexes as it is fed and found: the one that answers searches, or one that is
// fed beside it. It holds no state but a cache of the cluster's; if that is not what was committed,
// all documents are fed again from the store.
// Invariant: `connected` resolves for a whole generation or tells until when it is rebuilt.
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../../errors.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { IndexName } from '../../../query/query.ts';
import type { DocumentChange } from '../../../service/ports/store.ts';
import type { Log } from '../../../telemetry/log.ts';
import type { FedBackend } from '../../indexer.ts';
import { BulkWriter } from '../requests/bulk.ts';
import { type OpenSearchClient, serviceError, unavailable } from '../requests/client.ts';
import { DocumentWriter } from '../requests/documents.ts';
import type { CurrentVersions } from '../requests/version-conflicts.ts';
import { ChangedMapping } from './changed-mapping.ts';
import { changeClusterSettings } from './cluster-settings.ts';
import {
  type CommittedState,
  type Current,
  FIRST_GENERATION,
  type StateStore,
  type Version,
  type VersionedCurrent,
} from './committed-state.ts';
import { IndexSet, type IndexSetOptions, writeAlias } from './index-set.ts';
import type { OpenIndexes } from './open-indexes.ts';
import type { RefusedDocuments } from './refused-documents.ts';
import type { RemoteIndexes } from './remote-indexes.ts';

export interface FedOptions {
  readonly client: OpenSearchClient;
  readonly remote: RemoteIndexes;
  readonly state: StateStore;
  readonly open: OpenIndexes;
  readonly set: IndexSetOptions;
  /** The current fields of an index. */
  mapping(tenantId: string, index: IndexName): Mapping | Promise<Mapping>;
  /** The store's last sequence: indexes that lost their state are complete once fed up to it. */
  lastSequence(): Promise<number>;
  /** As in IndexFileOptions of the embedded engine; if omitted, no other store is recognised. */
  readonly storeMark?: ((sequence: number) => Promise<string | null>) | undefined;
  /** As of BulkWriter. */
  readonly records?: CurrentVersions | undefined;
  /** True: if the store is empty and indexes exist, opening fails instead of deleting the indexes. */
  readonly refusesEmptyStore?: boolean | undefined;
  readonly refused: RefusedDocuments;
  readonly log: Log;
  /** Whether this process feeds the indexes; omitted: it is the only process. */
  readonly feeds?: (() => boolean) | undefined;
}

/** The state of the cluster, cached until a fault. */
export interface Connection {
  readonly indexes: IndexSet;
  /** What all nodes search; null before the first start. */
  current: VersionedCurrent | null;
  /** Whether this process has written `current`, so that no other feeder can any more. */
  claimed: boolean;
  /** The indexes created by this process that `current` announces to other nodes. */
  announced: number;
  /** The last sequence committed. */
  sequence: number;
  /** The indexes were empty at the time of this change. */
  readonly covered: number;
  /** Searches are refused until this change is searchable; null: no rebuild is running. */
  rebuildUntil: number | null;
}

/** An index that a batch of changes is written to. */
interface Destination {
  readonly name: string;
  readonly mapping: Mapping;
  readonly writer: DocumentWriter;
}

const EMPTY_STORE =
  'The store is empty, but OpenSearch holds indexes that were built from it: restore a backup, or start with --new';
/** A follower reads the state again after this long. */
const FOLLOW_MS = 500;

export class FedIndexes implements FedBackend {
  readonly #options: FedOptions;
  /** null: whichever generation answers searches. */
  readonly #successor: string | null;
  #connection: Promise<Connection> | null = null;
  /** Whether the cached state was loaded by a follower, and until when it is valid. */
  #following = false;
  #staleAt = 0;
  /** What a follower has read last. */
  #followed: Connection | null = null;
  /** Whether another process may have fed since this one did. */
  #hasFollowed = false;
  /** The version of `current` that this process has written last. */
  #written: Version | null = null;
  /** The sequence of the last change applied. */
  #applied = 0;
  #announcedAt = Number.NEGATIVE_INFINITY;
  /** Names of indexes with changes that are not searchable yet. */
  readonly #touched = new Set<string>();
  /** The indexes were lost and the feeder was not notified yet: it would go on where it was. */
  #lossPending = false;
  /** Whether the indexes were created again because another program had changed a mapping. */
  #startedOver = false;

  /** @param successor a generation to feed beside the one that answers */
  constructor(options: FedOptions, successor: string | null = null) {
    this.#options = options;
    this.#successor = successor;
  }

  /** The sequence of the last change applied. */
  get applied(): number {
    return this.#applied;
  }

  connected(): Promise<Connection> {
    const feeds = this.#feeds;
    if (this.#successor !== null && !feeds) {
      return Promise.reject(unavailable('Another node feeds the search by now'));
    }
    const stale = feeds ? this.#following : performance.now() >= this.#staleAt;
    if (this.#connection !== null && !stale) return this.#connection;
    this.#following = !feeds;
    if (!feeds) this.#hasFollowed = true;
    this.#staleAt = performance.now() + FOLLOW_MS;
    const connection = (feeds ? this.#connect() : this.#follow()).catch((error) => {
      if (this.#connection === connection) this.drop();
      const fault = serviceError(error);
      throw fault instanceof ServiceError ? fault : unavailable(String(fault));
    });
    this.#connection = connection;
    return connection;
  }

  /** Reads everything again from OpenSearch; a feeder then asks for the sequence to start from. */
  drop(): void {
    this.#connection = null;
    this.#followed = null;
  }

  apply(tenantId: string, changes: readonly DocumentChange[]): Promise<void> {
    return this.#feed(async (connection) => {
      const { indexes } = connection;
      // Without a replay of committed ones: OpenSearch may have purged the tombstone of a deletion.
      const fresh = changes.filter(({ sequence }) => sequence > connection.sequence);
      const bulk = new BulkWriter(this.#options.client, this.#options.records);
      const destinations = new Map<IndexName, Destination>();
      try {
        for (const change of fresh) {
          let destination = destinations.get(change.index);
          if (destination === undefined) {
            if (change.document === null && indexes.get(tenantId, change.index) === undefined) {
              continue;
            }
            const mapping = await this.#options.mapping(tenantId, change.index);
            const { name } = await indexes.ensure(tenantId, mapping);
            destination = { name, mapping, writer: new DocumentWriter(mapping) };
            destinations.set(change.index, destination);
            this.#touched.add(name);
          }
          await bulk.add(writeAlias(destination.name), change, destination.writer);
        }
        const refusals = await bulk.flush();
        const refusing = [...destinations.values()].filter(({ mapping: { index } }) =>
          refusals.some(({ change }) => change.index === index),
        );
        for (const { name, mapping } of refusing) await indexes.checkMapping(name, mapping);
        this.#options.refused.update(tenantId, fresh, refusals);
      } finally {
        await bulk.settled();
        indexes.endBatch();
      }
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
      const { indexes, covered, rebuildUntil } = connection;
      const uuids = indexes.all().map(({ alias, uuid }): [string, string] => [alias, uuid]);
      await this.#options.state.write(indexes.generation, {
        sequence: last,
        covered,
        rebuildUntil,
        ...(await this.#markAt(Math.max(last, covered))),
        indexes: Object.fromEntries(uuids),
      });
      connection.sequence = last;
    });
  }

  async committedSequence(): Promise<number> {
    const { sequence } = await this.connected();
    this.#reportLoss();
    return sequence;
  }

  async coveredSequence(): Promise<number> {
    const { sequence, covered } = await this.connected();
    return Math.max(sequence, covered);
  }

  async rebuilding(): Promise<boolean> {
    const { rebuildUntil } = await this.connected();
    return rebuildUntil !== null;
  }

  /** A feeder must ask again where to start, or it would go on from its last change. */
  async clear(): Promise<void> {
    await this.#feed(({ indexes }) => this.#deleteEverything(indexes));
    this.drop(); // connecting again sets the end of the rebuild
  }

  get #feeds(): boolean {
    return this.#options.feeds?.() ?? true;
  }

  async #refresh(connection: Connection): Promise<void> {
    await this.#announce(connection);
    const applied = this.#applied;
    // Searches are refused until the rebuild has ended, and few large segments cost least.
    if (connection.rebuildUntil !== null && applied < connection.rebuildUntil) return;
    // A process before this one may have fed indexes without refreshing them.
    const isRebuilt = connection.rebuildUntil !== null;
    const { indexes } = connection;
    const touched = isRebuilt ? indexes.all().map(({ name }) => name) : [...this.#touched];
    // A closed index is searchable as a whole when it is opened.
    await indexes.refresh(touched.filter((name) => this.#options.open.isOpen(name)));
    if (this.#options.feeds !== undefined) await this.#waitForFollowers();
    for (const name of touched) this.#touched.delete(name);
    if (!isRebuilt) return;
    connection.rebuildUntil = null;
    this.#options.log.info({ sequence: applied }, 'The search index is whole again');
  }

  /** Tells the other nodes to read the list of the indexes, if it has grown. */
  async #announce(connection: Connection): Promise<void> {
    const { indexes, current, announced } = connection;
    const { changes } = indexes;
    if (this.#successor !== null || current === null || changes === announced) return;
    const { generation, listing, version } = current;
    await this.#writeCurrent(connection, { generation, listing: listing + 1 }, version);
    connection.announced = changes;
    this.#announcedAt = performance.now();
  }

  /** Waits until other nodes have loaded the list of indexes, so that they search a new one. */
  async #waitForFollowers(): Promise<void> {
    const leftMs = this.#announcedAt + FOLLOW_MS - performance.now();
    if (leftMs > 0) await pause(leftMs);
  }

  /** Runs work of the feeder; a fault drops the cached state of the cluster. */
  async #feed(work: (connection: Connection) => Promise<void>): Promise<void> {
    const connection = await this.connected();
    this.#reportLoss();
    try {
      await this.#claim(connection);
      await work(connection);
    } catch (error) {
      this.drop();
      this.#applied = 0; // after a fault the feeder asks for the sequence to start from
      if (error instanceof ChangedMapping) await this.#startOver(connection.indexes, error);
      const fault = serviceError(error);
      if (fault instanceof ServiceError) throw fault;
      throw unavailable(fault instanceof Error ? fault.message : String(fault));
    }
  }

  /** Takes the place of the feeder before this one, whose late writes then fail. */
  async #claim(connection: Connection): Promise<void> {
    if (connection.claimed) return;
    if (this.#successor === null) {
      const { current } = connection;
      const { generation, listing } = current ?? { generation: FIRST_GENERATION, listing: 0 };
      const next = { generation, listing: listing + 1 };
      await this.#writeCurrent(connection, next, current?.version ?? null);
    }
    connection.claimed = true;
  }

  /** @param read the version that it replaces */
  async #writeCurrent(connection: Connection, next: Current, read: Version | null): Promise<void> {
    const current = await this.#options.state.writeCurrent(next, read);
    connection.current = current;
    this.#written = current.version;
  }

  /**
   * Creates the indexes again, once: another program might change them again. Then feeding waits
   * until somebody has ended that.
   */
  async #startOver(indexes: IndexSet, { message: reason }: ChangedMapping): Promise<void> {
    if (this.#startedOver) return;
    this.#options.log.warn(
      { reason },
      'OpenSearch refuses a change: the indexes are created again',
    );
    await this.#deleteEverything(indexes);
    this.#startedOver = true;
  }

  /**
   * @throws ServiceError `unavailable` once after a loss, so that the feeder asks where to start
   */
  #reportLoss(): void {
    if (!this.#lossPending) return;
    this.#lossPending = false;
    throw unavailable('The indexes must be fed again from the store', 1);
  }

  /** Loads the commit and checks that the indexes are still the committed ones. */
  async #connect(): Promise<Connection> {
    const { client, log, state: states } = this.#options;
    if (this.#successor === null) await changeClusterSettings(client, log);
    const current = await states.readCurrent();
    // A node that has fed meanwhile knows what is refused by now.
    if (this.#hasFollowed && !isDeepStrictEqual(current?.version ?? null, this.#written)) {
      this.#options.refused.clear();
    }
    this.#hasFollowed = false;
    const indexes = await this.#load(current);
    const state = await states.read(indexes.generation);
    const last = await this.#options.lastSequence();
    const reason = await this.#lossOf(indexes, state, last);
    const sequence = reason === null ? (state?.sequence ?? 0) : 0;
    if (this.#applied > sequence) this.#lossPending = true;
    this.#touched.clear();
    this.#applied = sequence;
    const base = { indexes, current, claimed: false, announced: indexes.changes };
    if (state !== null && reason === null) return { ...base, ...committed(state) };
    const { refusesEmptyStore = false } = this.#options;
    if (refusesEmptyStore && last === 0 && indexes.all().length > 0) throw unavailable(EMPTY_STORE);
    if (reason !== null) {
      log.warn({ reason }, 'The indexes in OpenSearch are filled again from the store');
    }
    if (state === null) await this.#clear(indexes);
    else await this.#deleteEverything(indexes);
    return { ...base, ...empty(last) };
  }

  /** Loads what the feeder has committed; changes nothing. */
  async #follow(): Promise<Connection> {
    const followed = this.#followed;
    // The commit is read first: `current` then announces every index of it.
    let generation = followed?.indexes.generation ?? FIRST_GENERATION;
    let state = await this.#options.state.read(generation);
    let current = await this.#options.state.readCurrent();
    while (current !== null && current.generation !== generation) {
      generation = current.generation;
      state = await this.#options.state.read(generation);
      current = await this.#options.state.readCurrent();
    }
    const isSame =
      followed?.current?.listing === current?.listing &&
      followed?.indexes.generation === generation;
    const indexes = isSame && followed !== null ? followed.indexes : await this.#load(current);
    const last = await this.#options.lastSequence();
    this.#applied = 0;
    this.#lossPending = false;
    const reason = await this.#lossOf(indexes, state, last);
    if (reason !== null) throw unavailable(reason, 1);
    // Only the feeder knows when indexes without a commit were empty.
    const known = state === null ? { ...empty(last), covered: 0 } : committed(state);
    const base = { indexes, current, claimed: false, announced: indexes.changes };
    this.#followed = { ...base, ...known };
    return this.#followed;
  }

  async #load(current: VersionedCurrent | null): Promise<IndexSet> {
    const { client, remote, open, set } = this.#options;
    const existing = await remote.list();
    await open.update(existing);
    const generation = this.#successor ?? current?.generation ?? FIRST_GENERATION;
    return new IndexSet(client, set, open, {
      ...{ generation, existing },
      named: this.#successor === null,
    });
  }

  /** Why the indexes do not match the commit; null if they do, or if there is no commit. */
  async #lossOf(
    indexes: IndexSet,
    state: CommittedState | null,
    last: number,
  ): Promise<string | null> {
    if (state === null) return null;
    const known = Math.max(state.sequence, state.covered, state.rebuildUntil ?? 0);
    if (known > last) {
      return `They were fed from a store up to change ${known}, this one ends at ${last}`;
    }
    if (state.storeMark !== undefined) {
      const { storeMark = state.storeMark } = await this.#markAt(
        Math.max(state.sequence, state.covered),
      );
      if (storeMark !== state.storeMark) {
        return 'They were fed from another store, or from changes that this one has lost';
      }
    }
    const uuids = new Map(indexes.all().map(({ alias, uuid }) => [alias, uuid]));
    for (const [alias, uuid] of Object.entries(state.indexes)) {
      if (uuids.get(alias) !== uuid) return `The index ${alias} is not the one that was committed`;
    }
    const isOfOtherSettings = this.#successor !== null && indexes.isLaidOutOtherwise();
    return isOfOtherSettings ? 'The number of shards has changed again' : null;
  }

  /** The mark of the store at a change, if stores are recognised. */
  async #markAt(sequence: number): Promise<Pick<CommittedState, 'storeMark'>> {
    const { storeMark } = this.#options;
    return storeMark === undefined ? {} : { storeMark: await storeMark(sequence) };
  }

  async #deleteEverything(indexes: IndexSet): Promise<void> {
    await this.#options.state.remove(indexes.generation);
    await this.#clear(indexes);
  }

  async #clear(indexes: IndexSet): Promise<void> {
    await indexes.clear();
    if (this.#successor === null) this.#options.refused.clear();
    this.#touched.clear();
    this.#applied = 0;
  }
}

function committed({ sequence, covered, rebuildUntil }: CommittedState) {
  return { sequence, covered, rebuildUntil };
}

/** Indexes that are empty while `last` is the last change of the store. */
function empty(last: number) {
  return { sequence: 0, covered: last, rebuildUntil: last > 0 ? last : null };
}
