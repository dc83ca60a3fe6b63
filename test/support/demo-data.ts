// A stopped data directory with the demo company, to be copied, and one whose log is empty.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { commandLine } from './command-line.ts';

/** Makes the demo company, by default with eight identities, and stops its server. */
export async function makeDemo(
  dataDir: string,
  size: readonly string[] = ['--identities', '8'],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const args = ['demo', '--data-dir', dataDir, '--port', '0', ...size];
  const line = commandLine([...args, '--log-level', 'error'], { env });
  await line.shows(/Ctrl-C/);
  line.interrupt();
  assert.equal(await line.ended, 0, line.err());
}

/**
 * Moves the log of the store into its file. On Node 20 the last connection that closes does not always do
 * so, and then a copy of the file alone is an older store.
 */
export async function moveLogIn(dataDir: string): Promise<void> {
  const connection = await openConnection(join(dataDir, 'cardea.db'), 60_000);
  try {
    connection.exec('pragma wal_checkpoint(truncate)');
  } finally {
    connection.close();
  }
}
