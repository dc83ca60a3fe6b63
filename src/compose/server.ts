// Opens the optional parts of a server (shared counters, metrics, traces, audit exports), each
// loaded only if configured, and derives the HTTP options from the settings. Part of compose.ts,
// which alone imports it.
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { systemClock } from '../auth/clock.ts';
import { Guesses, guessRules, localGuesses } from '../auth/guesses.ts';
import { outboundPost } from '../auth/outbound.ts';
import { LocalCounter, type WindowCounter, type WindowRules } from '../auth/window-counter.ts';
import { DelayedChanges } from '../backends/delayed-changes.ts';
import type { Feeding } from '../backends/indexer.ts';
import type { SharedCounts } from '../backends/redis/shared-counts.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { exposure } from '../config/exposure.ts';
import { fileFault } from '../config/file-fault.ts';
import { REQUESTS } from '../config/settings/requests.ts';
import { valuesOf } from '../config/settings/setting.ts';
import { ADDRESSES_MAX } from '../http/admission/address-limit.ts';
import { clientKeyPrefix } from '../http/admission/admission.ts';
import { type RateLimitSettings, rateRules } from '../http/admission/rate-limit.ts';
import type { HttpSettings } from '../http/options.ts';
import type { AuditExporter } from '../jobs/audit-export/audit-exporter.ts';
import type { ExportTarget } from '../jobs/audit-export/export-target.ts';
import { IndexMending, type MendingParts } from '../jobs/mending/index-mending.ts';
import type { RecordChecks } from '../jobs/record-checks.ts';
import { PurgeJob, type PurgeParts } from '../jobs/retention/purge-job.ts';
import type { SignInCodes } from '../service/credentials/sign-in-codes.ts';
import type { SignIns } from '../service/credentials/sign-ins.ts';
import type { DamageWatch } from '../service/documents/damage-watch.ts';
import type { RecordFaults } from '../service/documents/record-faults.ts';
import type { SearchBackend } from '../service/ports/search-backend.ts';
import type { Store } from '../service/ports/store.ts';
import type { TenantActivity } from '../service/searching/tenant-activity.ts';
import { lastBackupTime } from '../store/sqlite/last-backup.ts';
import { StoreChecks } from '../store/sqlite/store-checks.ts';
import type { DiskSpace } from '../telemetry/disk-space.ts';
import { IndexLag } from '../telemetry/index-lag.ts';
import { NodeStatus } from '../telemetry/node-status.ts';
import type { NodeCondition } from '../telemetry/scrape.ts';
import type { Measured, Telemetry } from '../telemetry/telemetry.ts';
import type { Traces } from '../telemetry/traces.ts';
import { NO_FAULTS } from '../testing/powers/fault-rules.ts';
import type { TestClock } from '../testing/powers/test-clock.ts';
import { TestPowers } from '../testing/powers/test-powers.ts';
import { seededRandom } from '../testing/seeded-random.ts';

/** The parts of a server in addition to its data; null: not configured. */
export interface ServerExtras {
  readonly telemetry: Telemetry | null;
  readonly traces: Traces | null;
  readonly counts: SharedCounts | null;
  readonly signIns: SignIns;
  readonly signInCodes: SignInCodes;
  readonly activity: TenantActivity;
  readonly node: NodeStatus;
  readonly testPowers: TestPowers | null;
  /** Counts the requests of each client; null: there is no limit. */
  readonly rates: WindowCounter | null;
}

/** Connects to Redis; loads the client only if one is configured. */
export async function openCounts({ redisUrl }: Config, log: Logger): Promise<SharedCounts | null> {
  if (redisUrl === null) return null;
  const { SharedCounts: Counts } = await import('../backends/redis/shared-counts.ts');
  const counts = new Counts(redisUrl, log);
  await counts.open();
  return counts;
}

/** Opens the tracing; loads it only if a collector is configured. */
export async function openTraces(
  { otlpUrl: url }: Config,
  log: Logger,
  version: string,
): Promise<Traces | null> {
  if (url === null) return null;
  const { Traces: Open } = await import('../telemetry/traces.ts');
  return new Open({ url, version, log });
}

/** Timeout of a delivery to a collector; less than the lease of the exporter. */
const DELIVERY_MS = 15_000;

