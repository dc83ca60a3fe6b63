import assert from 'node:assert/strict';
import type { SqliteConnection } from '../../src/store/sqlite/sqlite-driver.ts';

/** Fails if SQLite finds a fault in the file or its indexes. */
export function assertSound(connection: SqliteConnection): void {
  assert.deepEqual(
    connection.all('pragma integrity_check', []).map((row) => ({ ...row })),
    [{ integrity_check: 'ok' }],
  );
}
