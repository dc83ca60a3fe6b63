// Opens the search of a data directory or of several nodes: the backend, and the indexer of a
// process that may feed it.
// Invariant: at most one process feeds an index, by a lock in the data directory or the database.
import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import type { DelayedChanges } from '../backends/delayed-changes.ts';
import { ElectedIndexer } from '../backends/elected-indexer.ts';
import { openEmbeddedBackend } from '../backends/embedded/embedded-backend.ts';
import type { EmbeddedOptions } from '../backends/embedded/embedded-options.ts';
import { cacheSizes } from '../backends/embedded/indexes/cache-sizes.ts';
import {
  type FedBackend,
  type Feeding,
  Indexer,
  type IndexerOptions,
} from '../backends/indexer.ts';
import type { OpenSearchOptions } from '../backends/opensearch/opensearch-backend.ts';
import { FORMAT } from '../backends/opensearch/requests/index-template.ts';
import { StoreHistory } from '../backends/store-history.ts';
import { PROCESS_TIMERS } from '../backends/timers.ts';
import type { Config } from '../config/config.ts';
import type { IndexName } from '../query/query.ts';
import type { CooperativeScheduler } from '../scheduling/cooperative.ts';
import type { Documents } from '../service/imports/documents.ts';
import type { SearchBackend } from '../service/ports/search-backend.ts';
import type { Store } from '../service/ports/store.ts';
import type { StoredDocumentKey } from '../service/ports/stored-document.ts';
import { acquireIndexLock, LOCK_WAIT_MS, lockAgainstServers } from '../store/sqlite/index-lock.ts';

/** Changes that the indexer reads from the store at a time. */
const INDEXER_BATCH = 4_000;
/** The same for commands with the embedded engine, which have no concurrent searches. */
const BULK_BATCH = 12_000;
/**
 * Bytes that commands send to OpenSearch between two refreshes: each refresh waits for all requests
 * before it, and makes segments that are merged later.
 */
const BULK_REFRESH_BYTES = 256 * 2 ** 20;
const EMBEDDED_BULK = { batchSize: BULK_BATCH, fullBatches: true } as const;
const OPENSEARCH_BULK = { fullBatches: true, refreshBytes: BULK_REFRESH_BYTES } as const;
/** Commit interval of a shared search: other nodes see changes once they are committed. */
const SHARED_COMMIT_MS = 1_000;

/**
 * A server may wait to become the feeder of a shared search; a command feeds it at once or never,
 * and an inspection never.
 */
export type SearchPurpose = 'command' | 'inspection' | 'server';
export type Closers = (() => Promise<void> | void)[];
/** The parts that the search is opened with. */
export interface SearchParts {
  readonly log: Logger;
  readonly store: Store;
  readonly documents: Documents;
  /** Whether an empty store next to an index is meant to be empty. */
  readonly newStore: boolean;
  /** Called for each document in OpenSearch that a search finds not to be what was fed. */
  onUntrue(document: StoredDocumentKey): void;
  /** Divides the time of the main thread between tenants. */
  readonly scheduler: CooperativeScheduler;
  /** The changes as the indexer sees them, if it is to see them later; null: as they are. */
  readonly delay: DelayedChanges | null;
  /** Notices that the store was restored to an older state. */
  readonly history: StoreHistory;
}
export interface OpenedSearch {
  /** True if only this process may feed the search now. */
  readonly ownsIndex: boolean;
  /** null if another process owns the index, or if there is none to inspect. */
  readonly backend: SearchBackend | null;
  /** null if this process does not feed the index. */
  readonly indexer: Feeding | null;
}

/** Another process feeds the index, or nothing is searched. */
export const WITHOUT_SEARCH: OpenedSearch = { ownsIndex: false, backend: null, indexer: null };

