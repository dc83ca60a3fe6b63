// The numbers of the change sequence in a store whose file was damaged. The counter and the mark of
// purged deletions are derived from the numbers of the documents and events, which no checksum
// covers; a false one would refuse every write, or keep the search from being fed for ever.
// Invariant: a store whose numbers are possible is not written to.
import { ServiceError } from '../../errors.ts';
import type { SqliteConnection } from './sqlite-driver.ts';

/** More changes than any store makes, and an exact integer in JavaScript. */
const NUMBER_MAX = 2 ** 50;

const POSSIBLE = `typeof(value) = 'integer' and value between 0 and ${NUMBER_MAX}`;
const IMPOSSIBLE = `sequence < 1 or sequence > ${NUMBER_MAX}`;

/**
 * Corrects impossible numbers, inside the transaction of the caller: a counter below a number that
 * was given out, purged deletions beyond the last change, and documents that feeding never reaches.
 * @returns what was wrong and what was done, in a sentence; null: nothing
 */
export function mendChangeNumbers(connection: SqliteConnection): string | null {
  const done: string[] = [];
  try {
    const { counter, purged, given } = readNumbers(connection);
    const lost = connection.all(
      `select tenant_id, index_name, id from document where ${IMPOSSIBLE} order by sequence`,
      [],
    );
    let last = Math.max(counter ?? 0, given);
    for (const row of lost) {
      last += 1;
      connection.run(
        'update document set sequence = ? where tenant_id = ? and index_name = ? and id = ?',
        [last, row['tenant_id'], row['index_name'], row['id']] as (string | number)[],
      );
    }
    if (lost.length > 0) {
      const documents = lost.length === 1 ? '1 document' : `${lost.length} documents`;
      done.push(`${documents} with impossible numbers got ${last - lost.length + 1} to ${last}`);
    }
    if (counter === null || counter < given) {
      done.push(`the last number was ${counter ?? 'missing or impossible'} and is ${last} now`);
    }
    if (last !== counter) put(connection, 'document', last);
    if (purged === null || purged > last) {
      const was = purged ?? 'missing or impossible';
      done.push(`that up to which deletions were purged was ${was} and is ${last} now`);
      put(connection, 'purged', last);
    }
  } catch (error) {
    // Pages that cannot be read are told of by what needs them, and by the check of all pages. After some
    // errors SQLite has ended the transaction by itself, which the caller would commit.
    if (!(error instanceof ServiceError) || !connection.isInTransaction()) throw error;
  }
  if (done.length === 0) return null;
  return `Numbers of changes in the store were damaged and were corrected: ${done.join('; ')}`;
}

interface ChangeNumbers {
  /** null if it is missing or impossible. */
  readonly counter: number | null;
  readonly purged: number | null;
  /** The highest possible number of a document or event. */
  readonly given: number;
}

function readNumbers(connection: SqliteConnection): ChangeNumbers {
  const counter = (name: string) =>
    `(select value from sequence_counter where name = '${name}' and ${POSSIBLE})`;
  const highest = (table: string) =>
    `(select max(sequence) from ${table} where sequence between 1 and ${NUMBER_MAX})`;
  const row = connection.get(
    `select ${counter('document')} as counter, ${counter('purged')} as purged,
      max(coalesce(${highest('document')}, 0), coalesce(${highest('audit_event')}, 0)) as given`,
    [],
  );
  return row as unknown as ChangeNumbers;
}

function put(connection: SqliteConnection, name: string, value: number): void {
  connection.run(
    `insert into sequence_counter (name, value) values (?, ?)
      on conflict (name) do update set value = excluded.value`,
    [name, value],
  );
}
