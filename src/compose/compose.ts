// Wires settings, store, index, use cases and HTTP; the only file that imports all layers.
// `openOffline` opens the data directory without HTTP, for commands; `compose` builds the server.
// Invariant: opened parts are closed in reverse order, also if opening fails half-way.
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Clock, systemClock } from '../auth/clock.ts';
import { CLOCK_SKEW_SECONDS } from '../auth/jwt.ts';
import type { DelayedChanges } from '../backends/delayed-changes.ts';
import { EmbeddedBackend } from '../backends/embedded/embedded-backend.ts';
import type { Feeding } from '../backends/indexer.ts';
import { StoreHistory } from '../backends/store-history.ts';
import type { Config } from '../config/config.ts';
import { networkFaults, secretFileFault, tightenDirectories } from '../config/exposure.ts';
import { ServiceError } from '../errors.ts';
import { ChannelPeers } from '../http/admission/channel-peers.ts';
import { createProcessCounts, NO_PEERS, ProcessCounts } from '../http/admission/process-counts.ts';
import type { Services } from '../http/app.ts';
import { ServedCertificate } from '../http/certificate-files.ts';
import { MetricsServer } from '../http/metrics-server.ts';
import { canShareListeners } from '../http/shared-listener.ts';
import { FieldKinds } from '../jobs/mending/field-kinds.ts';
import type { IndexMending } from '../jobs/mending/index-mending.ts';
import type { PurgeJob } from '../jobs/retention/purge-job.ts';
import { CooperativeScheduler } from '../scheduling/cooperative.ts';
import { SignInCodes } from '../service/credentials/sign-in-codes.ts';
import type { DamageListeners, DamageWatch } from '../service/documents/damage-watch.ts';
import type { Documents } from '../service/imports/documents.ts';
import type { SearchBackend } from '../service/ports/search-backend.ts';
import type { Store } from '../service/ports/store.ts';
import type { StoredDocumentKey } from '../service/ports/stored-document.ts';
import { sumOfActivity, TenantActivity } from '../service/searching/tenant-activity.ts';
import { SealedStore } from '../store/sealing/sealed-store.ts';
import { SecretsKeys } from '../store/sealing/secrets-key.ts';
import { ProcessWrites } from '../store/sql/process-writes.ts';
import { diskSpace } from '../telemetry/disk-space.ts';
import { makeLog } from '../telemetry/log.ts';
import { readinessOf } from '../telemetry/readiness.ts';
import { ThreadMeter, type ThreadReport } from '../telemetry/thread-figures.ts';
import type { Traces } from '../telemetry/traces.ts';
import { TestClock } from '../testing/powers/test-clock.ts';
import type { TestPowers } from '../testing/powers/test-powers.ts';
import { checkPlaces, clearKilledRestore } from './data-paths.ts';
import { listenAt } from './listening.ts';
import { LocalServing } from './local-serving.ts';
import { openRecords } from './records.ts';
import { openReports } from './reports.ts';
import { type Closers, openSearch, type SearchPurpose, WITHOUT_SEARCH } from './search.ts';
import {
  delayedChanges,
  indexLag,
  indexLastChanges,
  indexMending,
  nodeStates,
  nodeStatus,
  openAuditExports,
  openBackups,
  openCounts,
  openRequestMetrics,
  openStoreChecks,
  openTelemetry,
  openTestPowers,
  openTraces,
  purgeJob,
} from './server.ts';
import { openServing, pageOf, rateCounterOf } from './serving.ts';
import { CANNOT_SHARE, ServingThreads, type ServingThreadsParts } from './serving-threads.ts';
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
  /** Leave the index to the server that has it. */
  readonly isServed?: boolean;
  /** Threads that serve; 1 when left out, also if the settings have more. */
  readonly threads?: number;
  /** Starts a thread; replaced in tests. */
  readonly startThread?: ServingThreadsParts['startWorker'];
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
  /** The other threads that serve; they begin after the start. */
  readonly threads: Pick<ServingThreads, 'untilServing' | 'hung'>;
  /** Resolves if the service cannot go on: it must be stopped then. */
  readonly failed: Promise<Error>;
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
  const { isServed = false } = options;
  return openData(config, logOf(config, options), purpose, { isServed });
}

function logOf(config: Config, options: ComposeOptions): Logger {
  return options.log ?? makeLog(config.logLevel);
}