/** Opens the search. What must be closed is added to `closers`. */
export function openSearch(
  config: Config,
  parts: SearchParts,
  purpose: SearchPurpose,
  closers: Closers,
): Promise<OpenedSearch> {
  const { store } = config;
  return store.kind === 'postgres' && config.searchUrl !== null
    ? openSharedSearch(config, store, parts, purpose, closers)
    : openOwnSearch(config, parts, purpose, closers);
}

/** Opens the index of the data directory, which the process with its lock feeds. */
async function openOwnSearch(
  config: Config,
  parts: SearchParts,
  purpose: SearchPurpose,
  closers: Closers,
): Promise<OpenedSearch> {
  // Taking the lock would create the directory; without it no server runs.
  if (purpose === 'inspection' && !existsSync(config.indexDir)) {
    return { ...WITHOUT_SEARCH, ownsIndex: true };
  }
  // Its holder may be a server that stops.
  let lock = await acquireIndexLock(config.indexDir, LOCK_WAIT_MS);
  if (lock === null) return WITHOUT_SEARCH;
  closers.push(() => lock?.release());
  const relock = async () => {
    parts.log.warn(
      'The directory of the search index was removed while it is open: it is made and filled again',
    );
    const again = await lockAgainstServers(config.indexDir, config.dataDir);
    lock?.release();
    lock = again;
  };
  // Other threads follow what this one feeds.
  const isFollowed = purpose === 'server' && config.threads > 1 && config.searchUrl !== null;
  const follows =
    purpose === 'inspection' || isFollowed ? { feeds: () => purpose !== 'inspection' } : {};
  const backend = await openBackend(config, parts, { purpose, relock, ...follows });
  closers.push(() => backend.close());
  if (purpose === 'inspection') return { ownsIndex: true, backend, indexer: null };
  const isBulk = purpose === 'command';
  const bulk = config.searchUrl === null ? EMBEDDED_BULK : OPENSEARCH_BULK;
  const shared = isFollowed ? { commitMs: SHARED_COMMIT_MS } : {};
  const indexer = newIndexer(config, parts, backend, isBulk ? bulk : shared);
  const hasDeadline = purpose === 'server' && config.searchUrl !== null;
  closers.push(() => (hasDeadline ? stopByDeadline(indexer, backend) : indexer.stop()));
  return { ownsIndex: true, backend, indexer };
}

/**
 * Opens a search that several nodes share: all search, and the holder of a database lock feeds it.
 */
async function openSharedSearch(
  config: Config,
  address: Extract<Config['store'], { kind: 'postgres' }>,
  parts: SearchParts,
  purpose: SearchPurpose,
  closers: Closers,
): Promise<OpenedSearch> {
  const { PostgresLock } = await import('../store/postgres/postgres-lock.ts');
  const lockOf = (format: number) =>
    new PostgresLock({ ...address, purpose: { feederOf: lockNumber(format) } });
  const lock = lockOf(FORMAT);
  // Nodes of an earlier version feed indexes of their own.
  const ifUnfed = async (format: number, work: () => Promise<void>) => {
    const hold = await lockOf(format).acquire(AbortSignal.timeout(LOCK_WAIT_MS));
    if (hold === null) return;
    await work().finally(() => hold.release());
  };
  if (purpose !== 'server') {
    const hold = await lock.acquire(AbortSignal.timeout(LOCK_WAIT_MS));
    if (hold === null) return WITHOUT_SEARCH;
    closers.push(() => hold.release());
    const feeds = () => purpose === 'command';
    const backend = await openBackend(config, parts, { purpose, feeds, ifUnfed });
    closers.push(() => backend.close());
    if (purpose === 'inspection') return { ownsIndex: true, backend, indexer: null };
    const indexer = newIndexer(config, parts, backend);
    closers.push(() => indexer.stop());
    void hold.lost.then(() => indexer.abandon());
    return { ownsIndex: true, backend, indexer };
  }
  let elected: ElectedIndexer | null = null;
  const backend = await openBackend(config, parts, {
    purpose,
    feeds: () => elected?.feeds ?? false,
    ifUnfed,
  });
  closers.push(() => backend.close());
  const feeder = newIndexer(config, parts, backend, { commitMs: SHARED_COMMIT_MS });
  const indexer = new ElectedIndexer(parts.history, backend, feeder, {
    lock,
    log: parts.log,
    pollMs: config.indexPollMs,
  });
  elected = indexer;
  closers.push(() => stopByDeadline(indexer, backend));
  return { ownsIndex: false, backend, indexer };
}

