// Rows that most writes of a transaction change: the last sequence number, the head of each audit
// chain, and the numbers of documents. The writes of a group change them in memory, and the
// database gets the result once, before COMMIT.
// Invariant: the transaction excludes all other writers, so what it has read of these rows is current.
// Invariant: a statement that names one of their tables runs after they were written, and what is in
// memory is read again after it (`release`).

import type { IndexName } from '../../query/query.ts';
import {
  type ChainHead,
  DamagedTrailError,
  EMPTY_CHAIN,
  isEndDamaged,
} from '../../service/ports/audit-chain.ts';
import type { SqlConnection } from './executor.ts';
import type { SharedRows } from './shared-rows.ts';
import {
  ADD_COUNT,
  ADD_TO_COUNTER,
  DELETE_EARLY_WRITERS,
  PUT_HEAD,
  PUT_WRITER,
  SELECT_COUNTER,
  SELECT_HEAD_AND_LAST,
  SELECT_LAST_EVENT,
  storedEvent,
} from './shared-statements.ts';
import type { Dialect, Parameters, Statement } from './statement.ts';

type Count = { readonly tenantId: string; readonly index: IndexName; readonly documents: number };

/** Never changed, only replaced, so that a failed write is undone by going back to the one before. */
export interface SharedState {
  /** The last sequence number assigned; null until it has been read. */
  readonly sequence: number | null;
  /** How many numbers were assigned since it was read. */
  readonly taken: number;
  readonly heads: ReadonlyMap<string, ChainHead>;
  /** Tenants whose head is newer than its row. */
  readonly changedHeads: ReadonlySet<string>;
  /** Changes of the numbers of documents. */
  readonly counts: ReadonlyMap<string, Count>;
  /** Dynamic fields that are certainly recorded, by tenant, index and path. */
  readonly fields: ReadonlySet<string>;
  /** Whether the process is recorded as a writer of the store. */
  readonly hasWriter: boolean;
}

/** The process that writes, as the history of the store has it. */
export interface StoreWriter {
  /** Random: no two processes have the same. */
  readonly id: string;
  /** Whether a committed transaction has recorded it. */
  isRecorded: boolean;
}

const UNREAD: SharedState = {
  sequence: null,
  taken: 0,
  heads: new Map(),
  changedHeads: new Set(),
  counts: new Map(),
  fields: new Set(),
  hasWriter: false,
};

/** The shared rows of one transaction, with the state to go back to when a write is undone. */
export class TransactionRows implements SharedRows {
  readonly #dialect: Dialect;
  readonly #connection: SqlConnection;
  readonly #writer: StoreWriter;
  #state: SharedState;

  /**
   * @param connection in a transaction that excludes all other writers
   * @param sequence the last sequence number assigned; null: not read yet
   */
  constructor(
    dialect: Dialect,
    connection: SqlConnection,
    writer: StoreWriter,
    sequence: number | null,
  ) {
    this.#dialect = dialect;
    this.#connection = connection;
    this.#writer = writer;
    this.#state = { ...UNREAD, sequence, hasWriter: writer.isRecorded };
  }

  /** Called after the commit. */
  committed(): void {
    this.#writer.isRecorded ||= this.#state.hasWriter;
  }

  /** What is in memory, to go back to. */
  get state(): SharedState {
    return this.#state;
  }

  /** @param state that of the savepoint to which the transaction has gone back */
  restore(state: SharedState): void {
    this.#state = state;
  }

