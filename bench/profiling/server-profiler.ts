// Profiles the CPU of a running Cardea, all threads, from cell to cell. The server must have been
// started with NODE_FLAGS.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cardea } from '../cardea.ts';
import { type CpuProfile, profileSummary } from './profile-summary.ts';
import type { ProfileCommand, ProfileReport } from './thread-profiler.ts';

/** A thread in a long step answers after it. */
const TIMEOUT_MS = 30_000;

export class ServerProfiler {
  static readonly NODE_FLAGS: readonly string[] = [
    ...['--import', import.meta.resolve('./thread-profiler.js')],
  ];

  readonly #cardea: Cardea;
  readonly #folder: string;
  /** The threads that are being profiled. */
  readonly #threads = new Set<number>();

  /** @param folder where profiles are written */
  constructor(cardea: Cardea, folder: string) {
    this.#cardea = cardea;
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Starts profiling all threads; those that start later begin by themselves. */
  async start(): Promise<void> {
    this.#threads.clear();
    this.#cardea.process.on('message', this.#noteStart);
    await this.#command({ command: 'start', folder: this.#folder, name: '' }, ({ done }) => {
      return done === 'start';
    });
  }

  /** Writes `CELL.THREAD.cpuprofile` for each thread, and `CELL.txt` with the top self times. */
  async stop(cell: string): Promise<void> {
    const name = cell.replace(/[^\w.]+/g, '-');
    const isOfCell = (file: string) => file.startsWith(`${name}.`);
    for (const file of readdirSync(this.#folder).filter(isOfCell)) rmSync(join(this.#folder, file));
    this.#cardea.process.off('message', this.#noteStart);
    const waiting = new Set(this.#threads);
    await this.#command({ command: 'stop', folder: this.#folder, name }, ({ done, thread }) => {
      if (done === 'stop') waiting.delete(thread);
      return waiting.size === 0;
    });
    const profiles = readdirSync(this.#folder)
      .filter((file) => isOfCell(file) && file.endsWith('.cpuprofile'))
      .map((file) => JSON.parse(readFileSync(join(this.#folder, file), 'utf8')) as CpuProfile);
    writeFileSync(join(this.#folder, `${name}.txt`), profileSummary(cell, profiles));
  }

  readonly #noteStart = (message: unknown): void => {
    const { done, thread } = message as ProfileReport;
    if (done === 'start') this.#threads.add(thread);
  };

  /** Sends a command and waits for the reports that end it. */
  #command(command: ProfileCommand, isLast: (report: ProfileReport) => boolean): Promise<void> {
    const server = this.#cardea.process;
    return new Promise((resolve, reject) => {
      const end = (error: Error | null) => {
        clearTimeout(timer);
        server.off('message', listen);
        if (error === null) resolve();
        else reject(error);
      };
      const listen = (message: unknown) => {
        if (isLast(message as ProfileReport)) end(null);
      };
      const timer = setTimeout(
        () => end(new Error(`The server did not ${command.command} its profile`)),
        TIMEOUT_MS,
      );
      server.on('message', listen);
      server.send(command);
    });
  }
}
