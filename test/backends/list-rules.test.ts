// The rules of filters and sorters of lists on PostgreSQL and OpenSearch.
import { after, before } from 'node:test';
import { listRules } from '../lists/list-rules.ts';
import { sharedOpenSearch } from '../support/opensearch.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';

let postgres: Postgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

listRules(async () => ({
  CARDEA_STORE_URL: await postgres.database('rules'),
  CARDEA_SEARCH_URL: (await sharedOpenSearch()).url,
}));
