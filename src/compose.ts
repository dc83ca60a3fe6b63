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
import { ElectedIndexer } from './backends/elected-indexer.ts';
import { openEmbeddedBackend } from './backends/embedded/embedded-backend.ts';
import { type Feeding, Indexer, type IndexerOptions } from './backends/indexer.ts';
import {
  type Beside,
  guessesOf,
  httpOptions,
  indexLag,
  nodeStatus,
  openAuditExports,
  openCounts,
  openTelemetry,
  openTraces,
  statusOf,
} from './compose-server.ts';
import type { Config } from './config.ts';
import { ServiceError } from './errors.ts';
import { networkFaults, secretFileFault, tightenDirectory } from './exposure.ts';
import { buildApp } from './http/app.ts';
import { watchCertificate } from './http/certificate-files.ts';
import { MetricsServer } from './http/metrics-server.ts';
import type { Services, StatusSource } from './http/services.ts';
import { AuthUserAdministration } from './identity/accounts/auth-user-administration.ts';
import { AuthUsers } from './identity/accounts/auth-users.ts';
import { OAuthClients } from './identity/credentials/oauth-clients.ts';
import { PersonalAccessTokens } from './identity/credentials/personal-access-tokens.ts';
import { SignIns } from './identity/credentials/sign-ins.ts';
import { TokenService } from './identity/credentials/tokens.ts';
import { Documents } from './identity/documents/documents.ts';
import { ObservedStore } from './identity/ports/observed-store.ts';
import type { SearchBackend } from './identity/ports/search-backend.ts';
import { combinedWatch } from './identity/ports/search-watch.ts';
import type { Store } from './identity/ports/store.ts';
import { ApiKeys } from './identity/profiles/api-keys.ts';
import { ProfileCases } from './identity/profiles/profile-cases.ts';
import { ResourceCases } from './identity/profiles/resources/resource-cases.ts';
import { AdvancedSearches } from './identity/profiles/rules/advanced-searches.ts';
import { CooperativeScheduler } from './identity/scheduling/cooperative.ts';
import { TurnQueue } from './identity/scheduling/turn-queue.ts';
import { Search } from './identity/searching/search.ts';
import { TenantActivity } from './identity/searching/tenant-activity.ts';
import { makeLog } from './log.ts';
import type { IndexName } from './query/query.ts';
import { SealedStore } from './store/sealing/sealed-store.ts';
import { SecretsKeys } from './store/sealing/secrets-key.ts';
import { acquireIndexLock } from './store/sqlite/index-lock.ts';
import { storeFaults } from './store/sqlite/integrity.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { CopyReport, CopyWatch } from './store/sqlite/store-copy.ts';
import type { Traces } from './telemetry/traces.ts';

export { makeKeyFile, readKeyFile, stageKeyFile } from './store/sealing/secrets-key.ts';
export {
  type BackupDescription,
  type BackupWatch,
  backUp,
  verifyBackup,
} from './store/sqlite/backup.ts';
export { restoreBackup } from './store/sqlite/restore.ts';

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
  /** Divides the time of the main thread between tenants. */
  readonly scheduler: CooperativeScheduler;
  /** Whether this process alone feeds the search now; if not, another one does or may. */
  readonly ownsIndex: boolean;
  /** null where another process owns the index. */
  readonly backend: SearchBackend | null;
  readonly indexer: Feeding | null;
  /** What is wrong with the store's file, one sentence each; reads all of it. null: it is no file of ours. */
  checkStore(): Promise<readonly string[] | null>;
  /** Seals the secrets of the store with another key. @returns how many; throws `unavailable` where one cannot be opened */
  resealSecrets(key: Uint8Array): Promise<number>;
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
type Below = Pick<Offline, 'log' | 'store' | 'documents' | 'scheduler'>;
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
    const { secretsKey } = config;
    const secretsKeys = secretsKey === null ? null : new SecretsKeys(secretsKey);
    const sealed = new SealedStore(await openStore(config.store), secretsKeys);
    closers.push(() => sealed.close());
    if (purpose === 'server') await checkSecrets(sealed, config, log);
    const store = new ObservedStore(traces === null ? sealed : traces.tracer.traced(sealed));
    const documents = new Documents(store, {
      clock: systemClock,
      isKnownCapability,
      limits: {
        dynamicFields: config.maxDynamicFields,
        documentBytes: config.documentLimit,
      },
    });
    const below = { log, store, documents, scheduler: new CooperativeScheduler() };
    const search =
      config.store.kind === 'postgres' && config.searchUrl !== null
        ? await openSharedSearch(config, config.store, below, purpose, closers)
        : await openOwnSearch(config, below, purpose, closers);
    const resealSecrets = (key: Uint8Array) => sealed.reseal(key);
    return {
      ...{ ...below, ...search, resealSecrets, close },
      checkStore: () => checkStore(config.store),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @throws ServiceError `unavailable` where the key that signs is sealed with another secrets key */
async function checkSecrets(store: SealedStore, config: Config, log: Logger): Promise<void> {
  if (config.secretsKey === null) {
    log.warn(
      'Signing keys lie unsealed in PostgreSQL: set CARDEA_SECRETS_KEY_FILE, alike on all nodes.',
    );
  }
  const count = await store.sealPlain();
  if (count > 0) log.info({ count }, 'Signing keys that lay open in the store were sealed');
  await store.checkSigningKey();
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
  const { PostgresLock } = await import('./store/postgres/postgres-lock.ts');
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
 * @throws ServiceError `unavailable` where a server runs, or as store/sqlite/store-copy.ts says
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
    const { copyStore: copy } = await import('./store/sqlite/store-copy.ts');
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
      const { openPostgresStore } = await import('./store/postgres/postgres-store.ts');
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
  { log, store, documents, scheduler }: Below,
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
    return openEmbeddedBackend({ path, searchWorkers, use, scheduler, ...options });
  }
  // Its client takes 150 ms to load, which a start without it need not pay.
  const { openOpenSearchBackend } = await import('./backends/opensearch/opensearch-backend.ts');
  return openOpenSearchBackend({ url, prefix, ...(feeds && { feeds }), ...options });
}

