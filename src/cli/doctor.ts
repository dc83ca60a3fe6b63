// cardea doctor: checks the installation, one line per check; a fault gives exit code 1. --repair
// fixes what can be fixed, in the order of dependencies.
// Invariant: without --repair nothing is changed: the store is not migrated, a damaged index is not
// discarded, and a missing directory is not created.
import { chmodSync, existsSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import type { Offline } from '../compose/compose.ts';
import type { Config } from '../config/config.ts';
import {
  directoryFault,
  networkFaults,
  readableDirectories,
  secretFileFault,
} from '../config/exposure.ts';
import { ServiceError } from '../errors.ts';
import { verifyAuditDatabase } from '../service/audit/audit-database.ts';
import { verifyTrails } from '../service/audit/audit-verification.ts';
import { recordOperatorChange } from '../service/audit/operator-event.ts';
import { rotateSigningKeys } from '../service/credentials/key-rotation.ts';
import { canSign } from '../service/credentials/signing-keys.ts';
import {
  compareIndex,
  type IndexComparison,
  readIndex,
} from '../service/searching/index-comparison.ts';
import { addSettings, newCommand, readSettings } from './common/command-line.ts';
import { type Context, StartFault } from './common/context.ts';
import { damageSummary, repairDocuments } from './common/damaged-documents.ts';
import { indexUpTo, withData, withInspection } from './common/data.ts';
import { checkDataDirectory } from './common/load-service.ts';
import { grouped, type Progress } from './common/terminal.ts';
import { credentialsPath, readCredentials } from './demo/credentials.ts';
import { sameData } from './help/suggestion.ts';

interface Check {
  readonly name: string;
  /** `mended`: a fault that has just been repaired. */
  readonly status: 'ok' | 'mended' | 'warning' | 'fault';
  readonly message: string;
}

/** Options of the checks: the settings, whether to repair, and where to show progress. */
interface CheckOptions {
  readonly config: Config;
  readonly repair: boolean;
  readonly context: Context;
}

export function doctorCommand(context: Context): Command {
  const command = newCommand('doctor', 'Check the data directory, the store and the search index');
  command.option(
    '--repair',
    'Repair what can be repaired; no server may be running for the search index',
  );
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { json, repair = false } = command.opts<{ json?: boolean; repair?: boolean }>();
    const checks = await runChecks({ config, repair, context });
    const ok = checks.every(({ status }) => status !== 'fault');
    if (json === true) {
      context.terminal.printJson({ ok, checks });
    } else {
      for (const { name, status, message } of checks) {
        context.terminal.print(`${status.padEnd(8)}${name.padEnd(16)}${message}`);
      }
    }
    if (!ok) context.exitCode = 1;
  });
}

async function runChecks(options: CheckOptions): Promise<Check[]> {
  const { config } = options;
  const directory = directoryCheck(config);
  const { store } = config;
  const { lostStore } = await import('../compose/store.ts');
  const lost = directory.status === 'fault' ? null : lostStore(config);
  const settings = [networkCheck(config), ...(await certificateCheck(config))];
  if (store.kind === 'sqlite' && lost === null && !existsSync(store.path)) {
    const create = `${sameData(config, 'cardea demo')} or ${sameData(config, 'cardea tenant create NAME')}`;
    const message = `${store.path} does not exist yet; ${create} creates it`;
    return [
      directory,
      ...(directory.status === 'ok' ? [permissionsCheck(config, options)] : []),
      ...settings,
      { name: 'store', status: 'warning', message },
    ];
  }
  const before =
    directory.status === 'ok'
      ? [
          directory,
          permissionsCheck(config, options),
          ...settings,
          await spaceCheck(config),
          credentialsCheck(config, options),
          ...secretsKeyCheck(config, options),
        ]
      : [directory, ...settings];
  if (lost !== null) return [...before, { name: 'store', status: 'fault', message: lost }];
  try {
    before.push(
      // The opening, which follows, names a store that cannot be reached.
      await schemaCheck(config).catch(
        (error: Error): Check => ({ name: 'schema', status: 'fault', message: error.message }),
      ),
    );
    const earlier = options.repair ? null : await earlierVersionCheck(config);
    if (earlier !== null) return [...before, earlier];
    const withOpened = options.repair ? withData : withInspection;
    return [
      ...before,
      ...(await withOpened(config, options.context, (data) => dataChecks(data, options, before))),
    ];
  } catch (error) {
    const fault = error instanceof StartFault ? error.cause : error;
    return [...before, { name: 'store', status: 'fault', message: (fault as Error).message }];
  }
}

