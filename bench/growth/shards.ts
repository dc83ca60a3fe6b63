// The shards and nodes that an index of a given size needs, from measured bytes and CPU per
// document, and from OpenSearch's own limits.

/** Bytes and CPU that were measured at two sizes. */
export interface Slopes {
  /** Bytes of the index for each document, one copy. */
  readonly bytesPerDocument: number;
  /** CPU of a question in OpenSearch and Cardea: seconds, and more for each million documents. */
  readonly questionSeconds: number;
  readonly questionSecondsPerMillion: number;
  /** CPU of a written document in all parts, in seconds. */
  readonly writeSeconds: number;
}

export interface Demand {
  readonly documents: number;
  readonly replicas: number;
  readonly questionsPerSecond: number;
  readonly writesPerSecond: number;
}

export interface Cluster {
  /** Primary shards of all indexes of the documents. */
  readonly shards: number;
  readonly shardGib: number;
  /** Of all nodes, with replicas, and room for merges below the first watermark. */
  readonly diskGib: number;
  /** For everything, at a usual load of 60 %. */
  readonly cores: number;
  /** Nodes of 16 cores and 64 GiB, at least one more than the replicas. */
  readonly nodes: number;
}

/** OpenSearch advises 10 to 50 GiB for a shard. */
export const SHARD_GIB_MAX = 40;
/** The low watermark of the disk, above which no shard is allocated, is 85 %; merges need room. */
const DISK_SHARE = 0.7;
const LOAD_SHARE = 0.6;
const NODE_CORES = 16;
/** Half of the memory is for the page cache; a busy index should mostly fit. */
const NODE_CACHE_GIB = 32;
/** The share of an index that questions read: terms, postings and columns, not all sources. */
const HOT_SHARE = 0.35;
const GIB = 2 ** 30;

/** Returns what a demand needs. */
export function clusterFor(demand: Demand, slopes: Slopes): Cluster {
  const { documents, replicas, questionsPerSecond, writesPerSecond } = demand;
  const gib = (documents * slopes.bytesPerDocument) / GIB;
  const shards = Math.max(1, Math.ceil(gib / SHARD_GIB_MAX));
  const question =
    slopes.questionSeconds + (slopes.questionSecondsPerMillion * documents) / 1_000_000;
  const busy =
    questionsPerSecond * question + writesPerSecond * slopes.writeSeconds * (1 + replicas);
  const cores = Math.max(2, Math.ceil(busy / LOAD_SHARE));
  const hotGib = gib * (1 + replicas) * HOT_SHARE;
  return {
    shards,
    shardGib: gib / shards,
    diskGib: (gib * (1 + replicas)) / DISK_SHARE,
    cores,
    nodes: Math.max(
      1 + replicas,
      Math.ceil(cores / NODE_CORES),
      Math.ceil(hotGib / NODE_CACHE_GIB),
    ),
  };
}
