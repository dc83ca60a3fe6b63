// Statements that are sent together and end with one Sync of PostgreSQL's protocol. The server answers
// them in one message, and after an error it ignores the rest of them, even COMMIT.
// Invariant: each statement is answered once: with rows, with its error, or as ignored.
import { type Connection, DatabaseError, Query } from 'pg';
import type { SqlValue } from '../statement.ts';
import { IgnoredStatementError } from './postgres-errors.ts';
import { TYPES } from './postgres-pool.ts';

/** A value as it is sent: as text, or binary. */
type WireValue = null | string | Buffer;

/** The answer to a statement. */
export interface Answer {
  /** Empty if the statement was not to return any. */
  readonly rows: readonly object[];
  /** Such as `INSERT 0 1`. */
  readonly command: string;
}

/** A statement, and who waits for its answer. */
export interface SentStatement {
  /** Empty: it is not kept for later executions. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly WireValue[];
  readonly returnsRows: boolean;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Converts values for `SentStatement`. */
export function wireValues(values: readonly SqlValue[]): WireValue[] {
  return values.map((value) => {
    if (value === null || typeof value === 'string') return value;
    if (typeof value === 'object') {
      return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    return String(value);
  });
}

/** How many rows a statement changed or returned. */
export function rowCountOf({ command }: Answer): number {
  const count = Number(command.slice(command.lastIndexOf(' ') + 1));
  return Number.isNaN(count) ? 0 : count;
}

interface Column {
  readonly name: string;
  parse(text: string): unknown;
}

/** What `pg` keeps of the statements that a connection has parsed, by name. */
interface ParsedStatements {
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
}

/** Members of `Query` that are not in its declared type. */
interface QueryMembers {
  /** Those of the statement that is answered next; by them the client records what was parsed. */
  name: string | undefined;
  text: string | undefined;
  callback?: (error: unknown) => void;
}

/** A query of `pg` that holds several statements. */
export class StatementBatch extends Query {
  readonly #statements: readonly SentStatement[];
  /** The statement that is answered next. */
  #at = 0;
  #columns: readonly Column[] = [];
  #rows: object[] = [];

  constructor(statements: readonly SentStatement[]) {
    super('');
    this.#statements = statements;
    this.#moveTo(0);
  }

  override submit = (connection: Connection): void => {
    const { parsedStatements, submittedNamedStatements } = parsedBy(connection);
    for (const { name, text, values, returnsRows } of this.#statements) {
      const isParsed = name in parsedStatements || name in submittedNamedStatements;
      if (name === '' || !isParsed) {
        connection.parse({ name, text, types: [] }, true);
        if (name !== '') submittedNamedStatements[name] = text;
      }
      connection.bind({ statement: name, values: values as never }, true);
      if (returnsRows) connection.describe({ type: 'P', name: '' }, true);
      connection.execute(null, true);
    }
    connection.sync();
  };

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }) {
    this.#columns = fields.map(({ name, dataTypeID }) => {
      return { name, parse: TYPES.getTypeParser(dataTypeID, 'text') };
    });
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#statements[this.#at]?.returnsRows !== true) return;
    const row: Record<string, unknown> = {};
    for (let at = 0; at < fields.length; at++) {
      const value = fields[at] ?? null;
      const { name, parse } = this.#columns[at] as Column;
      row[name] = value === null ? null : parse(value);
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text: command }: { readonly text: string }): void {
    const rows = this.#rows;
    this.#rows = [];
    const statement = this.#statements[this.#at];
    this.#moveTo(this.#at + 1);
    statement?.resolve({ rows, command });
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  /** Not called again for the same batch, except when the connection is lost after a timeout. */
  handleError(error: unknown, connection: Connection): void {
    const { submittedNamedStatements } = parsedBy(connection);
    const [failed, ...rest] = this.#statements.slice(this.#at);
    this.#moveTo(this.#statements.length);
    for (const { name } of rest) delete submittedNamedStatements[name];
    failed?.reject(error);
    const ignored = error instanceof DatabaseError ? new IgnoredStatementError() : error;
    for (const { reject } of rest) reject(ignored);
    this.#members.callback?.(error);
  }

  handleReadyForQuery(): void {
    this.#members.callback?.(null);
  }

  #moveTo(at: number): void {
    this.#at = at;
    this.#members.name = this.#statements[at]?.name;
    this.#members.text = this.#statements[at]?.text;
  }

  get #members(): QueryMembers {
    return this as unknown as QueryMembers;
  }
}

function parsedBy(connection: Connection): ParsedStatements {
  return connection as unknown as ParsedStatements;
}
