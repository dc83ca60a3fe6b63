// Makes backups of the store by itself: one for each period, verified, of which the latest are kept. It
// runs at a server; a lock in the directory, which ends with its process, decides which of several makes
// one, and the others see by its time that none is due.
// Invariant: nothing is removed before a newer backup is whole, but what was cut off.
// Invariant: none is begun if the disk would then have less free space than the margin.
import { mkdirSync } from 'node:fs';
import { BackgroundLoop } from '../../scheduling/background-loop.ts';
import type { Log } from '../../telemetry/log.ts';
import { backupPath, type ListedBackup, listBackups, removeBackup } from './backup-directory.ts';

/** A lock that ends with its process at the latest. */
interface Lock {
  release(): void;
}

export interface BackupJobOptions {
  /** Absolute path; created if it is missing. */
  readonly directory: string;
  readonly everyMs: number;
  /** The number of backups that are kept. */
  readonly keep: number;
  readonly log: Log;
  readonly clock: { now(): number };
  /** Bytes of the store. */
  storeBytes(): number;
  /** Free bytes of the disk of a directory; null: unknown. */
  freeBytes(directory: string): number | null;
  /** Takes the lock of the directory; null: another process has it. */
  lock(directory: string): Promise<Lock | null>;
  /** Makes a backup in a directory, and verifies it. */
  make(directory: string, now: number, signal: AbortSignal): Promise<void>;
  /** Time from the start to the first look. */
  readonly firstMs?: number;
}

/** What is known of the backups of this process. */
export interface BackupState {
  readonly everyMs: number;
  /** Epoch milliseconds of the last failure since the start; 0: none. */
  readonly failedAt: number;
}

/** Free bytes that a backup leaves beside a tenth of its size: more than the warning of a full disk. */
const MARGIN_BYTES = 256 * 1024 * 1024;
const MARGIN_SHARE = 0.1;
const FIRST_MS = 10_000;
const RETRY_MS_MAX = 5 * 60_000;
/** How long the lock of another process is left alone. */
const LOCKED_MS_MAX = 60_000;
const MEBIBYTE = 1024 * 1024;

/** The disk has too little space. The message names no path, so anybody may read it. */
class NoSpace extends Error {}

export class BackupJob {
  readonly #options: BackupJobOptions;
  readonly #loop = new BackgroundLoop();
  #failedAt = 0;
  #fault: string | null = null;

  constructor(options: BackupJobOptions) {
    this.#options = options;
  }

  get state(): BackupState {
    return { everyMs: this.#options.everyMs, failedAt: this.#failedAt };
  }

  /** Why the last backup could not be made, in one sentence that anybody may read; null: it was. */
  get warning(): string | null {
    return this.#fault;
  }

  start(): void {
    const { everyMs, log, clock, firstMs = FIRST_MS } = this.#options;
    const makeDue = async () => {
      const waitMs = await this.run();
      this.#fault = null;
      return waitMs;
    };
    this.#loop.repeat(Math.min(firstMs, everyMs), makeDue, (err) => {
      const retryMs = Math.min(everyMs, RETRY_MS_MAX);
      this.#failedAt = clock.now();
      const why = err instanceof NoSpace ? err.message : 'the log of this node says why.';
      this.#fault = `The last scheduled backup could not be made: ${why}`;
      log.warn({ err, retryMs }, 'A backup could not be made; it is tried again');
      return retryMs;
    });
  }

  /** Ends a backup that is being made. */
  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /**
   * Makes a backup if one is due, and removes what was cut off and what is too many.
   * @returns milliseconds until the next one is due
   * @throws Error if it could not be made; the backups that were there stay
   */
  async run(): Promise<number> {
    const { directory, everyMs, keep, clock } = this.#options;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const lock = await this.#options.lock(directory);
    if (lock === null) return Math.min(everyMs, LOCKED_MS_MAX);
    try {
      const found = listBackups(directory);
      for (const backup of found.filter(({ isWhole }) => !isWhole)) await this.#removeRest(backup);
      const now = clock.now();
      // Those of a clock that was ahead say nothing, and go first.
      const isAhead = ({ time }: ListedBackup) => time > now + everyMs;
      const last = found.findLast((backup) => backup.isWhole && !isAhead(backup))?.time;
      if (last !== undefined && now - last < everyMs) return everyMs - Math.max(0, now - last);
      await this.#make(now);
      const whole = listBackups(directory).filter(({ isWhole }) => isWhole);
      const byAge = [...whole.filter(isAhead), ...whole.filter((backup) => !isAhead(backup))];
      for (const backup of byAge.slice(0, Math.max(0, byAge.length - keep))) {
        await removeBackup(backup);
      }
      return Math.max(0, now + everyMs - clock.now());
    } finally {
      lock.release();
    }
  }

  async #make(now: number): Promise<void> {
    const { directory, log, clock, make } = this.#options;
    this.#checkSpace();
    const path = backupPath(directory, now);
    try {
      await make(path, now, this.#loop.signal);
    } catch (error) {
      for (const backup of listBackups(directory)) {
        // Also a whole one that was found to be damaged when it was verified.
        if (backup.path === path) await removeBackup(backup);
      }
      throw error;
    }
    log.info({ backup: path, ms: clock.now() - now }, 'A backup was made and verified');
  }

  /** @throws NoSpace */
  #checkSpace(): void {
    const { directory, storeBytes, freeBytes } = this.#options;
    const free = freeBytes(directory);
    const needed = Math.ceil(storeBytes() * (1 + MARGIN_SHARE)) + MARGIN_BYTES;
    if (free === null || free >= needed) return;
    throw new NoSpace(
      `its disk has ${Math.floor(free / MEBIBYTE)} MiB free, and ${Math.ceil(needed / MEBIBYTE)} MiB are needed.`,
    );
  }

  async #removeRest(backup: ListedBackup): Promise<void> {
    await removeBackup(backup);
    this.#options.log.warn(
      { backup: backup.path },
      'The rest of a backup that was cut off is gone',
    );
  }
}
