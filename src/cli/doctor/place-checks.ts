// The checks of the data directory, its files, and the settings, none of which opens the store.
import { chmodSync, existsSync, statSync } from 'node:fs';
import { availableCores } from '../../config/available-cores.ts';
import type { Config } from '../../config/config.ts';
import {
  directoryFault,
  networkFaults,
  readableDirectories,
  secretFileFault,
} from '../../config/exposure.ts';
import { ServiceError } from '../../errors.ts';
import { checkDataDirectory } from '../common/load-service.ts';
import { grouped } from '../common/terminal.ts';
import { credentialsPath, readCredentials } from '../demo/credentials.ts';
import { sameData } from '../help/suggestion.ts';
import type { Check, CheckOptions } from './check.ts';

/** @throws UsageError if it is there and cannot be used: then nothing can be checked */
export function directoryCheck({ dataDir }: Config): Check {
  const name = 'data directory';
  if (!existsSync(dataDir))
    return { name, status: 'warning', message: `${dataDir} does not exist yet` };
  checkDataDirectory(dataDir);
  return { name, status: 'ok', message: dataDir };
}

export function permissionsCheck({ dataDir }: Config, { repair }: CheckOptions): Check {
  const name = 'permissions';
  const readable = readableDirectories(dataDir);
  if (readable.length === 0) return { name, status: 'ok', message: 'only its owner can read it' };
  if (!repair) {
    return { name, status: 'fault', message: readable.map(directoryFault).join('; ') };
  }
  for (const path of readable) chmodSync(path, 0o700);
  return { name, status: 'mended', message: `${readable.join(', ')} could be read by others` };
}

/** Checks the settings of this environment, which a server may share. */
export function networkCheck(config: Config): Check {
  const name = 'network';
  const faults = networkFaults(config);
  if (faults.length > 0) return { name, status: 'fault', message: faults.join(' ') };
  return { name, status: 'ok', message: `a server listens on ${config.host}` };
}

/** Names cores that a server with these settings does not use. */
export function coresCheck({ threads }: Config, cores = availableCores()): Check {
  const name = 'cores';
  const answers = `a server answers in ${threads === 1 ? '1 thread' : `${threads} threads`}`;
  if (threads >= cores) return { name, status: 'ok', message: answers };
  const message = `${answers}, and may use ${cores} cores: CARDEA_THREADS sets the number of threads`;
  return { name, status: 'warning', message };
}

/** Checks the certificate of a server with these settings; none without TLS. */
export async function certificateCheck({ tls }: Config): Promise<Check[]> {
  if (tls === null) return [];
  const name = 'certificate';
  const { checkedPair, validityOf, validityWarning } = await import('../../compose/compose.ts');
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

export async function spaceCheck({ dataDir }: Config): Promise<Check> {
  const { diskSpace, LOW_DISK_BYTES } = await import('../../compose/compose.ts');
  const free = diskSpace(dataDir)?.free ?? Number.NaN;
  const message = `${grouped(free / 1024 / 1024)} MiB free`;
  return { name: 'disk', status: free >= LOW_DISK_BYTES ? 'ok' : 'warning', message };
}

export function credentialsCheck({ dataDir }: Config, { repair }: CheckOptions): Check {
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
export async function secretsKeyCheck(config: Config, { repair }: CheckOptions): Promise<Check[]> {
  const { secretsKey } = config;
  const name = 'secrets key';
  if (secretsKey?.kind !== 'file' || !existsSync(secretsKey.path)) return [];
  const { path } = secretsKey;
  const { readKeyFile } = await import('../../compose/store.ts');
  try {
    readKeyFile(path);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const help = `copy the key of this store there, or move ${path} away and run ${sameData(config, 'cardea keys rotate')}`;
    return [{ name, status: 'fault', message: `${error.message.replace(/\.$/, '')}: ${help}` }];
  }
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

/**
 * Looks for what is not a file or a directory where one belongs, and moves it out of the way if it
 * holds no data.
 */
export async function pathsCheck(
  config: Config,
  { repair, context }: CheckOptions,
): Promise<Check[]> {
  const name = 'files';
  const paths = await import('../../compose/data-paths.ts');
  const found = [...paths.misplacedStore(config), ...paths.misplacedIndex(config)];
  const stays = repair ? found.filter(({ isMovable }) => !isMovable) : found;
  if (stays.length > 0) {
    return [{ name, status: 'fault', message: stays.map(({ fault }) => fault).join('; ') }];
  }
  const mended = found.map(({ path }) => {
    const target = paths.moveToDamaged(config.dataDir, path, context.now());
    return `${path} was not what belongs there and is ${target} now`;
  });
  const removed = repair ? await paths.clearKilledRestore(config) : [];
  if (removed.length > 0) mended.push(`${removed.join(', ')}: removed, left by a restore`);
  if (mended.length > 0) return [{ name, status: 'mended', message: mended.join('; ') }];
  const left = paths.leftOfRestore(config);
  if (left.length === 0) return [];
  const message = `${left.join(', ')}: left by a restore that did not end, or still runs; the next start removes it`;
  return [{ name, status: 'warning', message }];
}
