// Size and document count of one index in OpenSearch. Lucene counts nested elements as documents,
// in its statistics of live and deleted ones too: live documents are counted by a query, deleted
// ones not at all.
import type { IndexHoldings } from '../../../service/ports/search-backend.ts';
import type { OpenSearchClient } from '../requests/client.ts';

interface StatsAnswer {
  readonly _all: {
    readonly primaries: {
      readonly store: { readonly size_in_bytes: number };
      readonly segments: { readonly count: number };
    };
  };
}

/** An index by its name in OpenSearch. */
interface HeldIndex extends Pick<IndexHoldings, 'index' | 'refused'> {
  readonly name: string;
}

/**
 * Reads the figures of one index.
 * @throws as OpenSearchClient.send
 */
export async function holdingsOf(
  client: OpenSearchClient,
  { index, name, refused }: HeldIndex,
  timeoutMs: number,
): Promise<IndexHoldings> {
  const [{ count }, stats] = await Promise.all([
    client.send<{ readonly count: number }>(
      { method: 'GET', path: `/${name}/_count` },
      { timeoutMs },
    ),
    client.send<StatsAnswer>(
      { method: 'GET', path: `/${name}/_stats/store,segments` },
      { timeoutMs },
    ),
  ]);
  const { store, segments } = stats._all.primaries;
  return {
    index,
    documents: count,
    deleted: null,
    refused,
    segments: segments.count,
    bytesOnDisk: store.size_in_bytes,
    bytesInMemory: null,
  };
}
