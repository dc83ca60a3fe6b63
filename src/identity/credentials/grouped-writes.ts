// Group commit for concurrent token requests: a token is issued only after its sign-in is recorded,
// but busy clients do not need a transaction and a disk sync for each. A single write runs at once.
// Invariant: a group commits or fails as a whole, so members must not fail for reasons of their
// own.
import { type AuditEvent, recordAuditEvents } from '../audit/audit-event.ts';
import type { Store, WritableRecords } from '../ports/store.ts';

/** The result of one member of a group. */
export interface Recorded<T> {
  readonly value: T;
  /** Recorded in the audit trail of `tenantId` at the end of the group's transaction. */
  readonly events: readonly AuditEvent[];
  readonly tenantId: string;
}

interface Member {
  readonly work: (records: WritableRecords) => Promise<Recorded<unknown>>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum members per transaction. */
const GROUP_MAX = 64;

export class GroupedWrites {
  readonly #store: Store;
  #waiting: Member[] = [];
  #isRunning = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Runs `work` in a transaction, possibly together with others.
   * @throws what the transaction throws; then nothing of the group is committed
   */
  write<T>(work: (records: WritableRecords) => Promise<Recorded<T>>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as Member['resolve'], reject });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.slice(0, GROUP_MAX);
      this.#waiting = this.#waiting.slice(GROUP_MAX);
      try {
        const values = await this.#store.write((records) => runGroup(records, group));
        for (const [i, { resolve }] of group.entries()) resolve(values[i]);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#isRunning = false;
  }
}

/** Runs the members in order, then records their events. */
async function runGroup(records: WritableRecords, group: readonly Member[]): Promise<unknown[]> {
  const values: unknown[] = [];
  const trails = new Map<string, AuditEvent[]>();
  for (const { work } of group) {
    const { value, events, tenantId } = await work(records);
    values.push(value);
    trails.set(tenantId, [...(trails.get(tenantId) ?? []), ...events]);
  }
  for (const [tenantId, events] of trails) await recordAuditEvents(records, tenantId, events);
  return values;
}
