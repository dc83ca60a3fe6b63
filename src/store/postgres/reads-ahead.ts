// Reads of writes that wait for their turn in a transaction. They are sent before the turn, many in
// one round trip, so that a write does not wait for the database while others wait for the write.
// Invariant: a kept answer is the one that the statement would get now. The transaction excludes all
// other writers, and each of its own changes drops the answers that it may affect.
import type { FirstReads } from '../../identity/ports/store.ts';
import { type SqlConnection, SqlExecutor } from '../executor.ts';
import { recordsOver } from '../records/records.ts';
import type { SqlValue } from '../statement.ts';

type Rows = readonly object[];

/** The rows of one table in which these columns have these values. */
interface Selection {
  readonly table: string;
  readonly columns: ReadonlyMap<string, SqlValue>;
}

interface KeptRead extends Selection {
  readonly rows: Promise<Rows>;
}

/** The reads sent ahead in one transaction. */
export class ReadsAhead {
  /** The connection of the transaction for its writes: answers reads from those sent ahead. */
  readonly connection: SqlConnection;
  readonly #inner: SqlConnection;
  /** By text and values. */
  readonly #kept = new Map<string, KeptRead>();

  constructor(inner: SqlConnection) {
    this.#inner = inner;
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
        const key = keyOf(text, values);
        const selection = selectionOf(READ, text, values);
        if (selection === null || this.#kept.has(key)) return undefined;
        const rows = Promise.resolve(this.#inner.all(text, values));
        rows.catch(() => {});
        this.#kept.set(key, { ...selection, rows });
        return undefined;
      },
    };
  }

  #answer(text: string, values: readonly SqlValue[]): Rows | Promise<Rows> {
    const kept = this.#kept.size === 0 ? undefined : this.#kept.get(keyOf(text, values));
    if (kept === undefined) return this.#inner.all(text, values);
    // It fails if a statement before it has failed, and may succeed after that one was undone.
    return kept.rows.catch(() => this.#inner.all(text, values));
  }

  #dropChanged(text: string, values: readonly SqlValue[]): void {
    if (this.#kept.size === 0) return;
    const table = CHANGE.exec(text)?.[1];
    if (table === undefined) this.clear();
    else {
      const changed = selectionOf(UPDATE, text, values) ?? { table, columns: NO_COLUMNS };
      for (const [key, kept] of this.#kept) if (mayShareRows(kept, changed)) this.#kept.delete(key);
    }
  }
}

const NO_COLUMNS: ReadonlyMap<string, SqlValue> = new Map();
const CONDITIONS = String.raw`where ("\w+" = \$\d+(?: and "\w+" = \$\d+)*)$`;
/** Rows of one table by equal columns, as Kysely writes it: the table, and the conditions. */
const READ = new RegExp(String.raw`^select [\w", ]+ from "(\w+)" ${CONDITIONS}`);
/** The same for an update. Its columns are set to parameters only, and none of them is a key. */
const UPDATE = new RegExp(
  String.raw`^update "(\w+)" set (?:(?!"tenant_id"|"id")"\w+" = \$\d+(?:, )?)+ ${CONDITIONS}`,
);
/** Any other change of one table. */
const CHANGE = /^(?:insert into|update|delete from) "(\w+)"/;
const CONDITION = /"(\w+)" = \$(\d+)/g;
/** Updates may set other columns, so two selections are compared by these. */
const KEYS = ['tenant_id', 'id'];

function selectionOf(kind: RegExp, text: string, values: readonly SqlValue[]): Selection | null {
  const [, table, conditions] = kind.exec(text) ?? [];
  if (table === undefined || conditions === undefined) return null;
  const columns = new Map<string, SqlValue>();
  for (const [, column = '', place] of conditions.matchAll(CONDITION)) {
    columns.set(column, values[Number(place) - 1] ?? null);
  }
  return { table, columns };
}

/** False only if a key column has different texts in both. */
function mayShareRows(one: Selection, other: Selection): boolean {
  if (one.table !== other.table) return false;
  return KEYS.every((column) => {
    const [value, changed] = [one.columns.get(column), other.columns.get(column)];
    if (typeof value !== 'string' || typeof changed !== 'string') return true;
    // The database gets the same for all lone surrogates.
    return value.toWellFormed() === changed.toWellFormed();
  });
}

function keyOf(text: string, values: readonly SqlValue[]): string {
  return JSON.stringify([text, values]);
}
