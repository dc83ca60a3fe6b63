// Divides the memory for caches (the setting CARDEA_MEMORY, and of it the part of one thread) among the
// caches of the embedded search.
// What the others may not use is left to documents, since a page of hits reads most bytes there.

import { QueryCache } from '../../../engine/index/query-cache.ts';
import { ByteCache } from '../../../engine/sections/byte-cache.ts';
import type { BackendFigures } from '../../../service/ports/search-backend.ts';
import type { SegmentCaches } from './stored-segment.ts';

const MIB = 2 ** 20;
/** What searches compute may take as many bytes as the segments, and this much in any case. */
const QUERIES_LEAST = 16 * MIB;

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
}

/** The caches of one thread that searches. */
export interface IndexCaches extends SegmentCaches {
  /** Counts and aggregations; their owners are lists of views. */
  readonly results: ByteCache<unknown, string>;
}

/** @param memory bytes of all caches of a thread together */
export function cacheSizes(memory: number): CacheSizes {
  const positions = part(memory, 0.1, 256 * MIB);
  const queries = part(memory, 0.15, 512 * MIB);
  const results = part(memory, 0.05, 16 * MIB);
  return { documents: memory - positions - queries - results, positions, queries, results };
}

export function createCaches(sizes: CacheSizes): IndexCaches {
  return {
    sources: new ByteCache(sizes.documents),
    pages: new ByteCache(sizes.positions),
    queries: new QueryCache(sizes.queries),
    results: new ByteCache<unknown, string>(sizes.results),
  };
}

/** How full and how useful the caches are, by their names. */
export function figuresOf(caches: IndexCaches): BackendFigures['caches'] {
  const { sources, results, queries, pages: positions } = caches;
  return Object.entries({ sources, results, queries, positions }).map(([cache, { figures }]) => {
    return { cache, ...figures };
  });
}

/**
 * Most bytes of what searches compute: of small data little is worth keeping, and the other caches are
 * bounded by the data anyway.
 * @param most as of `cacheSizes`
 * @param dataBytes size of all segments
 */
export function queriesLimit(most: number, dataBytes: number): number {
  return Math.min(most, Math.max(QUERIES_LEAST, dataBytes));
}

function part(memory: number, share: number, most: number): number {
  return Math.min(Math.floor(memory * share), most);
}
