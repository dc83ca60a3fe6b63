// Who may read which list, the hints of every list, and what lists of profile management have in common,
// once more with PostgreSQL and OpenSearch below.
import { after } from 'node:test';
import { sharedOpenSearch } from '../support/opensearch.ts';
import { startPostgres } from '../support/postgres.ts';
import { useInfrastructure } from '../support/service.ts';

const postgres = await startPostgres();
after(() => postgres.stop());
let services = 0;
useInfrastructure({
  async settings() {
    const { url } = await sharedOpenSearch();
    const name = `levels${++services}`;
    const store = await postgres.migrated(name);
    return {
      ...{ CARDEA_STORE_URL: store, CARDEA_SEARCH_URL: url },
      CARDEA_SEARCH_PREFIX: name,
    };
  },
});

await import('../lists/levels.test.ts');
await import('../lists/followed-hints.test.ts');
await import('../api/profile-conventions.test.ts');