/** @throws UsageError if it is there and cannot be used: then nothing can be checked */
function directoryCheck({ dataDir }: Config): Check {
  const name = 'data directory';
  if (!existsSync(dataDir))
    return { name, status: 'warning', message: `${dataDir} does not exist yet` };
  checkDataDirectory(dataDir);
  return { name, status: 'ok', message: dataDir };
}

function permissionsCheck({ dataDir }: Config, { repair }: CheckOptions): Check {
  const name = 'permissions';
  const readable = readableDirectories(dataDir);
  if (readable.length === 0) return { name, status: 'ok', message: 'only its owner can read it' };
  if (!repair) {
    return { name, status: 'fault', message: readable.map(directoryFault).join('; ') };
  }
  for (const path of readable) chmodSync(path, 0o700);
  return { name, status: 'mended', message: `${readable.join(', ')} could be read by others` };
}

/**
 * Compares the tables with the migrations. The store is not opened, as that, and other checks, may fail
 * without one of them.
 */
async function schemaCheck({ store }: Config): Promise<Check> {
  const name = 'schema';
  const { checkSchema } = await import('../compose/store.ts');
  const faults = await checkSchema(store);
  if (faults === null) {
    const message =
      'not compared with the migrations: grant the user of CARDEA_STORE_URL "create" on the database';
    return { name, status: 'warning', message };
  }
  if (faults.length > 0) return { name, status: 'fault', message: faults.join('; ') };
  return { name, status: 'ok', message: 'as the migrations make it' };
}

/** Checks a store that opening would migrate; null if none of its migrations is missing. */
async function earlierVersionCheck({ store }: Config): Promise<Check | null> {
  const { checkStore, missingMigrations } = await import('../compose/store.ts');
  const missing = await missingMigrations(store);
  if (missing.length === 0) return null;
  const name = 'store';
  const faults = (await checkStore(store)) ?? [];
  if (faults.length > 0) {
    return { name, status: 'fault', message: `${faults.join('; ')}: restore a backup` };
  }
  const steps = missing.length === 1 ? '1 migration is' : `${missing.length} migrations are`;
  const message = `of an earlier version, ${steps} missing: make a backup; the next start migrates it`;
  return { name, status: 'warning', message };
}

/** Checks the settings of this environment, which a server may share. */
function networkCheck(config: Config): Check {
  const name = 'network';
  const faults = networkFaults(config);
  if (faults.length > 0) return { name, status: 'fault', message: faults.join(' ') };
  return { name, status: 'ok', message: `a server listens on ${config.host}` };
}

/** Checks the certificate of a server with these settings; none without TLS. */
async function certificateCheck({ tls }: Config): Promise<Check[]> {
  if (tls === null) return [];
  const name = 'certificate';
  const { checkedPair, validityOf, validityWarning } = await import('../compose/compose.ts');
  const now = Date.now();
  try {
    const pair = checkedPair(tls);
    const message = validityWarning(pair, now);
    if (message !== null) {
      return [
        { name, status: validityOf(pair, now) === 'ends soon' ? 'warning' : 'fault', message },
      ];
    }
    const until = new Date(pair.validTo).toISOString();
    return [{ name, status: 'ok', message: `${tls.certFile}, valid until ${until}` }];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [{ name, status: 'fault', message: error.message }];
  }
}

async function spaceCheck({ dataDir }: Config): Promise<Check> {
  const { diskSpace, LOW_DISK_BYTES } = await import('../compose/compose.ts');
  const free = diskSpace(dataDir)?.free ?? Number.NaN;
  const message = `${grouped(free / 1024 / 1024)} MiB free`;
  return { name: 'disk', status: free >= LOW_DISK_BYTES ? 'ok' : 'warning', message };
}

