// suite: shared B
// The contract of search backends on a real OpenSearch.
import { before } from 'node:test';
import { openOpenSearchBackend } from '../../src/backends/opensearch/opensearch-backend.ts';
import { staticMapping } from '../../src/query/mapping/document-types.ts';
import type { BackendHarness } from '../contract/backend-world.ts';
import { searchAnswersContract } from '../contract/search-answers.ts';
import { searchBackendContract } from '../contract/search-backend.ts';
import { searchElementsContract } from '../contract/search-elements.ts';
import { searchRequestContract } from '../contract/search-requests.ts';
import { searchVisibleContract } from '../contract/search-visible.ts';
import { type OpenSearch, sharedOpenSearch } from '../support/opensearch.ts';

let openSearch: OpenSearch;
let harnesses = 0;

before(async () => {
  openSearch = await sharedOpenSearch();
});

async function create(): Promise<BackendHarness> {
  harnesses += 1;
  const prefix = `contract${harnesses}`;
  const harness: BackendHarness = {
    lastSequence: 0,
    open: async () =>
      openOpenSearchBackend({
        url: openSearch.url,
        prefix,
        mapping: (tenantId, index) => staticMapping(index, { name: tenantId, pod: 'cardea' }),
        lastSequence: async () => harness.lastSequence,
      }),
    dispose: async () => {
      for (const path of [`${prefix}-*-v*`, `${prefix}-state`]) {
        await fetch(`${openSearch.url}/${path}?ignore_unavailable=true`, { method: 'DELETE' });
      }
    },
  };
  return harness;
}

searchBackendContract('OpenSearch', create);
searchVisibleContract('OpenSearch', 'refused', create);
searchAnswersContract('OpenSearch', create);
searchElementsContract('OpenSearch', create);
searchRequestContract('OpenSearch', create);