/**
 * Creates the configured exports of the audit trail, not yet started.
 * @throws ConfigError if the file cannot be written
 */
export async function openAuditExports(
  config: Config,
  store: Store,
  log: Logger,
): Promise<readonly AuditExporter[]> {
  const { auditFile, auditUrl, auditAuthorization } = config;
  if (auditFile === null && auditUrl === null) return [];
  const { AuditExporter: Exporter } = await import('../jobs/audit-export/audit-exporter.ts');
  const options = { owner: randomUUID(), log, clock: systemClock };
  const targets: ExportTarget[] = [];
  if (auditFile !== null) {
    const { FileTarget } = await import('../jobs/audit-export/file-target.ts');
    const rotation = { maxBytes: config.auditFileSize, files: config.auditFiles };
    const target = new FileTarget(auditFile, rotation);
    await target.check().catch((error: NodeJS.ErrnoException) => {
      // A full disk passes: the delivery is repeated, and /ready has a warning.
      if (error.code === 'ENOSPC') return;
      throw new ConfigError([
        `CARDEA_AUDIT_FILE ${auditFile} cannot be written: ${fileFault(error)}.`,
      ]);
    });
    targets.push(target);
  }
  if (auditUrl !== null) {
    const { HttpTarget } = await import('../jobs/audit-export/http-target.ts');
    const post = outboundPost({
      allowPrivateAddresses: config.allowPrivateUrls,
      timeoutMs: DELIVERY_MS,
    });
    targets.push(new HttpTarget(auditUrl, auditAuthorization, post));
  }
  return targets.map((target) => new Exporter(store, target, options));
}

/** Creates the background checks of an SQLite store, not yet started; null: there are none. */
export function openStoreChecks(
  { store, storeCheckSeconds }: Config,
  log: Logger,
  watch: Pick<DamageWatch, 'add' | 'checkedTrails'>,
): StoreChecks | null {
  if (store.kind !== 'sqlite' || storeCheckSeconds === 0) return null;
  return new StoreChecks({
    path: store.path,
    intervalMs: storeCheckSeconds * 1_000,
    clock: systemClock,
    onChecked({ faults, ...check }) {
      const isSound = noteFaults(check, log, watch);
      if (faults.length > 0) {
        log.error({ faults }, 'The store is damaged: see cardea doctor, or restore a backup');
      } else if (isSound) log.info('Every page, document and audit trail of the store is sound');
    },
    onFailed: (reason) => log.warn({ reason }, 'The store could not be checked'),
  });
}

/** Creates the checks of the records in PostgreSQL, not yet started; null: there are none. */
export async function openRecordChecks(
  { store: place, storeCheckSeconds }: Config,
  log: Logger,
  store: Store & Pick<DamageWatch, 'add' | 'checkedTrails'>,
): Promise<RecordChecks | null> {
  if (place.kind !== 'postgres' || storeCheckSeconds === 0) return null;
  const { PostgresLock } = await import('../store/postgres/postgres-lock.ts');
  const { RecordChecks } = await import('../jobs/record-checks.ts');
  return new RecordChecks({
    store,
    lock: new PostgresLock({ ...place, purpose: { checkOf: 'records' } }),
    intervalMs: storeCheckSeconds * 1_000,
    onChecked(check) {
      if (noteFaults(check, log, store)) {
        log.info('Every document, record and audit trail of the store is sound');
      }
    },
    onFailed: (reason) => log.warn({ reason }, 'The store could not be checked'),
  });
}

/** Names what a check of the records has found. @returns true if that is nothing */
function noteFaults(
  { damage, wrong, trails }: RecordFaults,
  log: Logger,
  watch: Pick<DamageWatch, 'add' | 'checkedTrails'>,
): boolean {
  watch.add(damage.documents);
  watch.checkedTrails(trails);
  if (damage.count > 0) {
    log.error({ documents: damage.count }, 'Records are damaged: see cardea doctor');
  }
  if (wrong.length > 0) {
    log.error({ wrong }, 'Rows derived from records are damaged: run cardea doctor --repair');
  }
  if (trails.length > 0) {
    const faults = trails.map(({ message }) => message);
    log.error({ faults }, 'The audit trail is damaged: see cardea audit verify');
  }
  return damage.count + wrong.length + trails.length === 0;
}

