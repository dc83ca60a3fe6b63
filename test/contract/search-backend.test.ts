import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedBackend } from '../../src/backends/embedded/embedded-backend.ts';
import { staticMapping } from '../../src/query/mapping/document-types.ts';
import type { BackendHarness } from './backend-world.ts';
import { searchAnswersContract } from './search-answers.ts';
import { searchBackendContract } from './search-backend.ts';
import { searchRequestContract } from './search-requests.ts';

for (const [name, options] of [
  ['embedded', {}],
  ['embedded, as it pays', { searchWorkers: 1 }],
  ['embedded, in workers', { searchWorkers: 2, mainThreadSearches: 'never' }],
] as const) {
  const create = async () => {
    const path = mkdtempSync(join(tmpdir(), 'cardea-index-'));
    const harness: BackendHarness = {
      lastSequence: 0,
      open: () =>
        openEmbeddedBackend({
          path,
          mapping: (tenantId, index) => staticMapping(index, { name: tenantId, pod: 'cardea' }),
          lastSequence: async () => harness.lastSequence,
          ...options,
        }),
      dispose: async () => rmSync(path, { recursive: true, force: true }),
    };
    return harness;
  };
  searchBackendContract(name, create);
  searchAnswersContract(name, create);
  searchRequestContract(name, create);
}
