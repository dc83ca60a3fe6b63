// suite: shared C
// Two nodes over one PostgreSQL and one OpenSearch: the database is restored to an older state under them.
import { after, before, test } from 'node:test';
import { sharedOpenSearch } from '../support/opensearch.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { copyDatabase, passLostChanges, SLOW_POLLS, twoNodes } from '../support/restored-nodes.ts';

let postgres: Postgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

test('a database that goes back is fed again to the indexes in OpenSearch, also when new changes pass the lost ones', async () => {
  const { url } = await sharedOpenSearch();
  const nodes = await twoNodes(await postgres.migrated('restored'), copyDatabase, {
    ...SLOW_POLLS,
    CARDEA_SEARCH_URL: url,
    CARDEA_SEARCH_PREFIX: 'restored',
  });
  try {
    await passLostChanges(nodes);
  } finally {
    await nodes.stop();
  }
});
