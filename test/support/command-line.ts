// Runs command lines in the process of the test, with captured output and simulated signals.
import { EventEmitter } from 'node:events';
import { StopSignal } from '../../src/cli/common/stop-signal.ts';
import { Terminal } from '../../src/cli/common/terminal.ts';
import { run } from '../../src/cli/program.ts';

export interface CommandLine {
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
  readonly out: () => string;
  readonly err: () => string;
  /** Sends SIGINT, as Ctrl-C does. */
  readonly interrupt: () => void;
  /** Waits until standard output matches a pattern. */
  readonly shows: (pattern: RegExp) => Promise<RegExpMatchArray>;
}

export interface CommandLineOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Iterable<Uint8Array>;
  readonly now?: () => number;
  /** True if standard output is a terminal. */
  readonly isTerminal?: boolean;
  /** Width of the terminal. */
  readonly columns?: number;
}

/** Starts a command line. */
export function commandLine(
  args: readonly string[],
  options: CommandLineOptions = {},
): CommandLine {
  const now = options.now ?? Date.now;
  const signals = new EventEmitter();
  const texts = { out: '', err: '' };
  const written = new EventEmitter();
  const decoder = new TextDecoder();
  const terminal = new Terminal(
    {
      isTTY: options.isTerminal ?? false,
      ...(options.columns !== undefined && { columns: options.columns }),
      write(text) {
        texts.out += typeof text === 'string' ? text : decoder.decode(text, { stream: true });
        written.emit('out');
      },
    },
    {
      write(text) {
        texts.err += text;
      },
    },
    now,
  );
  async function* stdin(): AsyncGenerator<Uint8Array> {
    yield* options.stdin ?? [];
  }
  const ended = run(args, {
    env: options.env ?? {},
    terminal,
    stop: new StopSignal(signals, now, () => {}),
    stdin: stdin(),
    now,
    version: '0.0.0',
    exitCode: 0,
  });
  return {
    ended,
    out: () => texts.out,
    err: () => texts.err,
    interrupt: () => signals.emit('SIGINT'),
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const match = texts.out.match(pattern);
          if (match !== null) resolve(match);
        };
        written.on('out', check);
        check();
        ended.then(
          (code) => reject(new Error(`ended with ${code}: ${texts.err}${texts.out}`)),
          reject,
        );
      }),
  };
}
