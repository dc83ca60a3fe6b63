// Wires settings to store, index, use cases and HTTP; the only file that knows everyone. `openOffline` opens the
// data directory without HTTP, for commands; `compose` serves it.
// Invariant: what was opened is closed in the opposite order, also when opening fails half-way.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { isKnownCapability } from './auth/capabilities.ts';
import { systemClock } from './auth/clock.ts';
import { ExternalIssuers } from './auth/external-issuers.ts';
import { outboundJson } from './auth/outbound.ts';
import {
  type Beside,
  guessesOf,
  httpOptions,
  indexLag,
  nodeStatus,
  openCounts,
  openTelemetry,
  openTraces,
  statusOf,
} from './compose-server.ts';
import type { Config } from './config.ts';
import { ServiceError } from './errors.ts';
import { buildApp } from './http/app.ts';
import { MetricsServer } from './http/metrics-server.ts';
import type { Services, StatusSource } from './http/services.ts';
import { AuthUsers } from './identity/auth-users.ts';
import { Documents } from './identity/documents.ts';
import { ObservedStore } from './identity/observed-store.ts';
import { PersonalAccessTokens } from './identity/personal-access-tokens.ts';
import { AdvancedSearches } from './identity/profiles/advanced-searches.ts';
import { ApiKeys } from './identity/profiles/api-keys.ts';
import { ProfileCases } from './identity/profiles/profile-cases.ts';
import { ResourceCases } from './identity/profiles/resource-cases.ts';
import { Search } from './identity/search.ts';
import type { SearchBackend } from './identity/search-backend.ts';
import { watchedBy } from './identity/search-watch.ts';
import { SignInFailures } from './identity/sign-in-failures.ts';
import type { Store } from './identity/store.ts';
import { TenantActivity } from './identity/tenant-activity.ts';
import { TokenService } from './identity/tokens.ts';
import { makeLog } from './log.ts';
import type { IndexName } from './query/plan.ts';
import { ElectedIndexer } from './search/elected-indexer.ts';
import { openEmbeddedBackend } from './search/embedded/embedded-backend.ts';
import { type Feeding, Indexer, type IndexerOptions } from './search/indexer.ts';
import { acquireIndexLock } from './store/index-lock.ts';
import { storeFaults } from './store/integrity.ts';
import { openSqliteStore } from './store/sqlite-store.ts';
import type { CopyReport, CopyWatch } from './store/store-copy.ts';
import type { Traces } from './telemetry/traces.ts';

export {
  type BackupDescription,
  type BackupWatch,
  backUp,
  verifyBackup,
} from './store/backup.ts';
export { restoreBackup } from './store/restore.ts';

export interface ComposeOptions {
  /** Where log lines go; the standard output when left out. */
  readonly log?: Logger;
  /** Of this build, for metrics. */
  readonly version?: string;
}

/** The data directory, opened. */
export interface Offline {
  readonly log: Logger;
  readonly store: Store;
  readonly documents: Documents;
  /** Whether this process alone feeds the search now; if not, another one does or may. */
  readonly ownsIndex: boolean;
  /** null where another process owns the index. */
  readonly backend: SearchBackend | null;
  readonly indexer: Feeding | null;
  /** What is wrong with the store's file, one sentence each; reads all of it. null: it is no file of ours. */
  checkStore(): Promise<readonly string[] | null>;
  /** Ends in order; what is searchable is committed. */
  close(): Promise<void>;
}

/** The service, wired; it listens after `start`. */
export interface Cardea {
  readonly log: Logger;
  readonly store: Store;
  readonly backend: SearchBackend;
  readonly indexer: Feeding;
  readonly documents: Documents;
  readonly services: Services;
  readonly app: FastifyInstance;
  /** @returns the address it listens on, and where its metrics are served; null: nowhere */
  start(): Promise<{ url: string; metricsUrl: string | null }>;
  /** Lets requests in flight end, then closes all. */
  stop(): Promise<void>;
}

/** Changes the indexer takes from the store at a time. */
const INDEXER_BATCH = 4_000;
/** The same where nobody searches meanwhile and the index is our own. */
const BULK_BATCH = 12_000;
/** Other nodes know of what was fed when it is committed. */
const SHARED_COMMIT_MS = 1_000;
/** A server that is stopping lets go of its index in less. */
const LOCK_WAIT_MS = 2_000;

/**
 * Opens the data for a command.
 * @throws ServiceError `unavailable` where they cannot be opened
 */
export function openOffline(config: Config, options: ComposeOptions = {}): Promise<Offline> {
  return openData(config, logOf(config, options), 'command');
}

function logOf(config: Config, options: ComposeOptions): Logger {
  return options.log ?? makeLog(config.logLevel);
}

/** A server may wait for its turn to feed a search that several share; a command feeds it now or not at all. */
type Purpose = 'command' | 'server';
type Closers = (() => Promise<void> | void)[];
/** What the search is opened over. */
type Below = Pick<Offline, 'log' | 'store' | 'documents'>;
type OpenedSearch = Pick<Offline, 'ownsIndex' | 'backend' | 'indexer'>;