/** The states of a node for its metrics. */
export function nodeStates(
  { dataDir, store }: Config,
  {
    status,
    disk,
    checks,
    certificate,
    watch,
  }: {
    readonly status: { condition(): Promise<NodeCondition> };
    readonly disk: () => DiskSpace | null;
    readonly checks: StoreChecks | null;
    readonly certificate: { readonly expires: number } | null;
    readonly watch: Pick<DamageWatch, 'damaged'>;
  },
): Measured['states'] {
  return {
    damagedDocuments: async () => (await watch.damaged()).length,
    condition: () => status.condition(),
    disk,
    certificateExpires: () => certificate?.expires ?? null,
    lastBackup: () => (store.kind === 'sqlite' ? lastBackupTime(dataDir) : null),
    storeCheck() {
      if (checks === null) return null;
      const { checkedAt = 0, faults = [] } = checks.last ?? {};
      return { checkedAt, faults: faults.length };
    },
  };
}

/** Creates the purge of old rows, not yet started. */
export function purgeJob({ eventRetention }: Config, parts: PurgeParts, log: Logger): PurgeJob {
  return new PurgeJob(parts, { log, clock: systemClock, eventRetentionMs: eventRetention });
}

/** Creates the mending of the index, not yet started; null: no other program can change the index. */
export function indexMending(
  { searchComparisonSeconds: seconds }: Config,
  {
    store,
    backend,
    indexer,
    log,
  }: Pick<Measured, 'store'> & {
    readonly backend: SearchBackend | null;
    readonly indexer: MendingParts['indexer'] | null;
    readonly log: Logger;
  },
  isServer: boolean,
): IndexMending | null {
  const contents = backend?.contents;
  if (backend === null || contents === undefined || indexer === null) return null;
  const rebuilding = () => backend.rebuilding();
  const everyMs = isServer && seconds > 0 ? seconds * 1_000 : null;
  // A command has nothing else to do meanwhile.
  const pace = isServer ? {} : { rest: 0 };
  return new IndexMending(
    { store, contents, indexer, rebuilding },
    { log, clock: systemClock, everyMs, ...pace },
  );
}

/** Creates the measurement of the index lag, not yet started. */
export function indexLag({
  store,
  indexer,
}: Pick<Measured, 'store'> & { readonly indexer: Feeding }): IndexLag {
  return new IndexLag({
    lastSequence: () => store.read.lastSequence(),
    applied: () => indexer.status().applied,
  });
}

/** Time for the last changes to become searchable at a stop; the next start applies the others. */
const LAST_CHANGES_MS = 3_000;

/** Waits until this node has indexed all changes of the store, so that its last commit has them. */
export async function indexLastChanges({
  store,
  indexer,
  log,
}: Pick<Measured, 'store'> & {
  readonly indexer: Feeding & { readonly feeds?: boolean };
  readonly log: Logger;
}): Promise<void> {
  const { error } = indexer.status();
  if (indexer.feeds === false || error !== null) return;
  try {
    await indexer.waitFor(await store.read.lastSequence(), LAST_CHANGES_MS);
  } catch (fault) {
    log.info({ err: fault }, 'The next start applies the last changes to the search index');
  }
}

/** Creates the status of this node for administrators. */
export function nodeStatus(
  { store, searchUrl }: Config,
  parts: Omit<ConstructorParameters<typeof NodeStatus>[0], 'storeKind' | 'searchKind'>,
): NodeStatus {
  const searchKind = searchUrl === null ? 'embedded' : 'opensearch';
  return new NodeStatus({ ...parts, storeKind: store.kind, searchKind });
}

/** Opens the metrics; loads them only if enabled. */
export async function openTelemetry(config: Config, measured: Measured): Promise<Telemetry | null> {
  if (config.metrics === null) return null;
  const { Telemetry: Open } = await import('../telemetry/telemetry.ts');
  return new Open(measured);
}

/** Creates the counter of wrong secrets, shared by all nodes with Redis. */
export function guessesOf({ tokenAttempts }: Config, counts: SharedCounts | null): Guesses {
  const limits = {
    attempts: tokenAttempts?.count ?? Number.POSITIVE_INFINITY,
    windowMs: (tokenAttempts?.seconds ?? 0) * 1000,
  };
  const local = localGuesses(limits);
  const shared = tokenAttempts === null ? null : counts;
  return new Guesses(shared?.counter('guesses', guessRules(limits), local) ?? local, limits);
}

