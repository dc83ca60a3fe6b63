// The contract of search backends, run on the embedded engine.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedBackend } from '../../src/backends/embedded/embedded-backend.ts';
import type { EmbeddedOptions } from '../../src/backends/embedded/embedded-options.ts';
import { staticMapping } from '../../src/query/mapping/document-types.ts';
import { openWithReaders } from '../support/thread-reader.ts';
import type { BackendHarness } from './backend-world.ts';
import { searchAnswersContract } from './search-answers.ts';
import { searchBackendContract } from './search-backend.ts';
import { searchElementsContract } from './search-elements.ts';
import { searchRequestContract } from './search-requests.ts';
import { searchVisibleContract } from './search-visible.ts';

/**
 * The contract on the embedded engine.
 * @param readers threads that search it; 0: the one that feeds it
 */
export function embeddedContract(
  name: string,
  options: Partial<EmbeddedOptions>,
  readers = 0,
): void {
  const create = async () => {
    const path = mkdtempSync(join(tmpdir(), 'cardea-index-'));
    const harness: BackendHarness = {
      lastSequence: 0,
      open: () => {
        const all: EmbeddedOptions = {
          path,
          mapping: (tenantId, index) => staticMapping(index, { name: tenantId, pod: 'cardea' }),
          lastSequence: async () => harness.lastSequence,
          ...options,
        };
        return readers === 0 ? openEmbeddedBackend(all) : openWithReaders(all, readers);
      },
      dispose: async () => rmSync(path, { recursive: true, force: true }),
    };
    return harness;
  };
  searchBackendContract(name, create);
  searchAnswersContract(name, create);
  searchElementsContract(name, create);
  searchRequestContract(name, create);
  searchVisibleContract(name, 'answered', create);
}
