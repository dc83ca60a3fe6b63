// The environment of a command, and the errors that a command fails with.
import type { StopSignal } from './stop-signal.ts';
import type { Terminal } from './terminal.ts';

/** Messages between this process and the program that started it as a child. */
export interface Channel {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Calls `listener` once the program has ended or closed the channel, which may be at once. */
  onClosed(listener: () => void): void;
  /** Closes this end; an open one keeps the process alive. */
  close(): void;
}

/** The process environment of a command; tests replace it. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly stop: StopSignal;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly now: () => number;
  readonly version: string;
  /** null for a process that no program started with a channel. */
  readonly channel?: Channel | null;
  /** Exit code of the process; commands set it for failures that are not thrown. */
  exitCode: number;
}

/**
 * The command line, a setting, or a file or directory that they name is wrong: exit code 2, one
 * sentence per fault.
 */
export class UsageError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** The command could not do its work: exit code 1. */
export class CommandError extends Error {}

/** What a command needs could not be opened: exit code 2, unless that may pass by itself. */
export class StartFault extends Error {
  constructor(cause: unknown) {
    super('The start failed', { cause });
  }
}

/** Opens what a command needs. @throws StartFault */
export async function opening<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw new StartFault(error);
  }
}
