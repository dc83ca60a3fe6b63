// Wires settings, store, index, use cases and HTTP; the only file that imports all layers.
// `openOffline` opens the data directory without HTTP, for commands; `compose` builds the server.
// Invariant: opened parts are closed in reverse order, also if opening fails half-way.
import { mkdirSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Clock, systemClock } from '../auth/clock.ts';
import { ExternalIssuers } from '../auth/external-issuers.ts';
import { CLOCK_SKEW_SECONDS } from '../auth/jwt.ts';
import { outboundJson } from '../auth/outbound.ts';
import type { DelayedChanges } from '../backends/delayed-changes.ts';
import type { Feeding } from '../backends/indexer.ts';
import type { Config } from '../config/config.ts';
import { networkFaults, secretFileFault, tightenDirectories } from '../config/exposure.ts';
import { ServiceError } from '../errors.ts';
import { buildApp, type Services } from '../http/app.ts';
import { ServedCertificate } from '../http/certificate-files.ts';
import { MetricsServer } from '../http/metrics-server.ts';
import type { IndexMending } from '../jobs/mending/index-mending.ts';
import type { PurgeJob } from '../jobs/retention/purge-job.ts';
import { CooperativeScheduler } from '../scheduling/cooperative.ts';
import { TurnQueue } from '../scheduling/turn-queue.ts';
import { AuthUserAdministration } from '../service/accounts/auth-user-administration.ts';
import { AuthUserDirectory } from '../service/accounts/auth-user-directory.ts';
import { AuthUsers } from '../service/accounts/auth-users.ts';
import { ApiKeyCheck } from '../service/credentials/api-key-check.ts';
import { Credentials } from '../service/credentials/credentials.ts';
import { SignInCodes } from '../service/credentials/sign-in-codes.ts';
import { SignIns } from '../service/credentials/sign-ins.ts';
import { TokenService } from '../service/credentials/tokens.ts';
import { Dashboards } from '../service/dashboards/dashboards.ts';
import { type DamageListeners, DamageWatch } from '../service/documents/damage-watch.ts';
import { Documents } from '../service/imports/documents.ts';
import { Lists } from '../service/lists/lists.ts';
import { mirrorStatus } from '../service/mirrors/mirror-status.ts';
import type { SearchBackend } from '../service/ports/search-backend.ts';
import { combinedWatch } from '../service/ports/search-watch.ts';
import type { Store } from '../service/ports/store.ts';
import type { StoredDocumentKey } from '../service/ports/stored-document.ts';
import { ProfileCases } from '../service/profiles/profile-cases.ts';
import { ResourceCases } from '../service/profiles/resources/resource-cases.ts';
import { AdvancedSearches } from '../service/profiles/rules/advanced-searches.ts';
import { SavedSearches } from '../service/saved-searches/saved-searches.ts';
import { ScheduledSearches } from '../service/saved-searches/scheduled-searches.ts';
import { SearchRuns } from '../service/saved-searches/search-runs.ts';
import { AccessPathList } from '../service/searching/access-path-list.ts';
import { Search } from '../service/searching/search.ts';
import { TenantActivity } from '../service/searching/tenant-activity.ts';
import { Visibility } from '../service/searching/visibility.ts';
import { Views } from '../service/views/views.ts';
import { SealedStore } from '../store/sealing/sealed-store.ts';
import { SecretsKeys } from '../store/sealing/secrets-key.ts';
import { announceServer, type IndexLock } from '../store/sqlite/index-lock.ts';
import { diskSpace } from '../telemetry/disk-space.ts';
import { makeLog } from '../telemetry/log.ts';
import { readinessOf } from '../telemetry/readiness.ts';
import type { Traces } from '../telemetry/traces.ts';
import { TestClock } from '../testing/powers/test-clock.ts';
import type { TestPowers } from '../testing/powers/test-powers.ts';
import { checkPlaces, clearKilledRestore } from './data-paths.ts';
import { listenAt } from './listening.ts';
import { openReports, reportZone } from './reports.ts';
import { type Closers, openSearch, type SearchPurpose, WITHOUT_SEARCH } from './search.ts';
import {
  delayedChanges,
  guessesOf,
  httpOptions,
  indexLag,
  indexLastChanges,
  indexMending,
  nodeStates,
  nodeStatus,
  openAuditExports,
  openCounts,
  openRecordChecks,
  openStoreChecks,
  openTelemetry,
  openTestPowers,
  openTraces,
  purgeJob,
  rateCounterOf,
  type ServerExtras,
} from './server.ts';
import { checkStore, openStoreOf } from './store.ts';