function credentialsCheck({ dataDir }: Config, { repair }: CheckOptions): Check {
  const name = 'credentials';
  const path = credentialsPath(dataDir);
  try {
    if (readCredentials(dataDir) === null) return { name, status: 'ok', message: 'none' };
    const isOpen = (statSync(path).mode & 0o077) !== 0;
    if (isOpen && repair) {
      chmodSync(path, 0o600);
      return { name, status: 'mended', message: `${path} could be read by others` };
    }
    return isOpen
      ? { name, status: 'fault', message: `${path} can be read by others: chmod 600` }
      : { name, status: 'ok', message: path };
  } catch (error) {
    return { name, status: 'fault', message: (error as Error).message };
  }
}

/** Checks an existing key file. One that is mounted read-only is not changed. */
function secretsKeyCheck({ secretsKey }: Config, { repair }: CheckOptions): Check[] {
  const name = 'secrets key';
  if (secretsKey?.kind !== 'file' || !existsSync(secretsKey.path)) return [];
  const { path } = secretsKey;
  const fault = secretFileFault(path);
  if (fault === null) return [{ name, status: 'ok', message: path }];
  if (!repair) return [{ name, status: 'fault', message: fault }];
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    const message = `${fault}; ${(error as Error).message}`;
    return [{ name, status: 'fault', message }];
  }
  return [{ name, status: 'mended', message: `${path} could be read by others` }];
}

/** @param before results of the checks that ran before the store was opened */
async function dataChecks(
  data: Offline,
  options: CheckOptions,
  before: readonly Check[],
): Promise<Check[]> {
  const store = await storeCheck(data, options);
  // No other check is meaningful on a damaged store.
  if (store.status === 'fault') return [store];
  const checks = [
    store,
    // First, as what mends documents is recorded in the audit trails.
    await recordsCheck(data, options),
    await documentsCheck(data, options),
    await tenantCheck(data, options),
    await keyCheck(data, options),
    await auditDatabaseCheck(data, options),
  ];
  await recordRepairs(data, [...before, ...checks]);
  return [
    ...checks,
    await auditCheck(data, options),
    {
      name: 'lock',
      status: 'ok',
      message: data.ownsIndex
        ? 'no server runs on this directory'
        : 'a server runs on this directory',
    },
    await indexCheck(data, options),
  ];
}

/** Audits the repairs; before the check of the index, as that holds a copy of each event. */
async function recordRepairs({ store }: Offline, checks: readonly Check[]): Promise<void> {
  const mended = checks.filter(({ status }) => status === 'mended');
  if (mended.length === 0) return;
  await store.write((records) =>
    recordOperatorChange(records, Date.now(), {
      act: 'STORE_REPAIR',
      target: 'cardea doctor --repair',
      attributes: {
        mended: mended.map(({ name }) => name),
        faults: mended.map(({ name, message }) => `${name}: ${message}`),
      },
    }),
  );
}

/** Checks the bytes of every document; damaged ones are moved out of the way. */
async function documentsCheck(
  { store }: Offline,
  { repair, context, config: { dataDir } }: CheckOptions,
): Promise<Check> {
  const name = 'documents';
  const damage = await store.read.documentDamage();
  if (damage.count === 0) return { name, status: 'ok', message: 'all are as they were written' };
  const message = damageSummary(damage);
  if (!repair) {
    const help = 'import them again, restore a backup, or --repair moves them out of the store';
    return { name, status: 'fault', message: `${message}: ${help}` };
  }
  const { moved, rewritten, file, left } = await repairDocuments(store, dataDir, context.now());
  const events = rewritten > 0 ? `; ${grouped(rewritten)} written again from the audit trail` : '';
  if (left.count > 0) {
    return { name, status: 'fault', message: `${damageSummary(left)}: restore a backup` };
  }
  const outcome = `their bytes (${grouped(moved)}) are in ${file}${events}; import them again`;
  return { name, status: 'mended', message: `${message}: ${outcome}` };
}

async function recordsCheck({ store }: Offline, { repair }: CheckOptions): Promise<Check> {
  const name = 'records';
  const inconsistencies = await store.read.inconsistencies();
  if (inconsistencies.length === 0) return { name, status: 'ok', message: 'all are consistent' };
  const message = inconsistencies
    .map(({ kind, table, rows }) => `${grouped(rows)} ${kind} in ${table}`)
    .join(', ');
  if (!repair)
    return {
      name,
      status: 'fault',
      message: `${message}: --repair removes what is stray and counts anew`,
    };
  await store.write((records) => records.repairInconsistencies());
  return { name, status: 'mended', message };
}

