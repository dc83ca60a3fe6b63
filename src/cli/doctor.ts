// cardea doctor: is everything in order? Each check answers in one line; a fault makes the exit code 1.
// Invariant: it changes nothing, and makes no data directory where there is none.
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import type { Offline } from '../compose.ts';
import type { Config } from '../config.ts';
import { addSettings, newCommand, readSettings } from './command-line.ts';
import type { Context } from './context.ts';
import { credentialsPath, readCredentials } from './credentials.ts';
import { withData } from './data.ts';
import { grouped } from './terminal.ts';

interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'fault';
  readonly message: string;
}

export function doctorCommand(context: Context): Command {
  const command = newCommand('doctor', 'Check the data directory, the store and the search index');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const checks = await examine(config);
    const ok = checks.every(({ status }) => status !== 'fault');
    if (command.opts<{ json?: boolean }>().json === true) {
      context.terminal.printJson({ ok, checks });
    } else {
      for (const { name, status, message } of checks) {
        context.terminal.print(`${status.padEnd(8)}${name.padEnd(16)}${message}`);
      }
    }
    if (!ok) context.exitCode = 1;
  });
}

async function examine(config: Config): Promise<Check[]> {
  const directory = directoryCheck(config);
  const { store } = config;
  const missing = store.kind === 'sqlite' && !existsSync(store.path) ? store.path : null;
  if (directory.status === 'fault' || missing !== null) {
    const message = `${missing} is not there yet; cardea demo or cardea tenant create makes it`;
    return directory.status === 'fault'
      ? [directory]
      : [directory, { name: 'store', status: 'warning', message }];
  }
  const before =
    directory.status === 'ok'
      ? [directory, spaceCheck(config), credentialsCheck(config)]
      : [directory];
  try {
    return [...before, ...(await withData(config, dataChecks))];
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

/** A tenth of a gibibyte is soon written. */
const SPACE_LEAST = 100 * 1024 * 1024;

function spaceCheck({ dataDir }: Config): Check {
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const message = `${grouped(free / 1024 / 1024)} MiB free`;
  return { name: 'disk', status: free < SPACE_LEAST ? 'warning' : 'ok', message };
}

function credentialsCheck({ dataDir }: Config): Check {
  const name = 'credentials';
  const path = credentialsPath(dataDir);
  try {
    if (readCredentials(dataDir) === null) return { name, status: 'ok', message: 'none' };
    const open = (statSync(path).mode & 0o077) !== 0;
    return open
      ? { name, status: 'fault', message: `${path} can be read by others: chmod 600` }
      : { name, status: 'ok', message: path };
  } catch (error) {
    return { name, status: 'fault', message: (error as Error).message };
  }
}

async function dataChecks(data: Offline): Promise<Check[]> {
  return [
    await storeCheck(data),
    await tenantCheck(data),
    await keyCheck(data),
    {
      name: 'lock',
      status: 'ok',
      message: data.ownsIndex
        ? 'no server runs on this directory'
        : 'a server runs on this directory',
    },
    await indexCheck(data),
  ];
}

async function storeCheck({ store, checkStore }: Offline): Promise<Check> {
  await store.ping();
  const faults = await checkStore();
  const last = grouped(await store.read.lastSequence());
  if (faults === null) {
    return { name: 'store', status: 'ok', message: `PostgreSQL answers, last change ${last}` };
  }
  if (faults.length > 0) return { name: 'store', status: 'fault', message: faults.join('; ') };
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

async function keyCheck({ store }: Offline): Promise<Check> {
  const keys = await store.read.signingKeys();
  const active = keys.filter((key) => key.active).length;
  if (keys.length === 0) {
    return { name: 'keys', status: 'ok', message: 'none yet; the first token request makes one' };
  }
  return active === 1
    ? { name: 'keys', status: 'ok', message: `${keys.length}, one of them signs` }
    : {
        name: 'keys',
        status: 'fault',
        message: `${active} of ${keys.length} keys sign; it must be one`,
      };
}

/** Only who owns the index can look into it. */
async function indexCheck({ backend, store }: Offline): Promise<Check> {
  const name = 'search index';
  if (backend === null)
    return { name, status: 'ok', message: 'held by the server; see its /ready' };
  const reason = await backend.unreadyReason();
  if (reason !== null) return { name, status: 'warning', message: reason };
  const [done, last] = [await backend.committedSequence(), await store.read.lastSequence()];
  if (done > last) {
    return {
      name,
      status: 'fault',
      message: `at ${grouped(done)}, past the store's ${grouped(last)}: cardea reindex`,
    };
  }
  return done === last
    ? { name, status: 'ok', message: `as new as the store (${grouped(last)})` }
    : {
        name,
        status: 'warning',
        message: `${grouped(last - done)} changes behind; the next start catches up`,
      };
}