export { checkedPair, validityOf, validityWarning } from '../http/certificate-pair.ts';
export { diskSpace, LOW_DISK_BYTES } from '../telemetry/disk-space.ts';

export interface ComposeOptions {
  /** The log; standard output when left out. */
  readonly log?: Logger;
  /** Version of this build, for metrics. */
  readonly version?: string;
  /** Begin with an empty store although the directory has a search index, which is discarded. */
  readonly newStore?: boolean;
}

/** An opened data directory. */
export interface Offline {
  readonly log: Logger;
  readonly store: Store;
  readonly documents: Documents;
  /** Divides the time of the main thread between tenants. */
  readonly scheduler: CooperativeScheduler;
  /** True if only this process may feed the search now. */
  readonly ownsIndex: boolean;
  /** null if another process owns the index, or if there is none to inspect. */
  readonly backend: SearchBackend | null;
  /** null if this process does not feed the index. */
  readonly indexer: Feeding | null;
  /** Mends an index that other programs can change; null if there is none in this process. */
  readonly mending: IndexMending | null;
  /**
   * Reads the whole store file and returns its faults, one sentence each; null: it is not a file.
   */
  checkStore(): Promise<readonly string[] | null>;
  /**
   * Seals the secrets of the store with another key.
   * @returns their number
   * @throws ServiceError `unavailable` if one cannot be opened
   */
  resealSecrets(key: Uint8Array): Promise<number>;
  /** Commits searchable changes and closes everything in order. */
  close(): Promise<void>;
}

/** The composed service; it listens after `start`. */
export interface Cardea {
  readonly log: Logger;
  readonly store: Store;
  readonly backend: SearchBackend;
  readonly indexer: Feeding;
  readonly documents: Documents;
  readonly services: Services;
  /** Codes for links that sign a person in; they work once `create` was called. */
  readonly signInCodes: SignInCodes;
  /** Runs by itself after the start. */
  readonly purge: Pick<PurgeJob, 'run'>;
  readonly app: FastifyInstance;
  /** null: off. */
  readonly testPowers: TestPowers | null;
  /** Starts listening. @returns the URL, and the URL of the metrics; null: not served */
  start(): Promise<{ url: string; metricsUrl: string | null }>;
  /** Lets requests in flight finish, then closes everything. */
  stop(): Promise<void>;
}

/** What a command opens the data for. */
export type OfflinePurpose =
  /** To read and write. */
  | 'command'
  /** To look at it: the index is opened for reading, and no migration may be missing. */
  | 'inspection'
  /** Without the search, so it waits for no server that has it. */
  | 'store';

/**
 * Opens the data for a command.
 * @throws ServiceError `unavailable` if they cannot be opened
 */
export function openOffline(
  config: Config,
  options: ComposeOptions = {},
  purpose: OfflinePurpose = 'command',
): Promise<Offline> {
  return openData(config, logOf(config, options), purpose);
}

function logOf(config: Config, options: ComposeOptions): Logger {
  return options.log ?? makeLog(config.logLevel);
}

/** `close` closes what `closers` has, the last one first. */
type OpenedData = Offline & {
  readonly store: DamageWatch;
  readonly delay: DelayedChanges | null;
  readonly closers: Closers;
};

