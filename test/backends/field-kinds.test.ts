// suite: shared B
// Attributes whose values change kind, with OpenSearch as the search backend.
import '../api/field-kinds.test.ts';
import { sharedOpenSearch } from '../support/opensearch.ts';
import { useInfrastructure } from '../support/service.ts';

let services = 0;
useInfrastructure({
  async settings() {
    const { url } = await sharedOpenSearch();
    return { CARDEA_SEARCH_URL: url, CARDEA_SEARCH_PREFIX: `kinds${++services}` };
  },
});
