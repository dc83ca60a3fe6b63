// Reads of writes that wait for their turn in a transaction. They are sent before the turn, many in
// one round trip, so that a write does not wait for the database while others wait for the write.
// Invariant: a kept answer is the one that the statement would get now. The transaction excludes all
// other writers, and each of its own changes drops the answers that it may affect.
import type { FirstReads } from '../../service/ports/store.ts';
import { type SqlConnection, SqlExecutor } from '../executor.ts';
import { recordsOver } from '../records/records.ts';
import type { SqlValue } from '../statement.ts';
import { overlap, type Selection, type Selections } from './selections.ts';

type Rows = readonly object[];

interface KeptRead extends Selection {
  readonly rows: Promise<Rows>;
}

/** The reads sent ahead in one transaction. */
export class ReadsAhead {
  /** The connection of the transaction for its writes: answers reads from those sent ahead. */
  readonly connection: SqlConnection;
  readonly #inner: SqlConnection;
  readonly #selections: Selections;
  /** By text, and by values. */
  readonly #kept = new Map<string, Map<string, KeptRead>>();

  constructor(inner: SqlConnection, selections: Selections) {
    this.#inner = inner;
    this.#selections = selections;
    const change = (text: string, list: readonly (readonly SqlValue[])[]): void => {
      if (!text.startsWith('select ')) for (const values of list) this.#dropChanged(text, values);
    };
    const changing =
      <R>(run: (text: string, values: readonly SqlValue[]) => R) =>
      (text: string, values: readonly SqlValue[]): R => {
        change(text, [values]);
        return run(text, values);
      };
    const changingEach =
      <R>(run: (text: string, list: readonly (readonly SqlValue[])[]) => R) =>
      (text: string, list: readonly (readonly SqlValue[])[]): R => {
        change(text, list);
        return run(text, list);
      };
    this.connection = {
      all: changing((text, values) => this.#answer(text, values)),
      get: changing(async (text, values) => (await this.#answer(text, values))[0]),
      allOnce: changing(inner.allOnce),
      scan: changing(inner.scan),
      run: changing(inner.run),
      each: changingEach(inner.each),
      post: changingEach(inner.post),
    };
  }

  /** Sends the first reads of writes whose turns come later. */
  send(writes: readonly FirstReads[]): void {
    if (writes.length === 0) return;
    const records = recordsOver(new SqlExecutor('postgres', this.#sending()));
    // A value that no database can hold fails again in the write's turn.
    for (const firstReads of writes) void Promise.allSettled(firstReads(records));
  }

  /** Drops all answers, when a statement before them has failed. */
  clear(): void {
    this.#kept.clear();
  }

  /** A connection that keeps the answers, and itself returns no row. */
  #sending(): SqlConnection {
    const refuse = (): never => {
      throw new Error('Only statements for one row are read ahead');
    };
    return {
      ...{ all: refuse, allOnce: refuse, scan: refuse, each: refuse, post: refuse, run: refuse },
      get: (text, values) => {
        const selection = this.#selections.ofRead(text, values);
        if (selection === null) return undefined;
        const key = JSON.stringify(values);
        const kept = this.#kept.get(text) ?? new Map<string, KeptRead>();
        if (kept.has(key)) return undefined;
        const rows = Promise.resolve(this.#inner.all(text, values));
        rows.catch(() => {});
        kept.set(key, { ...selection, rows });
        this.#kept.set(text, kept);
        return undefined;
      },
    };
  }

  #answer(text: string, values: readonly SqlValue[]): Rows | Promise<Rows> {
    const kept = this.#kept.get(text)?.get(JSON.stringify(values));
    if (kept === undefined) return this.#inner.all(text, values);
    // It fails if a statement before it has failed, and may succeed after that one was undone.
    return kept.rows.catch(() => this.#inner.all(text, values));
  }

  #dropChanged(text: string, values: readonly SqlValue[]): void {
    if (this.#kept.size === 0) return;
    const changed = this.#selections.ofChange(text, values);
    if (changed === null) {
      this.clear();
      return;
    }
    for (const reads of this.#kept.values()) {
      for (const [key, kept] of reads) {
        // All reads of a text are of one table.
        if (kept.table !== changed.table) break;
        if (overlap(kept, changed)) reads.delete(key);
      }
    }
  }
}
