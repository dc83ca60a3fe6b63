// The search of a data directory without a server, for commands.
import type { Offline } from '../../compose/compose.ts';
import type { Config } from '../../config/config.ts';
import type { Search } from '../../service/searching/search.ts';
import { type Context, UsageError } from '../common/context.ts';
import { indexUpTo } from '../common/data.ts';

/**
 * Opens the search, and waits until every change is searchable.
 * @param otherwise what to do instead of stopping a server that has the search
 * @throws UsageError if a server has it
 */
export async function openSearch(
  { backend, indexer, store, documents, scheduler }: Offline,
  { limits, queryTimeoutMs: timeoutMs }: Config,
  { terminal, stop, now }: Context,
  otherwise: string,
): Promise<Search> {
  if (backend === null || indexer === null) {
    throw new UsageError([`A server has the search of these data: stop it, ${otherwise}.`]);
  }
  await indexUpTo(indexer, { from: 0, sequence: await store.read.lastSequence() }, terminal, stop);
  const { Search: Class } = await import('../../service/searching/search.ts');
  const { Visibility } = await import('../../service/searching/visibility.ts');
  const settings = { limits, timeoutMs, scheduler };
  const sources = { backend, documents, views: store.read, clock: { now } };
  return new Class(new Visibility({ ...sources, ...settings }), { now }, settings);
}