  async takeSequences(count: number): Promise<number> {
    if (this.#state.sequence === null) {
      const row = await this.#get(SELECT_COUNTER, {});
      if (row === undefined) throw new Error('The sequence counter is missing');
      // Another caller may have read it, and taken numbers, meanwhile.
      this.#state = { ...this.#state, sequence: this.#state.sequence ?? row.value };
    }
    const sequence = (this.#state.sequence as number) + count;
    this.#state = { ...this.#state, sequence, taken: this.#state.taken + count };
    return sequence;
  }

  async head(tenantId: string): Promise<ChainHead> {
    const known = this.#state.heads.get(tenantId);
    if (known !== undefined) return known;
    const head = await this.#readHead(tenantId);
    if (this.#state.heads.has(tenantId)) return this.head(tenantId);
    this.#state = { ...this.#state, heads: new Map(this.#state.heads).set(tenantId, head) };
    return head;
  }

  /** @throws DamagedTrailError if no event may be chained to what is recorded as the end */
  async #readHead(tenantId: string): Promise<ChainHead> {
    const row = await this.#get(SELECT_HEAD_AND_LAST, { tenantId });
    const head = row === undefined ? null : { number: row.number, hash: row.hash };
    if (row !== undefined && row.last_number === row.number && row.last_hash === row.hash) {
      return head ?? EMPTY_CHAIN;
    }
    const last = await this.#get(SELECT_LAST_EVENT, { tenantId });
    if (last !== undefined && isEndDamaged(head, storedEvent(last))) {
      throw new DamagedTrailError(tenantId);
    }
    return head ?? EMPTY_CHAIN;
  }

  setHead(tenantId: string, head: ChainHead): void {
    const { heads, changedHeads } = this.#state;
    this.#state = {
      ...this.#state,
      heads: new Map(heads).set(tenantId, head),
      changedHeads: new Set(changedHeads).add(tenantId),
    };
  }

  addCount(tenantId: string, index: IndexName, documents: number): void {
    const { counts } = this.#state;
    const key = `${index} ${tenantId}`;
    const sum = (counts.get(key)?.documents ?? 0) + documents;
    const changed = new Map(counts).set(key, { tenantId, index, documents: sum });
    this.#state = { ...this.#state, counts: changed };
  }

  isRecorded(tenantId: string, index: IndexName, path: string): boolean {
    return this.#state.fields.has(`${index} ${tenantId} ${path}`);
  }

  setRecorded(tenantId: string, index: IndexName, paths: readonly string[]): void {
    const fields = new Set(this.#state.fields);
    for (const path of paths) fields.add(`${index} ${tenantId} ${path}`);
    this.#state = { ...this.#state, fields };
  }

  release(): Promise<void> {
    const written = this.write();
    this.#state = { ...UNREAD, hasWriter: this.#state.hasWriter };
    return written;
  }

  /**
   * Writes what has changed. The statements are sent before it returns; the promise resolves once
   * they have been answered.
   */
  write(): Promise<void> {
    const { sequence, taken, heads, changedHeads, counts } = this.#state;
    const answers: (number | Promise<number>)[] = [];
    if (taken > 0) answers.push(this.#run(ADD_TO_COUNTER, { taken }));
    if (taken > 0 && !this.#state.hasWriter) {
      const before = (sequence as number) - taken;
      answers.push(this.#run(PUT_WRITER, { sequence: before, id: this.#writer.id }));
      answers.push(this.#run(DELETE_EARLY_WRITERS, {}));
      this.#state = { ...this.#state, hasWriter: true };
    }
    for (const tenantId of changedHeads) {
      const { number, hash } = heads.get(tenantId) as ChainHead;
      answers.push(this.#run(PUT_HEAD, { tenantId, number, hash }));
    }
    for (const count of counts.values()) answers.push(this.#run(ADD_COUNT, { ...count }));
    if (answers.length === 0) return Promise.resolve();
    this.#state = { ...this.#state, taken: 0, changedHeads: new Set(), counts: new Map() };
    return Promise.all(answers).then(() => {});
  }

  async #get<P extends Parameters, R>(one: Statement<P, R>, values: P): Promise<R | undefined> {
    const { sql, bind } = one.in(this.#dialect);
    return (await this.#connection.get(sql, bind(values))) as R | undefined;
  }

  #run<P extends Parameters, R>(one: Statement<P, R>, values: P): number | Promise<number> {
    const { sql, bind } = one.in(this.#dialect);
    return this.#connection.run(sql, bind(values));
  }
}