/** Makes changes appear to the indexer later; null: they appear as they are. */
export function delayedChanges({ testing }: Config, store: Store): DelayedChanges | null {
  const delay = testing?.indexDelay ?? null;
  if (delay === null) return null;
  const random = seededRandom(testing?.faults?.seed ?? NO_FAULTS.seed);
  return new DelayedChanges(store, { ...delay, random, now: () => performance.now() });
}

/** Time for a restored tenant to become searchable. */
const RESTORE_MS = 60_000;

/** Creates the powers for tests; null: they are off. */
export function openTestPowers(
  { testing }: Config,
  {
    store,
    indexer,
    delay,
  }: { readonly store: Store; readonly indexer: Feeding; readonly delay: DelayedChanges | null },
  clock: TestClock | null,
  rates: WindowCounter | null,
): TestPowers | null {
  if (testing === null || clock === null) return null;
  return new TestPowers({
    store,
    clock,
    faults: testing.faults ?? NO_FAULTS,
    showAll: async () => delay?.showAll(),
    untilSearchable: async () => indexer.waitFor(await store.read.lastSequence(), RESTORE_MS),
    forgetRates(tenantId) {
      if (rates instanceof LocalCounter) rates.forget(clientKeyPrefix(tenantId));
    },
  });
}

/** The limit on the requests of each client; null: there is none. */
function rateLimitOf({ rateLimit }: Config): RateLimitSettings | null {
  if (rateLimit === null) return null;
  return { requests: rateLimit.count, windowSeconds: rateLimit.seconds };
}

/** Creates the counter of the requests of each client, shared by all nodes with Redis. */
export function rateCounterOf(config: Config, counts: SharedCounts | null): WindowCounter | null {
  const rateLimit = rateLimitOf(config);
  if (rateLimit === null) return null;
  const rules = rateRules(rateLimit);
  const local = new LocalCounter(systemClock, rules);
  return counts?.counter('requests', rules, local) ?? local;
}

/** Connections to PostgreSQL that profile management leaves to other reads. */
const READS_LEFT = 2;

/** Creates the shared counter by address; null without a limit or Redis. */
function addressCounterOf(
  rules: WindowRules | null,
  counts: SharedCounts | null,
): WindowCounter | null {
  if (rules === null || counts === null) return null;
  return counts.counter('addresses', rules, new LocalCounter(systemClock, rules, ADDRESSES_MAX));
}

/** Below the connections of the store, so that some are left for all else that reads it. */
function maxProfileReads({ store, maxSearches }: Config): number {
  if (store.kind === 'sqlite') return maxSearches;
  return Math.max(1, Math.min(maxSearches, store.poolSize - READS_LEFT));
}

/** Derives the options of the HTTP layer. */
export function httpOptions(
  config: Config,
  log: Logger,
  { telemetry, traces, counts, rates, testPowers }: ServerExtras,
): Omit<HttpSettings, 'scheduler' | 'version'> {
  const { metrics } = config;
  const isExposed = exposure(config) !== null;
  const rateLimit = rateLimitOf(config);
  const rules = rateLimit === null ? null : rateRules(rateLimit);
  return {
    ...{ log, clock: systemClock, idleTimeoutMs: 60_000, keepAliveTimeoutMs: 72_000 },
    tls: config.tls,
    // Browsers apply it to all ports of a host name, which would break other programs on a laptop.
    strictTransport: config.tls !== null && isExposed,
    publicUrl: config.baseUrl,
    secretsInQuery: config.secretsInQuery === 'auto' ? !isExposed : config.secretsInQuery,
    rateLimit,
    rateCounter: rates,
    addressCounter: addressCounterOf(rules, counts),
    ...valuesOf(REQUESTS, config),
    trustedProxies: config.trustedProxies ?? [],
    maxProfileReads: maxProfileReads(config),
    collectionEnvelope: config.collectionEnvelope,
    corsOrigins: config.corsOrigins,
    documentation: config.documentation,
    console: config.console,
    mcp: config.mcp,
    meter: telemetry?.metrics ?? null,
    tracer: traces?.tracer ?? null,
    observer: testPowers,
    metricsPage: metrics?.kind === 'main' ? (telemetry?.metrics ?? null) : null,
  };
}
