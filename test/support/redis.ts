// A real Redis for tests: redis-server on a free port of the loopback address, without persistence.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './free-port.ts';

export interface Redis {
  readonly url: string;
  /** Kills it, as a power failure would. */
  kill(): Promise<void>;
  /** Restarts it on the same port, empty. */
  restart(): Promise<void>;
  /** Suspends it, so that it accepts commands but answers none, until `resume`. */
  suspend(): void;
  resume(): void;
  stop(): Promise<void>;
}

const START_MS = 120_000;

/** @throws Error if redis-server is missing or does not start */
export async function startRedis(): Promise<Redis> {
  if (spawnSync('redis-server', ['--version']).error !== undefined) {
    throw new Error('redis-server is missing: install the package redis-server.');
  }
  const port = await freePort();
  let server = await start(port);
  const end = () => server.kill('SIGKILL');
  process.once('exit', end);
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    async restart() {
      await kill();
      server = await start(port);
    },
    suspend: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    async stop() {
      process.removeListener('exit', end);
      await kill();
    },
  };
}

async function start(port: number): Promise<ChildProcess> {
  const options = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Redis did not start: ${output}`)), START_MS);
    server.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (!/Ready to accept connections/.test(output)) return;
      clearTimeout(timer);
      resolve();
    });
    server.once('exit', (code) => reject(new Error(`Redis exited with ${code}: ${output}`)));
  });
  return server;
}
