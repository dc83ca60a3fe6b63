// suite: shared B
// Kinds of fields, and what is shown without a choice, with OpenSearch as the search backend.
import '../api/fields.test.ts';
import '../api/shown-fields.test.ts';
import { sharedOpenSearch } from '../support/opensearch.ts';
import { useInfrastructure } from '../support/service.ts';

let services = 0;

useInfrastructure({
  async settings() {
    const { url } = await sharedOpenSearch();
    services += 1;
    return { CARDEA_SEARCH_URL: url, CARDEA_SEARCH_PREFIX: `fields${services}` };
  },
});
