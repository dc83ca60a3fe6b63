// Opening the data directory for work without HTTP, and what several commands ask of it. The rest of the service is
// loaded only here and in serve.ts, so that --help needs none of it.
import { destination, type Logger } from 'pino';
import type { Offline } from '../compose.ts';
import type { Config } from '../config.ts';
import type { AuthUser, Records, Tenant } from '../identity/ports/store.ts';
import { makeLog } from '../log.ts';
import { CommandError } from './context.ts';
import type { StopSignal } from './stop-signal.ts';
import type { Terminal } from './terminal.ts';

type Indexer = NonNullable<Offline['indexer']>;

/** Opens the data, runs `work` and closes it again, whatever comes. */
export async function withData<T>(config: Config, work: (data: Offline) => Promise<T>): Promise<T> {
  const { openOffline } = await import('../compose.ts');
  const data = await openOffline(config, { log: commandLog(config) });
  try {
    return await work(data);
  } finally {
    await data.close();
  }
}

/** For commands that a person watches: on standard error, so that results stay clean, and only what is amiss. */
export function commandLog({ logLevel }: Config): Logger {
  return makeLog(logLevel === 'info' ? 'warn' : logLevel, destination(2));
}

/**
 * The tenant of that name; the only one where none is named.
 * @throws CommandError where there is none or the choice is not clear
 */
export async function chooseTenant(records: Records, name: string | undefined): Promise<Tenant> {
  if (name !== undefined) {
    const tenant = await records.tenantByName(name);
    if (tenant !== null) return tenant;
  }
  const tenants = await records.tenants();
  const [only] = tenants;
  if (only === undefined) {
    throw new CommandError('There is no tenant yet: make one with cardea tenant create NAME.');
  }
  const names = tenants.map((tenant) => tenant.name).join(', ');
  if (name !== undefined) {
    throw new CommandError(`There is no tenant called ${name}; there is ${names}.`);
  }
  if (tenants.length > 1) throw new CommandError(`Say which tenant with --tenant: ${names}.`);
  return only;
}

/** An auth user by id or by login. @throws CommandError where there is none */
export async function chooseUser(
  records: Records,
  tenant: Tenant,
  idOrUid: string,
): Promise<AuthUser> {
  const user =
    (await records.authUser(tenant.id, idOrUid)) ??
    (await records.authUserByUid(tenant.id, idOrUid));
  if (user !== null) return user;
  throw new CommandError(`Tenant ${tenant.name} has no auth user with the id or uid ${idOrUid}.`);
}

/** How often the progress of indexing is looked at. */
const LOOK_MS = 100;

/**
 * Runs the indexer until the change `sequence` is searchable, showing how far it is.
 * @param from the sequence it began at
 */
export async function indexUpTo(
  indexer: Indexer,
  { from, sequence }: { readonly from: number; readonly sequence: number },
  terminal: Terminal,
  stop: StopSignal,
): Promise<void> {
  // What is searchable already took none of the time that is shown.
  const first = Math.max(from, indexer.status().applied);
  indexer.start();
  const progress = terminal.progress('Indexing', sequence - first, 'changes');
  try {
    while (!(await searchable(indexer, sequence))) {
      stop.check();
      progress.update(Math.max(0, indexer.status().applied - first));
    }
    progress.update(Math.max(0, sequence - first));
  } finally {
    progress.end();
  }
}

/** Whether the change is searchable within a moment. @throws CommandError where the indexer says that it fails */
async function searchable(indexer: Indexer, sequence: number): Promise<boolean> {
  try {
    await indexer.waitFor(sequence, LOOK_MS);
    return true;
  } catch {
    const { error } = indexer.status();
    if (error !== null) throw new CommandError(`Indexing fails: ${error}`);
    return false;
  }
}