/** How long a server that stops waits for OpenSearch; the next start feeds what is missing. */
const LAST_REQUESTS_MS = 3_000;

/** Stops an indexer, and ends the requests that OpenSearch does not answer in time. */
async function stopByDeadline(
  indexer: Pick<Feeding, 'stop'>,
  backend: SearchBackend,
): Promise<void> {
  let closing: Promise<void> | undefined;
  const cancel = PROCESS_TIMERS.after(LAST_REQUESTS_MS, () => {
    closing = backend.close();
  });
  await indexer.stop();
  cancel();
  await closing;
}

/** The lock of the node that feeds indexes of a format; formats up to 4 had one in common. */
function lockNumber(format: number): number {
  return Math.max(0, format - 4);
}

function newIndexer(
  config: Config,
  { store, delay, log, history }: SearchParts,
  backend: FedBackend,
  options: Partial<IndexerOptions> = {},
): Indexer {
  return new Indexer(delay ?? store, backend, {
    pollMs: config.indexPollMs,
    batchSize: INDEXER_BATCH,
    log,
    history,
    ...options,
  });
}

async function openBackend(
  config: Config,
  parts: SearchParts,
  {
    purpose,
    relock,
    ...sharing
  }: Pick<OpenSearchOptions, 'feeds' | 'ifUnfed'> &
    Pick<EmbeddedOptions, 'relock'> & { readonly purpose: SearchPurpose },
): Promise<SearchBackend> {
  const { log, store, documents, scheduler, onUntrue, newStore } = parts;
  const options = {
    mapping: (tenantId: string, index: IndexName) => documents.mapping(tenantId, index),
    lastSequence: () => store.read.lastSequence(),
    storeMark: async (sequence: number) => (await store.read.storeHistory(sequence)).mark,
    log,
  };
  const { searchUrl: url, searchPrefix: prefix } = config;
  if (url === null) {
    const { indexDir: path, memory, threads } = config;
    const use = purpose === 'server' ? 'searches' : 'bulk';
    const embedded = {
      path,
      use,
      access: purpose === 'inspection' ? 'read' : 'write',
      scheduler,
      cacheSizes: cacheSizes(purpose === 'server' ? Math.floor(memory / threads) : memory),
      ...(relock && { relock }),
    } as const;
    return openEmbeddedBackend({ ...embedded, ...options });
  }
  // The OpenSearch client takes 150 ms to load, so it is loaded only if it is used.
  const { openOpenSearchBackend } = await import('../backends/opensearch/opensearch-backend.ts');
  const feedOf = (generation: FedBackend) =>
    newIndexer(config, parts, generation, { fullBatches: true });
  return openOpenSearchBackend({
    ...{ url, prefix, ...sharing, ...options },
    // An inspection is about what the indexes hold.
    documents: purpose === 'inspection' ? undefined : { records: store.read, onUntrue },
    refusesEmptyStore: !newStore,
    layout: { shards: config.searchShards, replicas: config.searchReplicas },
    openIndexes: config.searchOpenIndexes,
    // A command that fills the indexes fills them from nothing.
    ...(purpose === 'server' ? { feedOf } : {}),
  });
}

/** Opens indexes in OpenSearch for a thread that searches them, and that another one feeds. */
export function openReadingBackend(
  config: Config,
  parts: Omit<SearchParts, 'delay' | 'newStore' | 'history'>,
): Promise<SearchBackend> {
  const history = new StoreHistory(parts.store.read, parts.log);
  const all = { ...parts, delay: null, newStore: true, history };
  return openBackend(config, all, { purpose: 'server', feeds: () => false });
}
