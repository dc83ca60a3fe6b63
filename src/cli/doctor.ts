// cardea doctor: is everything in order? Each check answers in one line; a fault makes the exit code 1. With --repair what
// can be mended is mended first, in the order in which one thing rests on the other.
// Invariant: without --repair it changes nothing, and it never makes a data directory where there is none.
import { accessSync, chmodSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import type { Offline } from '../compose.ts';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { directoryFault, networkFaults, secretFileFault } from '../exposure.ts';
import { verifyAuditDatabase } from '../identity/audit/audit-database.ts';
import { verifyAudit } from '../identity/audit/audit-verification.ts';
import { recordOperatorChange } from '../identity/audit/operator-event.ts';
import { rotateSigningKeys } from '../identity/credentials/key-rotation.ts';
import { canSign } from '../identity/credentials/signing-keys.ts';
import { compareIndex, type IndexComparison } from '../identity/documents/index-comparison.ts';
import { addSettings, newCommand, readSettings } from './command-line.ts';
import type { Context } from './context.ts';
import { indexUpTo, withData } from './data.ts';
import { credentialsPath, readCredentials } from './demo/credentials.ts';
import { grouped, type Progress } from './terminal.ts';

interface Check {
  readonly name: string;
  /** `mended` is what was a fault until now. */
  readonly status: 'ok' | 'mended' | 'warning' | 'fault';
  readonly message: string;
}

/** How it looks at things: whether it mends them, and where it shows that it takes long. */
interface Look {
  readonly repair: boolean;
  readonly context: Context;
}

export function doctorCommand(context: Context): Command {
  const command = newCommand('doctor', 'Check the data directory, the store and the search index');
  command.option('--repair', 'Mend what can be mended; for the search index no server may run');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { json, repair = false } = command.opts<{ json?: boolean; repair?: boolean }>();
    const checks = await examine(config, { repair, context });
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

async function examine(config: Config, look: Look): Promise<Check[]> {
  const directory = directoryCheck(config);
  const { store } = config;
  const missing = store.kind === 'sqlite' && !existsSync(store.path) ? store.path : null;
  if (directory.status === 'fault' || missing !== null) {
    const message = `${missing} is not there yet; cardea demo or cardea tenant create makes it`;
    return directory.status === 'fault'
      ? [directory]
      : [
          directory,
          ...(directory.status === 'ok' ? [permissionsCheck(config, look)] : []),
          networkCheck(config),
          { name: 'store', status: 'warning', message },
        ];
  }
  const before =
    directory.status === 'ok'
      ? [
          directory,
          permissionsCheck(config, look),
          networkCheck(config),
          spaceCheck(config),
          credentialsCheck(config, look),
          ...secretsKeyCheck(config, look),
        ]
      : [directory, networkCheck(config)];
  try {
    return [...before, ...(await withData(config, (data) => dataChecks(data, look, before)))];
  } catch (error) {
    return [...before, { name: 'store', status: 'fault', message: (error as Error).message }];
  }
}

function directoryCheck({ dataDir }: Config): Check {
  const name = 'data directory';
  if (!existsSync(dataDir))
    return { name, status: 'warning', message: `${dataDir} is not there yet` };
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return { name, status: 'ok', message: dataDir };
  } catch (error) {
    return { name, status: 'fault', message: (error as Error).message };
  }
}

function permissionsCheck({ dataDir }: Config, { repair }: Look): Check {
  const name = 'permissions';
  const fault = directoryFault(dataDir);
  if (fault === null) return { name, status: 'ok', message: 'only its owner can read it' };
  if (!repair) return { name, status: 'fault', message: fault };
  chmodSync(dataDir, 0o700);
  return { name, status: 'mended', message: `${dataDir} could be read by others` };
}

/** By the settings that the environment holds, which are those of a server where it runs with the same. */
function networkCheck(config: Config): Check {
  const name = 'network';
  const faults = networkFaults(config);
  if (faults.length > 0) return { name, status: 'fault', message: faults.join(' ') };
  return { name, status: 'ok', message: `a server listens on ${config.host}` };
}

/** A tenth of a gibibyte is soon written. */
const SPACE_LEAST = 100 * 1024 * 1024;

function spaceCheck({ dataDir }: Config): Check {
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const message = `${grouped(free / 1024 / 1024)} MiB free`;
  return { name: 'disk', status: free < SPACE_LEAST ? 'warning' : 'ok', message };
}

function credentialsCheck({ dataDir }: Config, { repair }: Look): Check {
  const name = 'credentials';
  const path = credentialsPath(dataDir);
  try {
    if (readCredentials(dataDir) === null) return { name, status: 'ok', message: 'none' };
    const open = (statSync(path).mode & 0o077) !== 0;
    if (open && repair) {
      chmodSync(path, 0o600);
      return { name, status: 'mended', message: `${path} could be read by others` };
    }
    return open
      ? { name, status: 'fault', message: `${path} can be read by others: chmod 600` }
      : { name, status: 'ok', message: path };
  } catch (error) {
    return { name, status: 'fault', message: (error as Error).message };
  }
}

/** Of a key file that is there. One that is mounted read-only stays as it is. */
function secretsKeyCheck({ secretsKey }: Config, { repair }: Look): Check[] {
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

/** @param before the checks that were made before the store was opened */
async function dataChecks(data: Offline, look: Look, before: readonly Check[]): Promise<Check[]> {
  const store = await storeCheck(data);
  // On a store that is damaged nothing can rest.
  if (store.status === 'fault') return [store];
  const checks = [
    store,
    await recordsCheck(data, look),
    await tenantCheck(data),
    await keyCheck(data, look),
    await auditDatabaseCheck(data, look),
  ];
  await recordRepairs(data, [...before, ...checks]);
  return [
    ...checks,
    await auditCheck(data, look),
    {
      name: 'lock',
      status: 'ok',
      message: data.ownsIndex
        ? 'no server runs on this directory'
        : 'a server runs on this directory',
    },
    await indexCheck(data, look),
  ];
}

/** Before the index is looked at, which holds a copy of each event. That it was fed again changes no data. */
async function recordRepairs({ store }: Offline, checks: readonly Check[]): Promise<void> {
  const mended = checks.filter(({ status }) => status === 'mended');
  if (mended.length === 0) return;
  await store.write((records) =>
    recordOperatorChange(records, {
      created: new Date().toISOString(),
      object: 'STORE',
      operation: 'REPAIR',
      action: 'RepairStore',
      target: 'cardea doctor --repair',
      attributes: {
        mended: mended.map(({ name }) => name),
        faults: mended.map(({ name, message }) => `${name}: ${message}`),
      },
    }),
  );
}

async function recordsCheck({ store }: Offline, { repair }: Look): Promise<Check> {
  const name = 'records';
  const found = await store.read.inconsistencies();
  if (found.length === 0) return { name, status: 'ok', message: 'all belong to something' };
  const told = found.map(({ kind, table, rows }) => `${grouped(rows)} ${kind} in ${table}`);
  if (!repair) return { name, status: 'fault', message: `${told.join(', ')}: --repair mends it` };
  await store.write((records) => records.repairInconsistencies());
  return { name, status: 'mended', message: told.join(', ') };
}

async function storeCheck({ store, checkStore }: Offline): Promise<Check> {
  await store.ping();
  const faults = await checkStore();
  const last = grouped(await store.read.lastSequence());
  if (faults === null) {
    return { name: 'store', status: 'ok', message: `PostgreSQL answers, last change ${last}` };
  }
  if (faults.length > 0) {
    const message = `${faults.join('; ')}: restore a backup`;
    return { name: 'store', status: 'fault', message };
  }
  return {
    name: 'store',
    status: 'ok',
    message: `sound, last change ${last}`,
  };
}

async function tenantCheck({ store }: Offline): Promise<Check> {
  const tenants = await store.read.tenants();
  const counted = await Promise.all(
    tenants.map(async ({ id, name }) => {
      const counts = Object.values(await store.read.documentCounts(id));
      return `${name} (${grouped(counts.reduce((sum, count) => sum + count, 0))} documents)`;
    }),
  );
  return tenants.length === 0
    ? { name: 'tenants', status: 'warning', message: 'none; cardea tenant create NAME makes one' }
    : { name: 'tenants', status: 'ok', message: counted.join(', ') };
}

async function keyCheck({ store }: Offline, { repair }: Look): Promise<Check> {
  const name = 'keys';
  const keys = await store.read.signingKeys();
  const active = keys.filter((key) => key.active).length;
  if (keys.length === 0) {
    return { name, status: 'ok', message: 'none yet; the first token request makes one' };
  }
  const signing = keys.find((key) => key.active);
  const isSealed = signing !== undefined && !canSign(signing);
  if (active === 1 && !isSealed) {
    return { name, status: 'ok', message: `${keys.length}, one of them signs` };
  }
  const message = isSealed
    ? 'the one that signs is sealed with a secrets key that is not here: CARDEA_SECRETS_KEY_FILE'
    : `${active} of ${keys.length} keys sign; it must be one`;
  if (!repair) return { name, status: 'fault', message };
  await rotateSigningKeys(store, 'kept');
  return { name, status: 'mended', message };
}

/** What all trails rest on. Triggers can be put back; a tenant that is gone cannot. */
async function auditDatabaseCheck({ store }: Offline, { repair }: Look): Promise<Check> {
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

/** Verifies the hash chain of each tenant; a chain that is broken cannot be repaired. */
async function auditCheck({ store }: Offline, { context }: Look): Promise<Check> {
  const name = 'audit trail';
  const faults: string[] = [];
  let events = 0;
  for (const tenant of await store.read.tenants()) {
    const found = await verifyAudit(store.read, tenant.id, [], () => context.stop.check());
    events += found.events;
    const [first] = found.faults;
    if (first === undefined) continue;
    const more = found.faultCount > 1 ? ` and ${grouped(found.faultCount - 1)} more` : '';
    faults.push(`${tenant.name}: ${first.message}${more}`);
  }
  if (faults.length === 0) {
    return { name, status: 'ok', message: `${grouped(events)} events, all as they were recorded` };
  }
  return { name, status: 'fault', message: `${faults.join('; ')}: see cardea audit verify` };
}

/** Only who owns the index can look into it. */
async function indexCheck(data: Offline, look: Look): Promise<Check> {
  const name = 'search index';
  const { backend, store } = data;
  if (backend === null)
    return { name, status: 'ok', message: 'held by the server; see its /ready' };
  const reason = await backend.unreadyReason();
  const [done, last] = [await backend.committedSequence(), await store.read.lastSequence()];
  if (done > last) {
    const message = `at ${grouped(done)}, past the store's ${grouped(last)}`;
    if (look.repair) return feed(data, look, 'anew', message);
    return { name, status: 'fault', message: `${message}: --repair or cardea reindex` };
  }
  if (reason !== null || done < last) {
    const message = reason ?? `${grouped(last - done)} changes behind`;
    if (look.repair) return feed(data, look, 'on', message);
    return { name, status: 'warning', message: `${message}; the next start catches up` };
  }
  return contentCheck(data, look, last);
}

/** Of an index that has been fed to the end. */
async function contentCheck(data: Offline, look: Look, last: number): Promise<Check> {
  const name = 'search index';
  let compared: IndexComparison;
  try {
    compared = await comparison(data, look);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const message = `${error.message}: ${error.details.causes?.join('; ') ?? 'damaged'}`;
    if (look.repair) return feed(data, look, 'on', message);
    return { name, status: 'fault', message: `${message}; the next start builds it again` };
  }
  const { documents, differences } = compared;
  if (differences.length === 0) {
    const message = `as new as the store (${grouped(last)}), ${grouped(documents)} documents equal`;
    return { name, status: 'ok', message };
  }
  const told = differences.map(
    ({ tenant, index, missing, surplus, different }) =>
      `${index} of ${tenant}: ${grouped(missing)} missing, ${grouped(surplus)} too many, ${grouped(different)} different`,
  );
  if (look.repair) return feed(data, look, 'anew', told.join('; '));
  return { name, status: 'fault', message: `${told.join('; ')}: --repair or cardea reindex` };
}

async function comparison(
  { store, backend }: Offline,
  { context }: Look,
): Promise<IndexComparison> {
  if (backend === null) throw new Error('only who owns the index compares it');
  const bars: Progress[] = [];
  try {
    await backend.verify?.();
    return await compareIndex(store, backend, (done, total) => {
      context.stop.check();
      if (bars.length === 0) bars.push(context.terminal.progress('Comparing', total, 'documents'));
      bars[0]?.update(done);
    });
  } finally {
    bars[0]?.end();
  }
}

/** Feeds the index to the end, and looks whether it is right now. */
async function feed(
  { backend, indexer, store }: Offline,
  { context }: Look,
  how: 'anew' | 'on',
  message: string,
): Promise<Check> {
  const name = 'search index';
  if (backend === null || indexer === null) throw new Error('only who owns the index feeds it');
  if (how === 'anew') await backend.clear();
  // A backend that has lost its state tells its feeder so once, before it takes anything again.
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
