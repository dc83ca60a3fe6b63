// The suite of what people type and programs send, unchanged, with OpenSearch over PostgreSQL.
import { after } from 'node:test';
import '../api/search-hints.test.ts';
import { sharedOpenSearch } from '../support/opensearch.ts';
import { startPostgres } from '../support/postgres.ts';
import { useInfrastructure } from '../support/service.ts';

const postgres = await startPostgres();
after(() => postgres.stop());
let services = 0;
useInfrastructure({
  async settings() {
    const { url } = await sharedOpenSearch();
    const name = `hints${++services}`;
    return {
      CARDEA_SEARCH_URL: url,
      CARDEA_SEARCH_PREFIX: name,
      CARDEA_STORE_URL: await postgres.migrated(name),
    };
  },
});