async function openData(
  config: Config,
  log: Logger,
  purpose: SearchPurpose | 'store',
  {
    traces = null,
    clock = systemClock,
    newStore = false,
  }: { traces?: Traces | null; clock?: Clock; newStore?: boolean } = {},
): Promise<OpenedData> {
  const closers: Closers = [];
  const close = async () => {
    while (closers.length > 0) await closers.pop()?.();
  };
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    checkPlaces(config, purpose === 'store' ? 'store' : 'store and index');
    const removed = purpose === 'inspection' ? [] : await clearKilledRestore(config);
    if (removed.length > 0) {
      log.warn({ removed }, 'What a restore had left that did not end was removed');
    }
    const { secretsKey } = config;
    const secretsKeys = secretsKey === null ? null : new SecretsKeys(secretsKey);
    const sealed = new SealedStore(
      await openStoreOf(config, newStore, (what) => log.warn(what)),
      secretsKeys,
    );
    closers.push(() => sealed.close());
    if (purpose === 'server') {
      secretsKeys?.check();
      await checkSecrets(sealed, config, log);
    }
    const store = new DamageWatch(
      traces === null ? sealed : traces.tracer.traced(sealed),
      // Commands name what they come upon themselves.
      purpose === 'server' ? damageLog(log) : { onDocument() {}, onTrail() {} },
    );
    let mending: IndexMending | null = null;
    const documents = new Documents(store, {
      clock,
      onUnchanged: (tenantId, index, ids) => mending?.check(tenantId, index, ids),
      limits: {
        dynamicFields: config.maxDynamicFields,
        documentBytes: config.documentLimit,
      },
    });
    const delay = purpose === 'server' ? delayedChanges(config, store) : null;
    const parts = {
      ...{ log, store, documents, delay, newStore, scheduler: new CooperativeScheduler() },
      onUntrue: (document: StoredDocumentKey) => mending?.onUntrue(document),
    };
    let search = WITHOUT_SEARCH;
    if (purpose !== 'store') {
      search = await openSearch(config, parts, purpose, closers);
      mending = indexMending(config, { ...search, store, log }, purpose === 'server');
    }
    const resealSecrets = (key: Uint8Array) => sealed.reseal(key);
    return {
      ...parts,
      ...search,
      mending,
      resealSecrets,
      closers,
      close,
      checkStore: () => checkStore(config.store),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Names damage of the store in the log, where a server comes upon it. */
function damageLog(log: Logger): DamageListeners {
  return {
    onDocument: (document) =>
      log.warn(
        document,
        'A document is damaged in the store and set aside: import it again, or restore a backup',
      ),
    onTrail: (tenantId) =>
      log.error(
        { tenantId },
        'The recorded end of the audit trail is damaged, and nothing is recorded in it: cardea doctor --repair mends it',
      ),
  };
}

/**
 * Seals plain signing keys.
 * @throws ServiceError `unavailable` if the active one is sealed with another secrets key
 */
async function checkSecrets(store: SealedStore, config: Config, log: Logger): Promise<void> {
  if (config.secretsKey === null) {
    log.warn(
      'Signing keys are stored unsealed in PostgreSQL: set CARDEA_SECRETS_KEY_FILE, the same on all nodes.',
    );
  }
  const count = await store.sealPlain();
  if (count > 0) log.info({ count }, 'Signing keys that were stored unsealed have been sealed');
  await store.checkSigningKey();
}

/**
 * Restricts the data directory, and returns what is unsafe about the settings and files of a
 * server.
 */
function exposures(config: Config): readonly string[] {
  const { dataDir, secretsKey } = config;
  const keyFile = secretsKey?.kind === 'file' ? secretFileFault(secretsKey.path) : null;
  return [
    ...networkFaults(config),
    ...tightenDirectories(dataDir),
    ...(keyFile === null ? [] : [`The secrets key ${keyFile}`]),
  ];
}

/**
 * Opens the data directory and wires the service, not yet listening.
 * @throws ServiceError `unavailable` if the directory or the certificate cannot be used, another
 * process serves the directory, or its store was lost; ConfigError if a file of the settings cannot be
 * written
 */
export async function compose(config: Config, options: ComposeOptions = {}): Promise<Cardea> {
  const log = logOf(config, options);
  const version = options.version ?? 'unknown';
  const { tls } = config;
  const certificate =
    tls === null ? null : new ServedCertificate(tls, log, () => systemClock.now());
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  for (const warning of exposures(config)) log.warn(warning);
  const traces = await openTraces(config, log, version);
  const testClock = config.testing === null ? null : new TestClock(config.testing.clock);
  const clock = testClock ?? systemClock;
  const { newStore = false } = options;
  const opened = await openData(config, log, 'server', { traces, clock, newStore });
  try {
    return await composeServer(config, opened, { version, traces, testClock, certificate });
  } catch (error) {
    await opened.close();
    throw error;
  }
}

interface ServerParts extends Pick<ServerExtras, 'traces'> {
  readonly version: string;
  /** null: there are no powers for tests. */
  readonly testClock: TestClock | null;
  /** null: plain HTTP. */
  readonly certificate: ServedCertificate | null;
}

async function composeServer(
  config: Config,
  opened: OpenedData,
  { version, traces, testClock, certificate }: ServerParts,
): Promise<Cardea> {
  const { log, store, documents, scheduler, backend, indexer } = opened;
  const clock = testClock ?? systemClock;
  if (backend === null || indexer === null) {
    throw new ServiceError(
      'unavailable',
      `Another process serves ${config.dataDir}: stop it, or choose another directory with --data-dir.`,
    );
  }
  const served: Served = { ...opened, backend, indexer };
  const atOpening = await store.read.lastSequence();
  const counts = await openCounts(config, log);
  opened.closers.push(() => counts?.close());
  const lag = indexLag(served);
  const purge = purgeJob(config, served, log);
  const exports = await openAuditExports(config, store, log);
  const storeChecks = openStoreChecks(config, log, store);
  const recordChecks = await openRecordChecks(config, log, store);
  const disk = () => diskSpace(config.dataDir);
  const storeFaults = () => storeChecks?.last?.faults ?? [];
  const wrongRows = () => (storeChecks ?? recordChecks)?.last?.wrong ?? [];
  const rates = rateCounterOf(config, counts);
  const testPowers = openTestPowers(config, served, testClock, rates);
  const background: { readonly warning: string | null }[] = [
    ...exports,
    purge,
    ...(certificate === null ? [] : [certificate]),
    ...(opened.mending === null ? [] : [opened.mending]),
  ];
  const status = readinessOf({
    ...{ ...served, counts, atOpening, background, disk, storeFaults, wrongRows },
    ...{ watch: store, log, clock: systemClock, clockSkewMs: CLOCK_SKEW_SECONDS * 1_000 },
    notices: () => testPowers?.notices ?? [],
  });
  const states = nodeStates(config, {
    status,
    disk,
    checks: storeChecks,
    certificate,
    watch: store,
  });
  const measured = { ...served, counts, version, lag, states, purge };
  const telemetry = await openTelemetry(config, measured);
  const signIns = new SignIns(store, (err) =>
    log.warn({ err }, 'Sign-ins could not be recorded in the audit trail yet'),
  );
  const signInCodes = new SignInCodes();
  const activity = new TenantActivity();
  const isForTests = testPowers !== null;
  const node = nodeStatus(config, { ...served, watch: store, version, lag, activity, isForTests });
  const extras = {
    telemetry,
    traces,
    counts,
    signIns,
    signInCodes,
    activity,
    node,
    testPowers,
    rates,
  };
  const services = makeServices(config, served, status, { ...extras, scheduler, clock });
  let url: string | null = null;
  const baseUrl = () => config.baseUrl ?? url;
  const reports = await openReports(config, {
    log,
    store,
    clock,
    baseUrl,
    search: services.search,
  });
  background.push(reports);
  const app = buildApp(services, { ...httpOptions(config, log, extras), scheduler, version });
  const metricsAddress = config.metrics?.kind === 'own' ? config.metrics : null;
  const metricsServer =
    metricsAddress === null || telemetry === null ? null : new MetricsServer(telemetry.metrics);
  let endWatch = (): void => {};
  let started = false;
  let announcement: IndexLock | null = null;
  return {
    log,
    store,
    backend,
    indexer,
    documents,
    services,
    signInCodes,
    purge,
    app,
    testPowers,
    async start() {
      started = true;
      indexer.start();
      lag.start();
      for (const exporter of exports) exporter.start();
      storeChecks?.start();
      recordChecks?.start();
      purge.start();
      opened.mending?.start();
      if (certificate !== null) endWatch = certificate.follow(app.server);
      for (const notice of testPowers?.notices ?? []) log.warn(notice);
      const { host, port } = config;
      const listening = await listenAt({ host, port, flag: '--port' }, () =>
        app.listen({ port, host }),
      );
      // Fastify reports http, since serverFactory creates the TLS server.
      url = config.tls === null ? listening : listening.replace(/^http:/, 'https:');
      if (opened.ownsIndex) announcement = await announceServer(config.indexDir);
      reports.start();
      const ownUrl =
        metricsAddress === null
          ? null
          : await listenAt({ ...metricsAddress, flag: '--metrics' }, async () =>
              metricsServer?.listen(metricsAddress),
            );
      return { url, metricsUrl: ownUrl ?? (config.metrics === null ? null : `${url}/metrics`) };
    },
    async stop() {
      announcement?.release();
      announcement = null;
      endWatch();
      await app.close();
      // Together, as each of them may wait for a server that does not answer.
      await Promise.all([
        reports.stop(),
        purge.stop(),
        opened.mending?.stop(),
        storeChecks?.stop(),
        recordChecks?.stop(),
        metricsServer?.close(),
        signIns.close(),
        traces?.close(),
        ...exports.map((exporter) => exporter.stop()),
      ]);
      lag.stop();
      telemetry?.stop();
      if (started) await indexLastChanges(served);
      await opened.close();
    },
  };
}

/** The data directory of a server, with its search. */
type Served = Offline & {
  readonly delay: DelayedChanges | null;
  readonly backend: SearchBackend;
  readonly indexer: Feeding & { readonly feeds?: boolean };
};

function makeServices(
  config: Config,
  { log, store, documents, backend }: Served,
  status: Services['status'],
  {
    telemetry,
    traces,
    counts,
    signIns,
    signInCodes,
    activity,
    node,
    testPowers,
    scheduler,
    clock,
  }: ServerExtras & { readonly scheduler: CooperativeScheduler; readonly clock: Clock },
): Services & { readonly search: Search } {
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
  const visibility = new Visibility({
    ...{ backend, documents, clock, limits, scheduler },
    timeoutMs: queryTimeoutMs,
  });
  const search = new Search(visibility, clock, {
    limits,
    timeoutMs: queryTimeoutMs,
    scheduler,
    watch: combinedWatch(
      [telemetry?.metrics, traces?.tracer].filter((watch) => watch !== undefined),
    ),
  });
  return {
    tokens: new TokenService(store, {
      externalIssuers,
      guesses: guessesOf(config, counts),
      signIns,
      signInCodes,
    }),
    apiKeyCheck: new ApiKeyCheck(store, { policy }),
    apiKeys: new Credentials('key', store, { policy }),
    authUsers: new AuthUsers(store, { refuseExclusivePairs: config.refuseExclusivePairs, clock }),
    authUserAdministration: new AuthUserAdministration(store, { clock, externalIssuers, policy }),
    authUserDirectory: new AuthUserDirectory(store, limits),
    personalAccessTokens: new Credentials('pat', store, { policy }),
    oauthClients: new Credentials('client', store, { policy }),
    documents,
    search,
    lists: new Lists({
      ...{ visibility, scheduler, limits, clock: systemClock },
      timeoutMs: queryTimeoutMs,
    }),
    savedSearches: new SavedSearches(store, search, { clock }),
    scheduledSearches: new ScheduledSearches(store, { clock, zone: reportZone(config) }),
    searchRuns: new SearchRuns(store),
    dashboards: new Dashboards(store, search, { clock }),
    views: new Views({ store, documents, limits, clock }),
    accessPaths: new AccessPathList(visibility, { scheduler, timeoutMs: queryTimeoutMs }),
    resources: new ResourceCases(store, { clock }),
    profiles: new ProfileCases(store, { turns, clock, timeoutMs: queryTimeoutMs }),
    advancedSearches: new AdvancedSearches(store, {
      clock,
      timeZone: config.profileTimeZone,
      timeoutMs: queryTimeoutMs,
      turns,
    }),
    status,
    node,
    mirror: { of: (tenantId) => mirrorStatus(store.read, tenantId, clock.now()) },
    activity,
    testPowers,
  };
}
