// A command line in a process of its own, as a user whose rights count: root reads and writes everything.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CommandLine } from './command-line.ts';

const MAIN = fileURLToPath(import.meta.resolve('../../src/cli/main.js'));
const isRoot = process.getuid?.() === 0;

/** The user that command lines run as: `nobody` for root, otherwise that of the tests. */
export const USER: number = isRoot ? 65_534 : (process.getuid?.() ?? 0);

/** Starts a command line as USER. */
export function userCommandLine(args: readonly string[]): Omit<CommandLine, 'shows'> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    ...(isRoot ? { uid: USER, gid: USER } : {}),
    env: { PATH: process.env['PATH'], TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      process.removeListener('exit', kill);
      resolve(code ?? -1);
    });
  });
  return { ended, out: () => out, err: () => err, interrupt: () => void child.kill('SIGINT') };
}
