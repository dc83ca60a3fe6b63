// Runs one Node process in a built copy with a time limit. The process has its own process group,
// so that its children end with it.
import { spawn } from 'node:child_process';
import type { BuiltCopy } from './built-copy.ts';

/** Maximum length of the captured end of the output. */
const OUTPUT_MAX = 20_000;

export type CommandOptions = {
  /** Time after which the process and its children are killed. */
  readonly timeoutMs: number;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Kills the process when aborted; `runNode` then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
};

export type CommandResult = {
  /**
   * `passed`: exit code 0. `failed`: another code or a signal. `timeout`: killed after `timeoutMs`.
   */
  readonly outcome: 'passed' | 'failed' | 'timeout';
  readonly ms: number;
  /** The end of standard output and standard error, interleaved. */
  readonly output: string;
};

/**
 * Runs `node --enable-source-maps` with arguments in the root of the copy.
 * @param args such as `['dist/src/query/lexer.test.js']`, or a script of `dist/scripts` with its
 * options
 */
export async function runNode(
  copy: Pick<BuiltCopy, 'root' | 'temporary'>,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  options.signal?.throwIfAborted();
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const started = performance.now();
  const child = spawn(process.execPath, ['--enable-source-maps', ...args], {
    cwd: copy.root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, TMPDIR: copy.temporary, ...options.env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_MAX);
    });
  }
  const killAll = (): void => killGroup(child.pid);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    killAll();
  }, options.timeoutMs);
  options.signal?.addEventListener('abort', killAll);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    options.signal?.throwIfAborted();
    const outcome = late ? 'timeout' : code === 0 ? 'passed' : 'failed';
    return { outcome, ms: performance.now() - started, output };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', killAll);
    // Kills remaining children of the process.
    killAll();
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: no process of the group is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