async function storeCheck(
  { store, checkStore }: Offline,
  { config, repair }: CheckOptions,
): Promise<Check> {
  await store.ping();
  const faults = await checkStore();
  const last = grouped(await store.read.lastSequence());
  if (faults === null) {
    return { name: 'store', status: 'ok', message: `PostgreSQL answers, last change ${last}` };
  }
  if (faults.length > 0) {
    const found = faults.join('; ');
    const { areOfIndexes, rebuildStoreIndexes } = await import('../compose/store.ts');
    if (!areOfIndexes(faults)) {
      return { name: 'store', status: 'fault', message: `${found}: restore a backup` };
    }
    if (!repair) {
      const message = `${found}: --repair rebuilds the indexes, or restore a backup`;
      return { name: 'store', status: 'fault', message };
    }
    const left = await rebuildStoreIndexes(config.store);
    if (left.length === 0) return { name: 'store', status: 'mended', message: found };
    const message = `${left.join('; ')}: restore a backup`;
    return { name: 'store', status: 'fault', message };
  }
  return {
    name: 'store',
    status: 'ok',
    message: `sound, last change ${last}`,
  };
}

async function tenantCheck({ store }: Offline, { config }: CheckOptions): Promise<Check> {
  const tenants = await store.read.tenants();
  const summaries = await Promise.all(
    tenants.map(async ({ id, name }) => {
      const counts = Object.values(await store.read.documentCounts(id));
      return `${name} (${grouped(counts.reduce((sum, count) => sum + count, 0))} documents)`;
    }),
  );
  return tenants.length === 0
    ? {
        name: 'tenants',
        status: 'warning',
        message: `none; create one with ${sameData(config, 'cardea tenant create NAME')}`,
      }
    : { name: 'tenants', status: 'ok', message: summaries.join(', ') };
}

async function keyCheck({ store }: Offline, { repair }: CheckOptions): Promise<Check> {
  const name = 'keys';
  const keys = await store.read.signingKeys();
  const active = keys.filter((key) => key.active).length;
  if (keys.length === 0) {
    return { name, status: 'ok', message: 'none yet; the first token request creates one' };
  }
  const signing = keys.find((key) => key.active);
  const isSealed = signing !== undefined && !canSign(signing);
  if (active === 1 && !isSealed) {
    return { name, status: 'ok', message: `${keys.length}, one of them signs` };
  }
  const message = isSealed
    ? 'the one that signs is sealed with a secrets key that is missing here: CARDEA_SECRETS_KEY_FILE'
    : `${active} of ${keys.length} keys sign; it must be one`;
  if (!repair) return { name, status: 'fault', message };
  await rotateSigningKeys(store, 'kept');
  return { name, status: 'mended', message };
}

/** Checks the protection of all trails. Triggers can be restored; a missing tenant cannot. */
async function auditDatabaseCheck({ store }: Offline, { repair }: CheckOptions): Promise<Check> {
  const name = 'audit database';
  const faults = await verifyAuditDatabase(store.read);
  if (faults.length === 0) return { name, status: 'ok', message: 'refuses changes of events' };
  if (repair) {
    await store.write((records) => records.restoreAuditProtection());
    if ((await verifyAuditDatabase(store.read)).length === 0) {
      return { name, status: 'mended', message: faults.join('; ') };
    }
  }
  return { name, status: 'fault', message: faults.join('; ') };
}

/** Verifies the hash chain of each tenant; a broken chain cannot be repaired. */
async function auditCheck({ store }: Offline, { context, config }: CheckOptions): Promise<Check> {
  const name = 'audit trail';
  const { events, faults } = await verifyTrails(store.read, () => context.stop.check());
  if (faults.length === 0) {
    return { name, status: 'ok', message: `${grouped(events)} events, all unchanged` };
  }
  const command = sameData(config, 'cardea audit verify');
  const found = faults.map(({ message }) => message).join('; ');
  return { name, status: 'fault', message: `${found}: see ${command}` };
}

function remedyOf({ config }: CheckOptions): string {
  return `--repair or ${sameData(config, 'cardea reindex')} rebuilds it`;
}

