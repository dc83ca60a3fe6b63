// suite: slow
// Advanced search on PostgreSQL against the naive evaluator.
import { after } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { caseCount } from '../support/case-count.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { findsTheSameProfiles } from './profiles-judge.ts';

let postgres: Postgres | undefined;
after(() => postgres?.stop());

findsTheSameProfiles('PostgreSQL', caseCount(200, 600), 0, async () => {
  postgres = await startPostgres();
  const url = await postgres.migrated('differential');
  return openPostgresStore({ url, poolSize: 2, waitMs: 20_000, statementMs: 60_000 });
});
