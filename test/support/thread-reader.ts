// The embedded backend with its searches in the way of other threads: what they know of the indexes
// arrives in messages, copied as between threads.
import { MessageChannel } from 'node:worker_threads';
import {
  type EmbeddedBackend,
  openEmbeddedBackend,
} from '../../src/backends/embedded/embedded-backend.ts';
import type { EmbeddedOptions } from '../../src/backends/embedded/embedded-options.ts';
import { cacheSizes } from '../../src/backends/embedded/indexes/cache-sizes.ts';
import type {
  FromIndexReader,
  IndexList,
} from '../../src/backends/embedded/indexes/shared-indexes.ts';
import { EmbeddedSearch } from '../../src/backends/embedded/searching/embedded-search.ts';
import { ResultCache } from '../../src/backends/embedded/searching/result-cache.ts';
import { ThreadIndexes } from '../../src/backends/embedded/searching/thread-indexes.ts';
import { CooperativeScheduler } from '../../src/scheduling/cooperative.ts';

const MEMORY = 64 * 2 ** 20;
const SEARCHES: ReadonlySet<string | symbol> = new Set(['search', 'typeahead', 'count', 'explain']);

/** Like `openEmbeddedBackend`, but its searches take turns in so many readers. */
export async function openWithReaders(
  options: EmbeddedOptions,
  count = 1,
): Promise<EmbeddedBackend> {
  const backend = await openEmbeddedBackend(options);
  const sizes = { ...cacheSizes(MEMORY), ...options.cacheSizes };
  const readers = Array.from({ length: count }, () => reader(backend, sizes));
  await Promise.all(readers.map(({ held }) => held.begin()));
  let turn = 0;
  return new Proxy(backend, {
    get(target, name) {
      if (name === 'figures') {
        return () => ({ ...target.figures(), caches: readers[0]?.indexes.figures ?? [] });
      }
      if (name === 'close') {
        return async () => {
          for (const one of readers) one.close();
          await target.close();
        };
      }
      turn += 1;
      const asked = readers[turn % count]?.search;
      const owner = (SEARCHES.has(name) ? asked : undefined) ?? target;
      const member: unknown = Reflect.get(owner, name, owner);
      return typeof member === 'function' ? member.bind(owner) : member;
    },
  });
}

function reader(backend: EmbeddedBackend, sizes: ReturnType<typeof cacheSizes>) {
  const { port1: here, port2: there } = new MessageChannel();
  const indexes = new ThreadIndexes({
    cacheSizes: sizes,
    post: (message) => there.postMessage(message),
    onDamaged: (error, tenantId) => backend.discardDamaged(error, tenantId),
  });
  there.on('message', (list: IndexList) => indexes.take(list));
  const held = backend.addReader((list) => here.postMessage(list));
  here.on('message', (message: FromIndexReader) => held.onMessage(message));
  const search = new EmbeddedSearch({
    indexes,
    scheduler: new CooperativeScheduler(),
    results: new ResultCache(indexes.caches.results),
  });
  const close = () => {
    indexes.close();
    held.close();
    here.close();
  };
  return { indexes, search, held, close };
}