/** Checks the index, if this process has locked it. */
async function indexCheck(data: Offline, options: CheckOptions): Promise<Check> {
  const name = 'search index';
  const { backend, ownsIndex } = data;
  if (backend === null && ownsIndex) {
    return { name, status: 'warning', message: 'there is none yet; the next start builds it' };
  }
  if (backend === null)
    return { name, status: 'ok', message: 'held by the server; see its /ready' };
  try {
    return await contentCheck(data, options);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const message = (error.details.causes ?? [error.message]).join('; ');
    if (options.repair) return feed(data, options, 'continued', message);
    return {
      name,
      status: 'fault',
      message: `${message.replace(/\.$/, '')}: ${remedyOf(options)}`,
    };
  }
}

/**
 * Reads the whole index, and compares it with the store if it is up to date.
 * @throws ServiceError `unavailable` for a damaged index
 */
async function contentCheck(data: Offline, options: CheckOptions): Promise<Check> {
  const name = 'search index';
  const { backend, store } = data;
  if (backend === null) throw new Error('the index is locked by another process');
  const reason = await backend.unreadyReason();
  const [done, last] = [await backend.committedSequence(), await store.read.lastSequence()];
  if (done > last) {
    const message = `at ${grouped(done)}, past the store's ${grouped(last)}`;
    if (options.repair) return feed(data, options, 'from scratch', message);
    return { name, status: 'fault', message: `${message}: ${remedyOf(options)}` };
  }
  await backend.verify?.();
  if (reason !== null || done < last) {
    // Part of an index that is being rebuilt cannot be read.
    if (reason === null) await withProgressBar(options, (step) => readIndex(store, backend, step));
    const message =
      reason === null
        ? `${grouped(last - done)} changes behind`
        : `incomplete, built up to change ${grouped(done)} of ${grouped(last)}`;
    if (options.repair) return feed(data, options, 'continued', message);
    return { name, status: 'warning', message: `${message}; the next start catches up` };
  }
  const { documents, differences } = await withProgressBar(options, (step) =>
    compareIndex(store, backend, step),
  );
  return comparedCheck({ documents, differences }, last, data, options);
}

function comparedCheck(
  { documents, differences }: IndexComparison,
  last: number,
  data: Offline,
  options: CheckOptions,
): Promise<Check> | Check {
  const name = 'search index';
  if (differences.length === 0) {
    const message = `up to date with the store (${grouped(last)}), ${grouped(documents)} documents equal`;
    return { name, status: 'ok', message };
  }
  const summaries = differences.map(
    ({ tenant, index, missing, surplus, different }) =>
      `${index} of ${tenant}: ${grouped(missing)} missing, ${grouped(surplus)} too many, ${grouped(different)} different`,
  );
  if (options.repair) return feed(data, options, 'from scratch', summaries.join('; '));
  return { name, status: 'fault', message: `${summaries.join('; ')}: ${remedyOf(options)}` };
}

/** Runs `work` with a progress bar; a stop signal ends it. */
async function withProgressBar<T>(
  { context }: CheckOptions,
  work: (step: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const bars: Progress[] = [];
  try {
    return await work((done, total) => {
      context.stop.check();
      if (bars.length === 0) bars.push(context.terminal.progress('Comparing', total, 'documents'));
      bars[0]?.update(done);
    });
  } finally {
    bars[0]?.end();
  }
}

/** Feeds the index up to the last change, and compares it again. */
async function feed(
  { backend, indexer, store }: Offline,
  { context }: CheckOptions,
  how: 'from scratch' | 'continued',
  message: string,
): Promise<Check> {
  const name = 'search index';
  if (backend === null || indexer === null)
    throw new Error('the index is locked by another process');
  if (how === 'from scratch') await backend.clear();
  // A backend that has lost its state fails one call before it accepts changes again.
  await backend.refresh().catch(() => {});
  const from = await backend.committedSequence();
  const sequence = await store.read.lastSequence();
  await indexUpTo(indexer, { from, sequence }, context.terminal, context.stop);
  await indexer.stop();
  const { differences } = await compareIndex(store, backend, () => {});
  return differences.length === 0
    ? { name, status: 'mended', message }
    : { name, status: 'fault', message: `${message}; it was fed again and still differs` };
}