/** `close` closes what `closers` has, the last one first. */
type OpenedData = Offline & {
  readonly store: DamageWatch;
  onUntrue(document: StoredDocumentKey): void;
  readonly delay: DelayedChanges | null;
  readonly history: StoreHistory;
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
    isServed = false,
    writes,
  }: {
    traces?: Traces | null;
    clock?: Clock;
    newStore?: boolean;
    isServed?: boolean;
    writes?: ProcessWrites;
  } = {},
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
      await openStoreOf(config, newStore, { onMended: (what) => log.warn(what), writes }),
      secretsKeys,
    );
    closers.push(() => sealed.close());
    if (purpose === 'server') {
      secretsKeys?.check();
      await checkSecrets(sealed, config, log);
    }
    let mending: IndexMending | null = null;
    const { store, documents } = openRecords(config, sealed, {
      ...{ traces, clock },
      // Commands name what they come upon themselves.
      ...(purpose === 'server' ? damageLog(log) : { onDocument() {}, onTrail() {} }),
      onUnchanged: (tenantId, index, ids) => mending?.check(tenantId, index, ids),
    });
    const delay = purpose === 'server' ? delayedChanges(config, store) : null;
    const parts = {
      ...{ log, store, documents, delay, newStore, scheduler: new CooperativeScheduler() },
      history: new StoreHistory(store.read, log),
      onUntrue: (document: StoredDocumentKey) => mending?.onUntrue(document),
    };
    let search = WITHOUT_SEARCH;
    if (purpose !== 'store' && !isServed) {
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
export async function compose(settings: Config, options: ComposeOptions = {}): Promise<Cardea> {
  const { threads = 1 } = options;
  const log = logOf(settings, options);
  const isAlone = threads === 1 || !canShareListeners();
  if (isAlone && threads > 1) log.warn(CANNOT_SHARE);
  const config = withThreads(settings, isAlone ? 1 : threads);
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
  const writesMemory = ProcessWrites.memory(config.threads);
  const writes = new ProcessWrites(writesMemory, 0);
  const opened = await openData(config, log, 'server', { traces, clock, newStore, writes });
  try {
    const parts = { version, traces, testClock, certificate, writesMemory };
    const { startThread: startWorker } = options;
    return await composeServer(config, opened, { ...parts, startWorker });
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Connections to PostgreSQL that each thread has at least. */
const CONNECTIONS_LEAST = 2;

/** The settings for this number of threads, which divide the connections to PostgreSQL. */
function withThreads(config: Config, threads: number): Config {
  const { store } = config;
  if (store.kind === 'sqlite') return { ...config, threads };
  const poolSize = Math.max(CONNECTIONS_LEAST, Math.floor(store.poolSize / threads));
  return { ...config, threads, store: { ...store, poolSize } };
}

interface ServerParts {
  readonly version: string;
  /** null: they are not configured. */
  readonly traces: Traces | null;
  readonly startWorker: ServingThreadsParts['startWorker'];
  /** Memory of ProcessWrites. */
  readonly writesMemory: SharedArrayBuffer;
  /** null: there are no powers for tests. */
  readonly testClock: TestClock | null;
  /** null: plain HTTP. */
  readonly certificate: ServedCertificate | null;
}

async function composeServer(
  config: Config,
  opened: OpenedData,
  { version, traces, testClock, certificate, writesMemory, startWorker }: ServerParts,
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
  const kinds = new FieldKinds(store, { log });
  const exports = await openAuditExports(config, store, log);
  const backups = await openBackups(config, log, version);
  const storeChecks = await openStoreChecks(config, log, store);
  const disk = () => diskSpace(config.dataDir);
  const storeFaults = () => storeChecks?.last?.faults ?? [];
  const wrongRows = () => storeChecks?.last?.wrong ?? [];
  const countsData = createProcessCounts(config.threads, config);
  const peersName = `cardea ${randomUUID()}`;
  const peers = config.threads === 1 ? null : new ChannelPeers(peersName);
  opened.closers.push(() => peers?.close());
  const processCounts = new ProcessCounts(countsData, 0, peers ?? NO_PEERS);
  const rates = rateCounterOf(config, { counts, processCounts });
  const testPowers = openTestPowers(config, served, testClock, rates);
  const background: { readonly warning: string | null }[] = [
    ...exports,
    purge,
    opened.history,
    ...(backups === null ? [] : [backups]),
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
    backups,
    history: opened.history,
  });
  const activity = new TenantActivity();
  const threadMeter = new ThreadMeter(1);
  const signInCodes = new SignInCodes();
  let fail = (_error: Error): void => {};
  const failed = new Promise<Error>((resolve) => {
    fail = resolve;
  });
  const embedded = backend instanceof EmbeddedBackend ? backend : null;
  const threads = new ServingThreads({
    ...{ config, version, log, writes: writesMemory, startWorker },
    counts: { data: countsData, peers: peersName },
    forgetThread: (thread) => processCounts.forgetThread(thread),
    methods: {
      discardDamaged: async (segment, message, tenantId) =>
        embedded?.discardDamaged({ segment, message }, tenantId),
      untrue: (document) => opened.onUntrue(document),
      unchanged: (tenantId, index, ids) => opened.mending?.check(tenantId, index, ids),
      damagedDocument: (document) => store.add([document]),
      damagedTrail: (tenantId) => store.addTrail(tenantId),
      unreadyReasons: () => status.unreadyReasons(),
      warnings: () => status.warnings(),
      waitUntilSearchable: (sequence, timeoutMs) => indexer.waitFor(sequence, timeoutMs),
      nodeStatus: (tenantId) => node.of(tenantId),
      metrics: async () => (await telemetry?.metrics.render()) ?? '',
      offersSignInCodes: () => signInCodes.isOffered(),
      redeemSignInCode: (code) => signInCodes.redeem(code),
    },
    addReader: embedded === null ? null : (post) => embedded.addReader(post),
    onFailed: fail,
  });
  background.push(threads);
  const reports = async (): Promise<readonly ThreadReport[]> => [
    await serving.report(),
    ...(await threads.reports()),
  ];
  const measured = { ...served, counts, version, lag, states, purge, reports, threads };
  const telemetry = await openTelemetry(config, measured);
  const node = nodeStatus(
    config,
    {
      ...{ ...served, watch: store, version, lag, isForTests: testPowers !== null },
      activity: {
        lastMinute: async (tenantId) =>
          sumOfActivity([activity.lastMinute(tenantId), ...(await threads.activity(tenantId))]),
      },
      reports,
    },
    backups,
  );
  const metricsPage = telemetry?.metrics ?? null;
  const serving = openServing(config, {
    ...{ log, store, documents, scheduler, clock, version, counts, processCounts, rates },
    ...{ traces, testPowers },
    ...{ signInCodes, status, node, activity, searches: backend },
    ...{ meter: await openRequestMetrics(config), threadMeter },
    caches: () => backend.figures?.().caches ?? [],
    metricsPage: pageOf(config, metricsPage),
  });
  const { services, app, signIns, http } = serving;
  const local = new LocalServing(config, {
    ...{ store, backend, indexer, http, search: services.search, fields: services.fields },
  });
  background.push(local);
  let url: string | null = null;
  const baseUrl = () => config.baseUrl ?? url;
  const reportJob = await openReports(config, {
    log,
    store,
    clock,
    baseUrl,
    search: services.search,
  });
  background.push(reportJob);
  const metricsAddress = config.metrics?.kind === 'own' ? config.metrics : null;
  const metricsServer =
    metricsAddress === null || metricsPage === null ? null : new MetricsServer(metricsPage);
  let endWatch = (): void => {};
  let started = false;
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
    threads,
    failed,
    async start() {
      started = true;
      indexer.start();
      lag.start();
      for (const exporter of exports) exporter.start();
      storeChecks?.start();
      purge.start();
      kinds.start();
      backups?.start();
      opened.mending?.start();
      if (certificate !== null) endWatch = certificate.follow(app.server);
      for (const notice of testPowers?.notices ?? []) log.warn(notice);
      const { host, port } = config;
      const listening = await listenAt({ host, port, flag: '--port' }, () =>
        app.listen({ port, host }),
      );
      // Fastify reports http, since serverFactory creates the TLS server.
      url = config.tls === null ? listening : listening.replace(/^http:/, 'https:');
      await local.start();
      reportJob.start();
      threadMeter.start();
      threads.start(app.server);
      const ownUrl =
        metricsAddress === null
          ? null
          : await listenAt({ ...metricsAddress, flag: '--metrics' }, async () =>
              metricsServer?.listen(metricsAddress),
            );
      return { url, metricsUrl: ownUrl ?? (config.metrics === null ? null : `${url}/metrics`) };
    },
    async stop() {
      endWatch();
      await Promise.all([local.stop(), app.close(), threads.stop()]);
      threadMeter.stop();
      // Together, as each of them may wait for a server that does not answer.
      await Promise.all([
        reportJob.stop(),
        purge.stop(),
        kinds.stop(),
        backups?.stop(),
        opened.mending?.stop(),
        storeChecks?.stop(),
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
