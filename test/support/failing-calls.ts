// Simulates a failing disk for a running process: its system calls return an error without being
// made, through the fault injection of strace, which attaches to the process and detaches again.
// Invariant: a call that reports a failure was never made.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** System calls that fail. */
export interface FailingCalls {
  /** A lower bound of the failed calls on paths that contain `part`; threads may garble lines. */
  failed(part: string): number;
  /** Lets calls succeed again. */
  heal(): Promise<void>;
}

export interface FailingCallsOptions {
  /** Names, such as `fsync`. */
  readonly calls: readonly string[];
  /** Name of an errno, such as `EIO`. */
  readonly error: string;
  /** The calls fail only on these files and directories; on all by default. */
  readonly paths?: readonly string[];
}

const ATTACH_MS = 120_000;

/**
 * Makes calls of the process fail, in all its threads; resolves when they do.
 * @throws Error if strace is missing or may not attach to the process
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
  let partialLine = '';
  const parse = (text: string) => {
    const lines = (partialLine + text).split('\n');
    partialLine = lines.pop() ?? '';
    for (const line of lines) {
      const path = /\(INJECTED\)$/.test(line) ? /<([^>]*)>/.exec(line)?.[1] : undefined;
      if (path !== undefined) failed.set(path, (failed.get(path) ?? 0) + 1);
    }
  };
  await new Promise<void>((resolve, reject) => {
    let output = '';
    const timer = setTimeout(
      () => reject(new Error(`strace did not attach: ${output}`)),
      ATTACH_MS,
    );
    strace.once('exit', () => reject(new Error(`strace ended: ${output}`)));
    strace.stderr.setEncoding('utf8').on('data', (text: string) => {
      parse(text);
      output = (output + text).slice(0, 2_000);
      if (!/Process \d+ attached/.test(output)) return;
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
