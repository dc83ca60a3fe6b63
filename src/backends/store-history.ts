// Notices that the store has become another one while this process runs: a database that was restored to
// an older state, or a failover that lost changes. New changes then get the numbers of the lost ones, so
// everything that was made from these must be made again.
// Invariant: what was read of the changes since the check before is of the history that a check accepts.
import type { Store } from '../service/ports/store.ts';
import type { Log } from '../telemetry/log.ts';

/** The last change as of the last check. */
interface Seen {
  readonly sequence: number;
  readonly mark: string | null;
}

/** How long `warning` tells of it. */
const WARNING_MS = 24 * 3_600_000;

export class StoreHistory {
  readonly #read: Pick<Store['read'], 'storeHistory'>;
  readonly #log: Pick<Log, 'warn'>;
  readonly #now: () => number;
  #seen: Seen | null = null;
  #restores = 0;
  #restoredAt = 0;

  /** @param now epoch milliseconds */
  constructor(
    read: Pick<Store['read'], 'storeHistory'>,
    log: Pick<Log, 'warn'>,
    now: () => number = Date.now,
  ) {
    this.#read = read;
    this.#log = log;
    this.#now = now;
  }

  /** How often the store has become another one. */
  get restores(): number {
    return this.#restores;
  }

  /** Epoch milliseconds when it was noticed last; 0: never. */
  get restoredAt(): number {
    return this.#restoredAt;
  }

  /** For `/ready`, which anybody may read; null: nothing happened in the last day. */
  get warning(): string | null {
    if (this.#now() >= this.#restoredAt + WARNING_MS) return null;
    const time = new Date(this.#restoredAt).toISOString();
    return `The store was restored to an older state, or replaced, while this node ran: it noticed at ${time}, and its log says from which change on.`;
  }

  /**
   * Looks whether the store still has the history that the last check has seen.
   * @returns the last change of the store
   * @throws ServiceError `unavailable`
   */
  async check(): Promise<number> {
    for (;;) {
      const seen = this.#seen;
      const { last, lastMark, mark } = await this.#read.storeHistory(seen?.sequence ?? 0);
      // Another check has seen more meanwhile.
      if (seen !== this.#seen) continue;
      if (seen !== null && (last < seen.sequence || mark !== seen.mark)) {
        this.#restores += 1;
        this.#restoredAt = this.#now();
        this.#log.warn(
          { seen: seen.sequence, last },
          'The store was restored to an older state, or replaced: the last changes that this node has seen are lost',
        );
      }
      this.#seen = { sequence: last, mark: lastMark };
      return last;
    }
  }
}