const FED_BY_ANOTHER: OpenedSearch = { ownsIndex: false, backend: null, indexer: null };

async function openData(
  config: Config,
  log: Logger,
  purpose: Purpose,
  traces: Traces | null = null,
): Promise<Offline> {
  const closers: Closers = [];
  const close = async () => {
    while (closers.length > 0) await closers.pop()?.();
  };
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    const opened = await openStore(config.store);
    const store = new ObservedStore(traces === null ? opened : traces.tracer.traced(opened));
    closers.push(() => store.close());
    const documents = new Documents(store, {
      clock: systemClock,
      isKnownCapability,
      limits: { dynamicFields: config.maxDynamicFields },
    });
    const below = { log, store, documents };
    const search =
      config.store.kind === 'postgres' && config.searchUrl !== null
        ? await openSharedSearch(config, config.store, below, purpose, closers)
        : await openOwnSearch(config, below, purpose, closers);
    return { ...below, ...search, checkStore: () => checkStore(config.store), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** One process feeds the index that belongs to the data directory: it holds the lock there. */
async function openOwnSearch(
  config: Config,
  below: Below,
  purpose: Purpose,
  closers: Closers,
): Promise<OpenedSearch> {
  const lock = await acquireIndexLock(config.indexDir, LOCK_WAIT_MS);
  if (lock === null) return FED_BY_ANOTHER;
  closers.push(() => lock.release());
  const backend = await openBackend(config, below, { purpose });
  closers.push(() => backend.close());
  const isBulk = purpose === 'command' && config.searchUrl === null;
  const bulk = { batchSize: BULK_BATCH, fullBatches: true };
  const indexer = newIndexer(config, below, backend, isBulk ? bulk : {});
  closers.push(() => indexer.stop());
  return { ownsIndex: true, backend, indexer };
}

/** Nodes that share store and search: one of them feeds, under a lock in the database, and all of them search. */
async function openSharedSearch(
  config: Config,
  address: Extract<Config['store'], { kind: 'postgres' }>,
  below: Below,
  purpose: Purpose,
  closers: Closers,
): Promise<OpenedSearch> {
  const { PostgresLock } = await import('./store/postgres-lock.ts');
  const lock = new PostgresLock(address);
  if (purpose === 'command') {
    const hold = await lock.acquire(AbortSignal.timeout(LOCK_WAIT_MS));
    if (hold === null) return FED_BY_ANOTHER;
    closers.push(() => hold.release());
    const backend = await openBackend(config, below, { purpose, feeds: () => true });
    closers.push(() => backend.close());
    const indexer = newIndexer(config, below, backend);
    closers.push(() => indexer.stop());
    void hold.lost.then(() => indexer.abandon());
    return { ownsIndex: true, backend, indexer };
  }
  let elected: ElectedIndexer | null = null;
  const backend = await openBackend(config, below, {
    purpose,
    feeds: () => elected?.feeds ?? false,
  });
  closers.push(() => backend.close());
  const feeder = newIndexer(config, below, backend, { commitMs: SHARED_COMMIT_MS });
  const indexer = new ElectedIndexer(below.store, backend, feeder, {
    ...{ lock, log: below.log },
    pollMs: config.refreshMs,
  });
  elected = indexer;
  closers.push(() => indexer.stop());
  return { ownsIndex: false, backend, indexer };
}

function newIndexer(
  config: Config,
  { store, log }: Below,
  backend: SearchBackend,
  options: Partial<IndexerOptions> = {},
): Indexer {
  return new Indexer(store, backend, {
    pollMs: config.refreshMs,
    batchSize: INDEXER_BATCH,
    log,
    ...options,
  });
}

/**
 * Copies the SQLite store of the data directory into a PostgreSQL, while nothing runs on the directory.
 * @throws ServiceError `unavailable` where a server runs, or as store/store-copy.ts says
 */
export async function copyStore(
  config: Config,
  target: Config['store'],
  watch: CopyWatch,
): Promise<CopyReport> {
  const { store } = config;
  if (store.kind !== 'sqlite' || target.kind !== 'postgres') {
    throw new TypeError('A copy goes from SQLite to PostgreSQL');
  }
  const lock = await acquireIndexLock(config.indexDir, LOCK_WAIT_MS);
  if (lock === null) {
    throw new ServiceError('unavailable', `A server runs on ${config.dataDir}: stop it first.`);
  }
  try {
    const { copyStore: copy } = await import('./store/store-copy.ts');
    return await copy(store, target, watch);
  } finally {
    lock.release();
  }
}

async function openStore(config: Config['store']): Promise<Store> {
  switch (config.kind) {
    case 'sqlite':
      mkdirSync(dirname(config.path), { recursive: true, mode: 0o700 });
      return openSqliteStore(config);
    case 'postgres': {
      // Who has no PostgreSQL need not load its client.
      const { openPostgresStore } = await import('./store/postgres-store.ts');
      return openPostgresStore(config);
    }
  }
}

/** PostgreSQL looks after its own files. */
async function checkStore(config: Config['store']): Promise<readonly string[] | null> {
  return config.kind === 'sqlite' ? storeFaults(config.path) : null;
}

async function openBackend(
  config: Config,
  { log, store, documents }: Below,
  { purpose, feeds }: { readonly purpose: Purpose; readonly feeds?: () => boolean },
): Promise<SearchBackend> {
  const options = {
    mapping: (tenantId: string, index: IndexName) => documents.mapping(tenantId, index),
    lastSequence: () => store.read.lastSequence(),
    log,
  };
  const { searchUrl: url, searchPrefix: prefix } = config;
  if (url === null) {
    const { indexDir: path, searchWorkers } = config;
    const use = purpose === 'command' ? 'bulk' : 'searches';
    return openEmbeddedBackend({ path, searchWorkers, use, ...options });
  }
  // Its client takes 150 ms to load, which a start without it need not pay.
  const { openOpenSearchBackend } = await import('./search/opensearch/opensearch-backend.ts');
  return openOpenSearchBackend({ url, prefix, ...(feeds && { feeds }), ...options });
}

/**
 * Opens the data directory and wires the service over it; nothing listens yet.
 * @throws ServiceError `unavailable` where the directory cannot be opened or another process serves it
 */
export async function compose(config: Config, options: ComposeOptions = {}): Promise<Cardea> {
  const log = logOf(config, options);
  const version = options.version ?? 'unknown';
  const traces = await openTraces(config, log, version);
  const opened = await openData(config, log, 'server', traces);
  const { store, documents, backend, indexer } = opened;
  if (backend === null || indexer === null) {
    await opened.close();
    throw new ServiceError(
      'unavailable',
      `Another process serves ${config.dataDir}: stop it, or choose another directory with --data-dir.`,
    );
  }
  const served = { ...opened, backend, indexer };
  const atOpening = await store.read.lastSequence();
  const counts = await openCounts(config, log);
  const lag = indexLag(served);
  const telemetry = await openTelemetry(config, { ...served, counts, version, lag });
  const status = statusOf(served, counts, atOpening);
  const failures = new SignInFailures(store, (err) =>
    log.warn({ err }, 'Sign-ins that failed could not be written down'),
  );
  const activity = new TenantActivity();
  const node = nodeStatus(config, { ...served, version, lag, activity });
  const beside = { telemetry, traces, counts, failures, activity, node };
  const services = makeServices(config, served, status, beside);
  const app = buildApp(services, httpOptions(config, log, beside));
  const own = config.metrics?.kind === 'own' ? config.metrics : null;
  const metricsServer =
    own === null || telemetry === null ? null : new MetricsServer(telemetry.metrics);
  return {
    ...{ log, store, backend, indexer, documents, services, app },
    async start() {
      indexer.start();
      lag.start();
      const listening = await app.listen({ port: config.port, host: config.host });
      // The framework says http, since the server with TLS is made without its knowing.
      const url = config.tls === null ? listening : listening.replace(/^http:/, 'https:');
      const atOwn = own === null ? null : await metricsServer?.listen(own);
      return { url, metricsUrl: atOwn ?? (config.metrics === null ? null : `${url}/metrics`) };
    },
    async stop() {
      await app.close();
      await metricsServer?.close();
      lag.stop();
      telemetry?.stop();
      await traces?.flush();
      counts?.close();
      await failures.close();
      await opened.close();
    },
  };
}

/** Opened for a server. */
type Served = Offline & { readonly backend: SearchBackend; readonly indexer: Feeding };

function makeServices(
  config: Config,
  { log, store, documents, backend }: Served,
  status: StatusSource,
  { telemetry, traces, counts, failures, activity, node }: Beside,
): Services {
  const externalIssuers = new ExternalIssuers(
    config.externalIssuers,
    outboundJson({ allowPrivateAddresses: config.allowPrivateUrls }),
    systemClock,
    {
      onFailure: (issuer, error) => log.warn({ issuer, err: error }, 'Keys could not be fetched'),
    },
  );
  const { limits, queryTimeoutMs } = config;
  return {
    tokens: new TokenService(store, {
      externalIssuers,
      guesses: guessesOf(config, counts),
      failures,
    }),
    apiKeys: new ApiKeys(store),
    authUsers: new AuthUsers(store, { refuseExclusivePairs: config.refuseExclusivePairs }),
    personalAccessTokens: new PersonalAccessTokens(store),
    documents,
    search: new Search(backend, documents, systemClock, {
      limits,
      timeoutMs: queryTimeoutMs,
      watch: watchedBy([telemetry?.metrics, traces?.tracer].filter((watch) => watch !== undefined)),
    }),
    resources: new ResourceCases(store),
    profiles: new ProfileCases(store),
    advancedSearches: new AdvancedSearches(store, { timeZone: config.profileTimeZone }),
    ...{ status, node, activity },
  };
}
