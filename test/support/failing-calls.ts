// A failing disk, for a process that runs: system calls of it answer an error instead of being made, by the fault
// injection of strace, which holds the process for that and lets go of it again.
// Invariant: what is told to have failed was never done.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** Calls that fail. */
export interface FailingCalls {
  /** How many have failed so far on files whose path holds this; at least so many, for lines of threads may be torn. */
  failed(part: string): number;
  /** From now on calls are made again. */
  heal(): Promise<void>;
}

export interface FailingCallsOptions {
  /** By name, such as `fsync`. */
  readonly calls: readonly string[];
  /** As errno spells it. */
  readonly error: string;
  /** The calls fail on these files and directories only; on all where left out. */
  readonly paths?: readonly string[];
}

const ATTACH_MS = 30_000;

/**
 * Resolves when calls of the process fail, in all its threads.
 * @throws Error where strace is missing or may not hold the process
 */
export async function failCalls(
  pid: number,
  { calls, error, paths = [] }: FailingCallsOptions,
): Promise<FailingCalls> {
  if (spawnSync('strace', ['--version']).error !== undefined) {
    throw new Error('strace is missing: install the package strace.');
  }
  const names = calls.join(',');
  const strace = spawn(
    'strace',
    [
      ...['-f', '-y', '-p', String(pid), '-e', `trace=${names}`, '-e', 'signal=none'],
      ...['-e', `inject=${names}:error=${error}`, ...paths.flatMap((path) => ['-P', path])],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const end = () => strace.kill('SIGTERM');
  process.once('exit', end);
  const ended = once(strace, 'exit').then(() => process.removeListener('exit', end));
  const failed = new Map<string, number>();
  let said = '';
  const hear = (text: string) => {
    const lines = (said + text).split('\n');
    said = lines.pop() ?? '';
    for (const line of lines) {
      const path = /\(INJECTED\)$/.test(line) ? /<([^>]*)>/.exec(line)?.[1] : undefined;
      if (path !== undefined) failed.set(path, (failed.get(path) ?? 0) + 1);
    }
  };
  await new Promise<void>((resolve, reject) => {
    let first = '';
    const timer = setTimeout(() => reject(new Error(`strace does not begin: ${first}`)), ATTACH_MS);
    strace.once('exit', () => reject(new Error(`strace ended: ${first}`)));
    strace.stderr.setEncoding('utf8').on('data', (text: string) => {
      hear(text);
      first = (first + text).slice(0, 2_000);
      if (!/Process \d+ attached/.test(first)) return;
      clearTimeout(timer);
      resolve();
    });
  });
  return {
    failed: (part) =>
      [...failed].reduce((sum, [path, count]) => sum + (path.includes(part) ? count : 0), 0),
    async heal() {
      end();
      await ended;
    },
  };
}
