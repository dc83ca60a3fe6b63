// Store, embedded index and indexer over one data directory, wired as in compose.ts, with much more
// frequent commits and merges than in production, so that a kill interrupts them.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedBackend } from '../../src/backends/embedded/embedded-backend.ts';
import { Indexer } from '../../src/backends/indexer.ts';
import { staticMapping } from '../../src/query/mapping/document-types.ts';
import type { SearchBackend } from '../../src/service/ports/search-backend.ts';
import type { Store } from '../../src/service/ports/store.ts';
import { acquireIndexLock } from '../../src/store/sqlite/index-lock.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { planOf } from '../contract/backend-world.ts';
import { searchOptions } from '../support/search-options.ts';
import { linesOf, TENANT } from './history.ts';

export interface Service {
  readonly store: Store;
  readonly backend: SearchBackend;
  readonly indexer: Indexer;
  stop(): Promise<void>;
}

const QUIET = { info: () => {}, warn: () => {} };

export const indexPath = (data: string): string => join(data, 'index');

export async function startService(data: string): Promise<Service> {
  mkdirSync(data, { recursive: true });
  const store = await openSqliteStore({ path: join(data, 'cardea.db') });
  const lock = await acquireIndexLock(indexPath(data));
  if (lock === null) throw new Error('The index is locked by another process');
  const backend = await openEmbeddedBackend({
    path: indexPath(data),
    mapping: (tenantId, index) => staticMapping(index, { name: tenantId, pod: 'cardea' }),
    lastSequence: () => store.read.lastSequence(),
    settleMs: 10,
  });
  const indexer = new Indexer(store, backend, {
    pollMs: 5,
    batchSize: 50,
    refreshMs: 1,
    commitMs: 15,
    log: QUIET,
  });
  return {
    store,
    backend,
    indexer,
    async stop() {
      await indexer.stop();
      await backend.close();
      lock.release();
      await store.close();
    },
  };
}

/** All documents of the store as lines. */
export async function linesInStore(store: Store): Promise<string[]> {
  const changes = await store.read.changesAfter(0, 1_000_000);
  return linesOf(changes.flatMap(({ document }) => (document === null ? [] : [document])));
}

/** All documents of the index as lines, read page by page. */
export async function linesInIndex(backend: SearchBackend): Promise<string[]> {
  const hits = [];
  for (let from = 0; ; from += 500) {
    const page = await backend.search(
      TENANT,
      planOf({ from, size: 500, indexes: ['events', 'roles'] }),
      searchOptions(),
    );
    hits.push(...page.hits);
    if (page.hits.length < 500) return linesOf(hits);
  }
}
