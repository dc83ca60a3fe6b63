// Reads which migrations a PostgreSQL store has, without opening it as a store, which runs the
// others.
import { Client } from 'pg';
import { translateErrors } from './postgres-errors.ts';
import { clientConfig, type PostgresAddress } from './postgres-pool.ts';

/**
 * Returns the names of the migrations that were applied to the database.
 * @throws ServiceError `unavailable` if the database cannot be reached
 */
export async function postgresMigrations(address: PostgresAddress): Promise<readonly string[]> {
  const client = new Client(clientConfig(address));
  client.on('error', () => {});
  try {
    await translateErrors(client.connect());
    const table = await translateErrors(
      client.query<{ name: string | null }>("select to_regclass('schema_migration') as name"),
    );
    if (table.rows[0]?.name == null) return [];
    const { rows } = await translateErrors(
      client.query<{ name: string }>('select name from schema_migration'),
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}
