// Opens the optional parts of a server (shared counters, metrics, traces, audit exports), each
// loaded only if configured. Part of compose.ts, which alone imports it.
import { randomUUID } from 'node:crypto';
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import type { Logger } from 'pino';
import { systemClock } from '../auth/clock.ts';
import { outboundPost } from '../auth/outbound.ts';
import { LocalCounter, type WindowCounter } from '../auth/window-counter.ts';
import { DelayedChanges } from '../backends/delayed-changes.ts';
import type { Feeding } from '../backends/indexer.ts';
import type { SharedCounts } from '../backends/redis/shared-counts.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { fileFault } from '../config/file-fault.ts';
import { clientKeyPrefix } from '../http/admission/admission.ts';
import type { AuditExporter } from '../jobs/audit-export/audit-exporter.ts';
import type { ExportTarget } from '../jobs/audit-export/export-target.ts';
import type { BackupJob } from '../jobs/backups/backup-job.ts';
import { IndexMending, type MendingParts } from '../jobs/mending/index-mending.ts';
import { PurgeJob, type PurgeParts } from '../jobs/retention/purge-job.ts';
import { checkRecords, StoreChecks, type StoreChecksOptions } from '../jobs/store-checks.ts';
import type { DamageWatch } from '../service/documents/damage-watch.ts';
import type { RecordFaults } from '../service/documents/record-faults.ts';
import type { SearchBackend } from '../service/ports/search-backend.ts';
import type { Store } from '../service/ports/store.ts';
import { checkFile } from '../store/sqlite/file-check.ts';
import { acquireIndexLock } from '../store/sqlite/index-lock.ts';
import { lastBackupTime, recordBackup } from '../store/sqlite/last-backup.ts';
import { backUpApart } from '../store/sqlite/scheduled-backup.ts';
import { type DiskSpace, diskSpace } from '../telemetry/disk-space.ts';
import { IndexLag } from '../telemetry/index-lag.ts';
import { NodeStatus } from '../telemetry/node-status.ts';
import type { RequestMetrics } from '../telemetry/request-metrics.ts';
import type { NodeCondition } from '../telemetry/scrape.ts';
import type { Measured, Telemetry } from '../telemetry/telemetry.ts';
import type { Traces } from '../telemetry/traces.ts';
import { NO_FAULTS } from '../testing/powers/fault-rules.ts';
import type { TestClock } from '../testing/powers/test-clock.ts';
import { TestPowers } from '../testing/powers/test-powers.ts';
import { seededRandom } from '../testing/seeded-random.ts';

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

/**
 * Creates the backups of an SQLite store, not yet started; null: none are configured.
 * @throws ConfigError if their directory cannot be used
 */
export async function openBackups(
  { store, backupDir: directory, backupEvery, backupKeep, dataDir }: Config,
  log: Logger,
  version: string,
): Promise<BackupJob | null> {
  if (directory === null || store.kind !== 'sqlite') return null;
  const { BackupJob: Job } = await import('../jobs/backups/backup-job.ts');
  const { path } = store;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    // A full disk passes: the backup is tried again, and /ready has a warning.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') {
      throw new ConfigError([
        `CARDEA_BACKUP_DIR ${directory} cannot be used: ${fileFault(error)}.`,
      ]);
    }
  }
  return new Job({
    ...{ directory, everyMs: backupEvery, keep: backupKeep, log, clock: systemClock },
    storeBytes: () => sizeOf(path) + sizeOf(`${path}-wal`),
    freeBytes: (place) => diskSpace(place)?.free ?? null,
    lock: (place) => acquireIndexLock(place),
    async make(place, now, signal) {
      const made = await backUpApart({ path, directory: place, version, now }, signal);
      if (made.damage.count > 0) {
        log.warn({ documents: made.damage.count }, 'The backup has damaged documents as they are');
      }
      recordBackup(dataDir, place, made);
    },
  });
}

/** Bytes of a file; 0 if there is none. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Creates the background checks of the store, not yet started; null: there are none. */
export async function openStoreChecks(
  { store: place, storeCheckSeconds }: Config,
  log: Logger,
  store: Store & Pick<DamageWatch, 'checked' | 'checkedTrails'>,
): Promise<StoreChecks | null> {
  if (storeCheckSeconds === 0) return null;
  let how: Pick<StoreChecksOptions, 'check' | 'lock'>;
  if (place.kind === 'sqlite') how = { check: (signal) => checkFile(place.path, signal) };
  else {
    const { PostgresLock } = await import('../store/postgres/postgres-lock.ts');
    const lock = new PostgresLock({ ...place, purpose: { checkOf: 'records' } });
    how = { check: (signal) => checkRecords(store, signal), lock };
  }
  const what = place.kind === 'sqlite' ? 'page, document' : 'document, record';
  return new StoreChecks({
    ...how,
    intervalMs: storeCheckSeconds * 1_000,
    clock: systemClock,
    onChecked({ faults, ...check }) {
      const isSound = noteFaults(check, log, store);
      if (faults.length > 0) {
        log.error({ faults }, 'The store is damaged: see cardea doctor, or restore a backup');
      } else if (isSound) log.info(`Every ${what} and audit trail of the store is sound`);
    },
    onFailed: (reason) => log.warn({ reason }, 'The store could not be checked'),
  });
}

/** Names what a check of the records has found. @returns true if that is nothing */
function noteFaults(
  { damage, wrong, trails }: RecordFaults,
  log: Logger,
  watch: Pick<DamageWatch, 'checked' | 'checkedTrails'>,
): boolean {
  watch.checked(damage);
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
    backups,
    history,
  }: {
    readonly history: { readonly restoredAt: number };
    readonly backups: BackupJob | null;
    readonly status: { condition(): Promise<NodeCondition> };
    readonly disk: () => DiskSpace | null;
    readonly checks: StoreChecks | null;
    readonly certificate: { readonly expires: number } | null;
    readonly watch: Pick<DamageWatch, 'damaged' | 'unnamed'>;
  },
): Measured['states'] {
  return {
    damagedDocuments: async () => (await watch.damaged()).length + (await watch.unnamed()),
    condition: () => status.condition(),
    storeRestored: () => history.restoredAt,
    disk,
    certificateExpires: () => certificate?.expires ?? null,
    lastBackup: () => (store.kind === 'sqlite' ? lastBackupTime(dataDir) : null),
    backupFailed: () => backups?.state.failedAt ?? null,
    storeCheck() {
      if (checks === null || store.kind !== 'sqlite') return null;
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
  { store, searchUrl, dataDir }: Config,
  parts: Omit<ConstructorParameters<typeof NodeStatus>[0], 'storeKind' | 'searchKind' | 'backup'>,
  backups: BackupJob | null,
): NodeStatus {
  const searchKind = searchUrl === null ? 'embedded' : 'opensearch';
  const backup = () =>
    store.kind !== 'sqlite'
      ? null
      : { last: lastBackupTime(dataDir), schedule: backups?.state ?? null };
  return new NodeStatus({ ...parts, storeKind: store.kind, searchKind, backup });
}

/** Opens the metrics of the requests of this thread; loads them only if enabled. */
export async function openRequestMetrics({ metrics }: Config): Promise<RequestMetrics | null> {
  if (metrics === null) return null;
  const { RequestMetrics: Open } = await import('../telemetry/request-metrics.ts');
  return new Open();
}

/** Opens the metrics; loads them only if enabled. */
export async function openTelemetry(config: Config, measured: Measured): Promise<Telemetry | null> {
  if (config.metrics === null) return null;
  const { Telemetry: Open } = await import('../telemetry/telemetry.ts');
  return new Open(measured);
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
