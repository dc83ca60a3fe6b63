// Opens the data directory without HTTP, and finds tenants and users in it. Where a server runs on it,
// that has the index, and both use the store. The rest of the service is loaded only here and in
// serve.ts, so that --help does not load it.
// Invariant: only `withNewStore` creates a store, so a mistyped directory is noticed.
import { existsSync } from 'node:fs';
import type { Offline, OfflinePurpose } from '../../compose/compose.ts';
import type { Config } from '../../config/config.ts';
import type { AuthUser, Records, Tenant } from '../../service/ports/store.ts';
import { sameData } from '../help/suggestion.ts';
import { commandLog } from './command-log.ts';
import { CommandError, type Context, opening, UsageError } from './context.ts';
import { loadService } from './load-service.ts';
import { findServer, type LocalServer } from './local-server.ts';
import type { StopSignal } from './stop-signal.ts';
import type { Terminal } from './terminal.ts';

type Indexer = NonNullable<Offline['indexer']>;

/** What is needed to open data: the terminal for the log, and what is told to a server. */
type Opener = Pick<Context, 'terminal' | 'stop' | 'version'>;

/** Opened data. */
export interface Data extends Offline {
  /** The server that has their index; null: nobody serves. */
  readonly server: LocalServer | null;
}

/** Opens the data, runs `work` and always closes the data again. */
export function withData<T>(
  config: Config,
  context: Opener,
  work: (data: Data) => Promise<T>,
): Promise<T> {
  return withOpened(config, context, 'command', work);
}

/** As withData, to look only: the search index is opened for reading. */
export function withInspection<T>(
  config: Config,
  context: Opener,
  work: (data: Data) => Promise<T>,
): Promise<T> {
  return withOpened(config, context, 'inspection', work);
}

/**
 * As withData, with the store alone. A server may run; without one, the next server makes the
 * changes searchable.
 */
export function withStore<T>(
  config: Config,
  context: Opener,
  work: (data: Pick<Offline, 'store' | 'documents' | 'resealSecrets'>) => Promise<T>,
): Promise<T> {
  return withOpened(config, context, 'store', work);
}

/** As withStore, and creates the store if there is none. */
export function withNewStore<T>(
  config: Config,
  context: Opener,
  work: (data: Pick<Offline, 'store' | 'documents' | 'resealSecrets'>) => Promise<T>,
): Promise<T> {
  return openAndClose(config, context, 'store', work);
}

async function withOpened<T>(
  config: Config,
  context: Opener,
  purpose: OfflinePurpose,
  work: (data: Data) => Promise<T>,
): Promise<T> {
  const { dataDir } = config;
  if (lacksStore(config)) {
    throw new UsageError([
      `There is no data in ${dataDir}: choose another directory with --data-dir, or create a tenant there with ${sameData(config, 'cardea tenant create NAME')}.`,
    ]);
  }
  return openAndClose(config, context, purpose, work);
}

/** True if there is no file of the store. */
export function lacksStore({ store }: Pick<Config, 'store'>): boolean {
  return store.kind === 'sqlite' && !existsSync(store.path);
}

async function openAndClose<T>(
  config: Config,
  context: Opener,
  purpose: OfflinePurpose,
  work: (data: Data) => Promise<T>,
): Promise<T> {
  const { openOffline } = await loadService(config);
  const log = commandLog(config, context.terminal);
  const server = await findServer(config, context);
  try {
    const isServed = server !== null;
    const data = await opening(() => openOffline(config, { log, isServed }, purpose));
    try {
      return await work({ ...data, server });
    } finally {
      await data.close();
    }
  } finally {
    server?.end();
  }
}

/**
 * Finds a tenant by name, or the only tenant if no name is given.
 * @throws CommandError if there is none, or several without a name
 */
export async function chooseTenant(records: Records, name: string | undefined): Promise<Tenant> {
  if (name !== undefined) {
    const tenant = await records.tenantByName(name);
    if (tenant !== null) return tenant;
  }
  const tenants = await records.tenants();
  const [only] = tenants;
  if (only === undefined) {
    throw new CommandError(
      'There is no tenant in these data: create one with cardea tenant create NAME and the same settings.',
    );
  }
  const names = tenants.map((tenant) => tenant.name).join(', ');
  if (name !== undefined) {
    throw new CommandError(`There is no tenant called ${name}; there is ${names}.`);
  }
  if (tenants.length > 1) throw new CommandError(`Choose a tenant with --tenant: ${names}.`);
  return only;
}

/** Finds an auth user by id or login. @throws CommandError if there is none */
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

/** How often the progress of indexing is checked. */
const POLL_MS = 100;

/**
 * Runs the indexer until the change `sequence` is searchable, and shows its progress.
 * @param from the sequence to start from
 */
export async function indexUpTo(
  indexer: Indexer,
  { from, sequence }: { readonly from: number; readonly sequence: number },
  terminal: Terminal,
  stop: StopSignal,
): Promise<void> {
  // Changes that are already searchable do not count for the progress.
  const first = Math.max(from, indexer.status().applied);
  indexer.start();
  const progress = terminal.progress('Indexing', sequence - first, 'changes');
  try {
    while (!(await isSearchable(indexer, sequence))) {
      stop.check();
      progress.update(Math.max(0, indexer.status().applied - first));
    }
    progress.update(Math.max(0, sequence - first));
  } finally {
    progress.end();
  }
}

/** Waits briefly for a change to be searchable. @throws CommandError if the indexer fails */
async function isSearchable(indexer: Indexer, sequence: number): Promise<boolean> {
  try {
    await indexer.waitFor(sequence, POLL_MS);
    return true;
  } catch {
    const { error } = indexer.status();
    if (error !== null) throw new CommandError(`Indexing fails: ${error}`);
    return false;
  }
}
