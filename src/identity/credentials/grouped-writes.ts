// Writes of concurrent token requests, several in one transaction: a token is answered once its sign-in is recorded, and yet
// busy clients do not take a transaction and a sync of the disk each. A write that comes alone runs at once.
// Invariant: a group is kept as a whole or not at all, so its members must not fail for reasons of their own.
import { type AuditEvent, recordAuditEvents } from '../audit/audit-event.ts';
import type { Store, WritableRecords } from '../ports/store.ts';

/** What a member of a group comes to. */
export interface Recorded<T> {
  readonly value: T;
  /** Recorded in the trail of `tenantId` at the end of the group's transaction. */
  readonly events: readonly AuditEvent[];
  readonly tenantId: string;
}

interface Member {
  readonly work: (records: WritableRecords) => Promise<Recorded<unknown>>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Members of one transaction. */
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
   * @throws what the transaction throws; then nothing of the group is kept
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

/** Runs the members in their order, then records their events. */
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
