// The suite of rows, unchanged, with OpenSearch as the search backend.
import { after } from 'node:test';
import { startOpenSearch } from '../support/opensearch.ts';
import { useInfrastructure } from '../support/service.ts';

const openSearch = await startOpenSearch();
after(() => openSearch.stop());
let services = 0;
useInfrastructure({
  async settings() {
    services += 1;
    return { CARDEA_SEARCH_URL: openSearch.url, CARDEA_SEARCH_PREFIX: `rows${services}` };
  },
});

await import('../api/rows.test.ts');
