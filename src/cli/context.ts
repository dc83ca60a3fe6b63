// What every command is given, and the two ways in which a command fails.
import type { StopSignal } from './stop-signal.ts';
import type { Terminal } from './terminal.ts';

/** The world as a command sees it. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly stop: StopSignal;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly now: () => number;
  readonly version: string;
  /** What the process ends with; commands set it where things went wrong but not badly enough to throw. */
  exitCode: number;
}

/** The command line is wrong: exit code 2, one sentence per fault. */
export class UsageError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** The command could not do its work: exit code 1. */
export class CommandError extends Error {}
