// Checks every page, document and audit trail of the database file now and then while a server runs, in a
// process of low priority: SQLite reads most pages rarely, so that damage would be found when it is too late for a
// backup.
// Invariant: at most one check runs, and none after `stop`.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programBeside } from '../../scheduling/program-beside.ts';
import type { RecordFaults } from '../../service/documents/record-faults.ts';
import type { IntegrityJob, IntegrityOutcome } from './integrity-process.ts';

/** The result of a check. */
export interface StoreCheck extends RecordFaults {
  /** Epoch milliseconds of its end. */
  readonly checkedAt: number;
  /** One sentence each; empty if the file is sound. */
  readonly faults: readonly string[];
}

export interface StoreChecksOptions {
  /** The database file. */
  readonly path: string;
  /** Time from one check to the next. */
  readonly intervalMs: number;
  readonly clock: { now(): number };
  /** Called after each check. */
  onChecked(check: StoreCheck): void;
  /** Called for a check that could not be made; the next one is made as usual. */
  onFailed(reason: string): void;
}

/** The start of a server has other work to do. */
const FIRST_MS_MAX = 60_000;
/** The longest delay of a timer: 24.8 days; with a longer one it ends at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export class StoreChecks {
  readonly #options: StoreChecksOptions;
  #timer: NodeJS.Timeout | null = null;
  #child: ChildProcess | null = null;
  #ended: Promise<void> = Promise.resolve();
  #last: StoreCheck | null = null;
  #stopped = false;

  constructor(options: StoreChecksOptions) {
    this.#options = options;
  }

  /** The last completed check; null before the first one. */
  get last(): StoreCheck | null {
    return this.#last;
  }

  /** True while a check runs. */
  get running(): boolean {
    return this.#child !== null;
  }

  start(): void {
    this.#schedule(Math.min(this.#options.intervalMs, FIRST_MS_MAX));
  }

  /** Ends a running check, for good. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }

  #schedule(ms: number): void {
    const leftMs = Math.max(0, ms - TIMER_MS_MAX);
    const next = () => (leftMs > 0 ? this.#schedule(leftMs) : this.#check());
    this.#timer = setTimeout(next, ms - leftMs).unref();
  }

  #check(): void {
    const child = fork(fileURLToPath(programBeside(import.meta.url, 'integrity-process')));
    this.#child = child;
    let outcome: IntegrityOutcome | null = null;
    child.once('message', (message: IntegrityOutcome) => {
      outcome = message;
    });
    this.#ended = new Promise((resolve) => {
      const end = () => {
        this.#child = null;
        if (!this.#stopped) {
          this.#report(outcome ?? { failure: 'The process that checks the store ended.' });
          this.#schedule(this.#options.intervalMs);
        }
        resolve();
      };
      child.once('close', end);
      child.on('error', (error) => {
        outcome ??= { failure: error.message };
        // A process that could not be started may never be closed.
        if (child.pid !== undefined) return;
        child.off('close', end);
        end();
      });
    });
    const job: IntegrityJob = { path: this.#options.path };
    if (child.pid !== undefined) child.send(job, () => {});
  }

  #report(outcome: IntegrityOutcome): void {
    const { clock, onChecked, onFailed } = this.#options;
    if ('failure' in outcome) {
      onFailed(outcome.failure);
      return;
    }
    this.#last = { checkedAt: clock.now(), ...outcome };
    onChecked(this.#last);
  }
}
