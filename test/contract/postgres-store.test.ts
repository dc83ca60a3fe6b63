// The store contract on PostgreSQL.
import { after, before } from 'node:test';
import type { Store } from '../../src/identity/store.ts';
import { openPostgresStore } from '../../src/store/postgres-store.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { profileContract } from './profiles.ts';
import { resourceContract } from './resources.ts';
import { storeContract } from './store.ts';

let postgres: Postgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

async function open(name: string): Promise<Store> {
  const url = await postgres.database(name);
  return openPostgresStore({ url, poolSize: 2, waitMs: 20_000, statementMs: 30_000 });
}

storeContract('PostgreSQL', open);
resourceContract('PostgreSQL', open);
profileContract('PostgreSQL', open);
