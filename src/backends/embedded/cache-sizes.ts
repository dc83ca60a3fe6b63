// Divides the memory for caches (the setting CARDEA_MEMORY) among the caches of the embedded backend.
// What the others may not use is left to documents, since a page of hits reads most bytes there.

const MIB = 2 ** 20;

/** Most bytes of each cache. */
export interface CacheSizes {
  /** Blocks of documents. */
  readonly documents: number;
  /** Pages of positions, for phrases. */
  readonly positions: number;
  /** Sets of rows, orders and postings that searches share. */
  readonly queries: number;
  /** Counts and aggregations. */
  readonly results: number;
  /** The same as the first three, of all search workers together. */
  readonly workers: Pick<CacheSizes, 'documents' | 'positions' | 'queries'>;
}

/** @param memory bytes of all caches together */
export function cacheSizes(memory: number): CacheSizes {
  const positions = part(memory, 0.1, 256 * MIB);
  const queries = part(memory, 0.15, 512 * MIB);
  const results = part(memory, 0.05, 16 * MIB);
  const workers = {
    documents: part(memory, 0.02, 8 * MIB),
    positions: part(memory, 0.04, 64 * MIB),
    queries: part(memory, 0.08, 256 * MIB),
  };
  const others =
    positions + queries + results + workers.documents + workers.positions + workers.queries;
  return { documents: memory - others, positions, queries, results, workers };
}

function part(memory: number, share: number, most: number): number {
  return Math.min(Math.floor(memory * share), most);
}
