// Finds months without documents: those whose documents a retention or a user has deleted.
// Invariant: a month is empty only if all of its shards say so.
import { OTHER_MONTHS } from '../../../identity/documents/document-month.ts';
import type { OpenSearchClient } from '../client.ts';
import type { RemoteIndex } from './remote-indexes.ts';

const ADMIN_MS = 30_000;

interface StatsAnswer {
  readonly indices?: Readonly<
    Record<string, { readonly primaries?: { readonly docs?: { readonly count?: number } } }>
  >;
}

interface SearchAnswer {
  readonly _shards: { readonly failed: number };
  readonly hits: { readonly total: { readonly value: number } };
}

/**
 * Returns the open indexes that hold no document. They must have been refreshed.
 * @param months indexes of months
 */
export async function emptyMonths(
  client: OpenSearchClient,
  prefix: string,
  months: readonly RemoteIndex[],
): Promise<readonly RemoteIndex[]> {
  const { indices = {} } = await client.send<StatsAnswer>(
    {
      method: 'GET',
      path: `/${encodeURIComponent(prefix)}-*/_stats/docs`,
      query: { filter_path: 'indices.*.primaries.docs.count' },
    },
    { timeoutMs: ADMIN_MS },
  );
  const empty: RemoteIndex[] = [];
  for (const month of months) {
    const seemsEmpty = indices[month.name]?.primaries?.docs?.count === 0;
    if (seemsEmpty && (await isEmpty(client, month))) empty.push(month);
  }
  return empty;
}

/** The months of each tenant and type but the newest, which gets documents again. */
export function pastMonths(indexes: readonly RemoteIndex[]): readonly RemoteIndex[] {
  const newest = new Map<string, string>();
  for (const { alias, month } of indexes) {
    if (month === null) continue;
    const order = orderOf(month);
    if (order >= (newest.get(alias) ?? '')) newest.set(alias, order);
  }
  return indexes.filter(
    ({ alias, month }) => month !== null && orderOf(month) !== newest.get(alias),
  );
}

/** Asks all shards; the statistics leave out shards that are not available. */
async function isEmpty(client: OpenSearchClient, { name }: RemoteIndex): Promise<boolean> {
  const { _shards, hits } = await client.send<SearchAnswer>(
    {
      method: 'POST',
      path: `/${encodeURIComponent(name)}/_search`,
      query: { allow_partial_search_results: 'false' },
      body: { size: 0, track_total_hits: true },
    },
    { timeoutMs: ADMIN_MS },
  );
  return _shards.failed === 0 && hits.total.value === 0;
}

/** Months in the order of time; documents of no month come first. */
function orderOf(month: string): string {
  return month === OTHER_MONTHS ? '' : month;
}