/** What is unsafe about the settings and files of a server; it tightens its data directory first. */
function exposures(config: Config): readonly string[] {
  const { dataDir, secretsKey } = config;
  const directory = tightenDirectory(dataDir);
  const keyFile = secretsKey?.kind === 'file' ? secretFileFault(secretsKey.path) : null;
  return [
    ...networkFaults(config),
    ...(directory === null ? [] : [directory]),
    ...(keyFile === null ? [] : [`The secrets key ${keyFile}`]),
  ];
}

/**
 * Opens the data directory and wires the service over it; nothing listens yet.
 * @throws ServiceError `unavailable` where the directory cannot be opened or another process serves it
 */
export async function compose(config: Config, options: ComposeOptions = {}): Promise<Cardea> {
  const log = logOf(config, options);
  const version = options.version ?? 'unknown';
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  for (const warning of exposures(config)) log.warn(warning);
  const traces = await openTraces(config, log, version);
  const opened = await openData(config, log, 'server', traces);
  const { store, documents, scheduler, backend, indexer } = opened;
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
  const exports = await openAuditExports(config, store, log);
  const status = statusOf(served, counts, atOpening, exports);
  const signIns = new SignIns(store, (err) =>
    log.warn({ err }, 'Sign-ins could not be recorded in the audit trail yet'),
  );
  const activity = new TenantActivity();
  const node = nodeStatus(config, { ...served, version, lag, activity });
  const beside = { telemetry, traces, counts, signIns, activity, node };
  const services = makeServices(config, served, status, { ...beside, scheduler });
  const app = buildApp(services, { ...httpOptions(config, log, beside), scheduler });
  const own = config.metrics?.kind === 'own' ? config.metrics : null;
  const metricsServer =
    own === null || telemetry === null ? null : new MetricsServer(telemetry.metrics);
  let endWatch = (): void => {};
  return {
    ...{ log, store, backend, indexer, documents, services, app },
    async start() {
      indexer.start();
      lag.start();
      for (const exporter of exports) exporter.start();
      if (config.tls !== null) endWatch = watchCertificate(app.server, config.tls, log);
      const listening = await app.listen({ port: config.port, host: config.host });
      // The framework says http, since the server with TLS is made without its knowing.
      const url = config.tls === null ? listening : listening.replace(/^http:/, 'https:');
      const atOwn = own === null ? null : await metricsServer?.listen(own);
      return { url, metricsUrl: atOwn ?? (config.metrics === null ? null : `${url}/metrics`) };
    },
    async stop() {
      endWatch();
      await app.close();
      await metricsServer?.close();
      lag.stop();
      telemetry?.stop();
      await traces?.flush();
      counts?.close();
      await signIns.close();
      for (const exporter of exports) await exporter.stop();
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
  {
    telemetry,
    traces,
    counts,
    signIns,
    activity,
    node,
    scheduler,
  }: Beside & { readonly scheduler: CooperativeScheduler },
): Services {
  const externalIssuers = new ExternalIssuers(
    config.externalIssuers,
    outboundJson({ allowPrivateAddresses: config.allowPrivateUrls }),
    systemClock,
    {
      onFailure: (issuer, error) => log.warn({ issuer, err: error }, 'Keys could not be fetched'),
    },
  );
  const { limits, queryTimeoutMs, tokenPolicy: policy } = config;
  const turns = new TurnQueue();
  return {
    tokens: new TokenService(store, {
      externalIssuers,
      guesses: guessesOf(config, counts),
      signIns,
    }),
    apiKeys: new ApiKeys(store, { policy }),
    authUsers: new AuthUsers(store, { refuseExclusivePairs: config.refuseExclusivePairs }),
    authUserAdministration: new AuthUserAdministration(store),
    personalAccessTokens: new PersonalAccessTokens(store, { policy }),
    oauthClients: new OAuthClients(store, { policy }),
    documents,
    search: new Search(backend, documents, systemClock, {
      limits,
      timeoutMs: queryTimeoutMs,
      scheduler,
      watch: combinedWatch(
        [telemetry?.metrics, traces?.tracer].filter((watch) => watch !== undefined),
      ),
    }),
    resources: new ResourceCases(store),
    profiles: new ProfileCases(store, { turns }),
    advancedSearches: new AdvancedSearches(store, {
      timeZone: config.profileTimeZone,
      timeoutMs: queryTimeoutMs,
      turns,
    }),
    ...{ status, node, activity },
  };
}
