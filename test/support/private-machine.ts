// A network and a hosts file of its own for some processes (Linux, root), as on a machine on which a
// name leads to Cardea: host names lead to its loopback, port 443 is free, and nothing else can be
// reached. This machine's hosts file does not change.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface PrivateMachine {
  /** Starts a process on it. */
  start(command: string, args: readonly string[]): ChildProcess;
  /** Runs a program on it to its end. @returns what it printed */
  run(
    command: string,
    args: readonly string[],
    options?: { readonly env?: Record<string, string>; readonly cwd?: string },
  ): Promise<{ readonly stdout: string; readonly stderr: string }>;
  stop(): Promise<void>;
}

const RUN_MS = 120_000;

/** @param names host names of its loopback @param folder where its hosts file is written */
export async function startPrivateMachine(
  names: readonly string[],
  folder: string,
): Promise<PrivateMachine> {
  const hosts = join(folder, 'hosts');
  writeFileSync(hosts, `127.0.0.1 localhost ${names.join(' ')}\n`);
  const setUp =
    'ip link set lo up && mount --bind "$0" /etc/hosts && echo ready && exec sleep infinity';
  const holder = spawn(
    'unshare',
    ['--net', '--mount', '--propagation', 'private', 'sh', '-c', setUp, hosts],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ready = once(holder.stdout, 'data');
  const ended = once(holder, 'exit').then(() => null);
  assert.notEqual(await Promise.race([ready, ended]), null, 'This test needs root and unshare.');
  // A process that joins another tree of mounts begins at its root.
  const inside = (command: string, args: readonly string[], cwd = process.cwd()) => [
    ...['--target', String(holder.pid), '--net', '--mount', '--', 'env', '-C', cwd, command],
    ...args,
  ];
  return {
    start: (command, args) =>
      spawn('nsenter', inside(command, args), { stdio: ['ignore', 'pipe', 'inherit'] }),
    run: (command, args, { env = {}, cwd } = {}) =>
      promisify(execFile)('nsenter', inside(command, args, cwd), {
        env: { ...process.env, ...env },
        timeout: RUN_MS,
      }),
    async stop() {
      if (holder.exitCode !== null) return;
      const gone = once(holder, 'exit');
      holder.kill('SIGKILL');
      await gone;
    },
  };
}
