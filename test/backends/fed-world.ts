// A store of changes in memory with a backend on a real OpenSearch and an indexer that feeds it, as
// in a node. Several worlds over one store and prefix are several processes one after the other.
import assert from 'node:assert/strict';
import { type FedBackend, Indexer } from '../../src/backends/indexer.ts';
import {
  type OpenSearchOptions,
  openOpenSearchBackend,
} from '../../src/backends/opensearch/opensearch-backend.ts';
import { staticMapping } from '../../src/query/mapping/document-types.ts';
import type { SearchBackend } from '../../src/service/ports/search-backend.ts';
import type { Store } from '../../src/service/ports/store.ts';
import { OPTIONS, planOf } from '../contract/backend-world.ts';
import { eventually } from '../support/eventually.ts';
import type { FakeStore } from '../support/fake-store.ts';
import type { FaultyCalls } from '../support/faulty-calls.ts';

/** Calls that always succeed. */
const CALLS = {
  run: async (_name: string, { whole }: { readonly whole: () => unknown }) => whole(),
} as unknown as FaultyCalls;
const LOG = { info: () => {}, warn: () => {} };
const WAIT_MS = 240_000;

export interface FedWorld {
  readonly backend: SearchBackend;
  readonly indexer: Indexer;
  /** Adds roles to the store and waits until they are searchable. */
  add(tenantId: string, count: number): Promise<void>;
  /** The number of roles that a search finds. */
  found(tenantId: string): Promise<number>;
  close(): Promise<void>;
  /** Ends without a commit, as a killed process does. */
  abandon(): Promise<void>;
}

/** @param store the roles of all tenants */
export function openFedWorld(
  store: FakeStore,
  options: Pick<OpenSearchOptions, 'url' | 'prefix'> & Partial<OpenSearchOptions>,
): FedWorld {
  const port = store.open(CALLS);
  const backend = openOpenSearchBackend({
    mapping: (tenantId, index) => staticMapping(index, { name: tenantId, pod: 'cardea' }),
    lastSequence: async () => store.lastSequence,
    feedOf: (generation) => indexerOver(store, generation),
    ...options,
  });
  const indexer = newIndexer(port.store, backend);
  indexer.start();
  return {
    backend,
    indexer,
    async add(tenantId, count) {
      for (let n = 0; n < count; n++) store.put(tenantId, `r${store.lastSequence + 1}`);
      port.written();
      await indexer.waitFor(store.lastSequence, WAIT_MS);
    },
    async found(tenantId) {
      const { total } = await backend.search(tenantId, planOf(), OPTIONS);
      assert.ok(total !== null);
      return total;
    },
    async close() {
      await indexer.stop();
      await backend.close();
    },
    async abandon() {
      await indexer.abandon();
      await backend.close();
    },
  };
}

/** An indexer that feeds a backend from the store, not yet started. */
export function indexerOver(store: FakeStore, backend: FedBackend): Indexer {
  return newIndexer(store.open(CALLS).store, backend);
}

function newIndexer(store: Store, backend: FedBackend): Indexer {
  return new Indexer(store, backend, { pollMs: 50, batchSize: 500, log: LOG, commitMs: 200 });
}

export interface CatIndex {
  readonly index: string;
  readonly uuid: string;
  readonly status: 'open' | 'close';
  readonly pri: string;
  readonly rep: string;
}

/** The indexes of a prefix by their names, without the state. */
export async function indexesOf(url: string, prefix: string): Promise<CatIndex[]> {
  const path = `_cat/indices/${prefix}-*?format=json&expand_wildcards=all&s=index`;
  const answer = await fetch(`${url}/${path}`);
  const indexes = (await answer.json()) as CatIndex[];
  return indexes.filter(({ index }) => index !== `${prefix}-state`);
}

/** Waits for these names of indexes. */
export async function hasIndexes(
  url: string,
  prefix: string,
  names: readonly string[],
): Promise<void> {
  await eventually(async () => {
    const indexes = await indexesOf(url, prefix);
    assert.deepEqual(indexes.map(({ index }) => index).sort(), [...names].sort());
  });
}

/** Sends JSON; fails unless the answer is 2xx. */
export async function send(url: string, method: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${url}: ${text}`);
  return JSON.parse(text);
}
