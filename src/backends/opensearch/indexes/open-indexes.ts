// Limits how many indexes are open. A closed index keeps its files and takes neither heap nor one
// of the shards that a node may hold (`cluster.max_shards_per_node`), so a cluster may hold the
// indexes of many small tenants. A search or a change opens it again within a few hundred
// milliseconds. If the cluster has too many shards to open or create an index, because of those of
// other services or of a lower limit, idle indexes are closed for it.
// Invariant: only the process that feeds the indexes closes any, and none that it writes to.
import { type OpenSearchClient, OpenSearchFault } from '../requests/client.ts';
import { chunksOf } from './index-names.ts';
import type { RemoteIndex } from './remote-indexes.ts';

const ADMIN_MS = 30_000;
/** Indexes closed at a time; fewer where few may be open. */
const CLOSED_AT_ONCE = 20;
const CLOSED_SHARE = 0.05;

interface SearchStats {
  readonly indices?: Readonly<
    Record<string, { readonly total?: { readonly search?: { readonly query_total?: number } } }>
  >;
}

export interface OpenIndexesOptions {
  readonly client: OpenSearchClient;
  readonly prefix: string;
  /**
   * Indexes that may be open for each data node of the cluster; one with more than two shards,
   * replicas included, counts as several.
   */
  readonly mostPerNode: number;
  /** Whether this process feeds the indexes. */
  feeds(): boolean;
}

/** What an index takes of the room of a cluster. */
type Size = Pick<RemoteIndex, 'shards' | 'replicas'>;

const SMALLEST: Size = { shards: 1, replicas: 0 };

export class OpenIndexes {
  readonly #options: OpenIndexesOptions;
  #nodes = 1;
  /** The sizes of all indexes, open or closed, by name. */
  readonly #sizes = new Map<string, Size>();
  /** The open indexes by name, those first that were not used for longest. */
  readonly #open = new Map<string, { queries: number }>();
  /** Indexes that a batch of changes is being written to, by the set that they are in. */
  readonly #inUse = new Map<object, Set<string>>();

  constructor(options: OpenIndexesOptions) {
    this.#options = options;
  }

  /** How many indexes may be open. */
  get #most(): number {
    return this.#options.mostPerNode * this.#nodes;
  }

  /** How many indexes are closed beyond those that must be. */
  get #spare(): number {
    const share = Math.max(1, Math.floor(this.#most * CLOSED_SHARE));
    return Math.min(CLOSED_AT_ONCE, share) - 1;
  }

  /** How many indexes the open ones count as. */
  get #used(): number {
    return sumOf([...this.#open.keys()], (name) => this.#countOf(name));
  }

  /** Takes over which indexes are open in OpenSearch, and keeps what is recorded of their use. */
  async update(indexes: readonly RemoteIndex[]): Promise<void> {
    const { client } = this.#options;
    const health = await client.send<{ readonly number_of_data_nodes?: number }>(
      {
        method: 'GET',
        path: '/_cluster/health',
        query: { filter_path: 'number_of_data_nodes', level: 'cluster' },
      },
      { timeoutMs: ADMIN_MS },
    );
    this.#nodes = Math.max(1, health.number_of_data_nodes ?? 1);
    this.#sizes.clear();
    for (const index of indexes) this.#sizes.set(index.name, index);
    const open = new Set(indexes.filter((one) => one.open).map(({ name }) => name));
    for (const name of this.#open.keys()) if (!open.has(name)) this.#open.delete(name);
    for (const name of open) if (!this.#open.has(name)) this.#open.set(name, { queries: 0 });
  }

  isOpen(name: string): boolean {
    return this.#open.has(name);
  }

  /**
   * Creates or opens an index for the batch of a set.
   * @param create null: it exists
   */
  async ensureOpen(
    set: object,
    { name, ...size }: Size & { readonly name: string },
    create: (() => Promise<void>) | null,
  ): Promise<void> {
    const batch = this.#inUse.get(set) ?? new Set();
    this.#inUse.set(set, batch.add(name));
    this.#sizes.set(name, size);
    if (create !== null || !this.#open.has(name)) {
      await this.#makeRoom(this.#countOf(name));
      await (create === null ? this.open([name]) : this.#openWithRoom([name], create));
    }
    this.#use(name);
  }

  /** The batch of the set is written: its indexes may be closed again. */
  endBatch(set: object): void {
    this.#inUse.delete(set);
  }

  /** The indexes were deleted. */
  forget(names: readonly string[]): void {
    for (const name of names) {
      this.#open.delete(name);
      this.#sizes.delete(name);
    }
  }

  /** Opens indexes, of which some may be open. */
  async open(names: readonly string[], timeoutMs = ADMIN_MS): Promise<void> {
    for (const some of chunksOf(names)) {
      await this.#openWithRoom(names, async () => {
        await this.#options.client.send(
          { method: 'POST', path: `/${some}/_open`, query: { wait_for_active_shards: '1' } },
          { timeoutMs },
        );
      });
    }
    for (const name of names) this.#use(name);
  }

  /** Closes indexes if there is no room for another one that counts as `count`. */
  async #makeRoom(count: number): Promise<void> {
    const excess = this.#used + count - this.#most;
    if (excess <= 0) return;
    await this.#readUse();
    await this.#close(this.#longestUnused(excess + this.#spare, (name) => this.#countOf(name)));
  }

  /**
   * Opens or creates indexes. If OpenSearch has too many shards for them, others are closed first,
   * provided that they are enough.
   */
  async #openWithRoom(names: readonly string[], work: () => Promise<void>): Promise<void> {
    try {
      return await work();
    } catch (error) {
      const excess = shardsInExcess(error);
      if (excess === 0 || !this.#options.feeds()) throw error;
      await this.#readUse();
      const shardsOf = (name: string) => this.#shardsOf(name);
      const unused = this.#longestUnused(excess + this.#spare, shardsOf, names);
      if (sumOf(unused, shardsOf) < excess) throw error;
      await this.#close(unused);
    }
    await work();
  }

  /** Closes what exceeds the limit: searches of other nodes open indexes, too. */
  async sweep(): Promise<void> {
    const excess = this.#used - this.#most;
    if (excess <= 0) return;
    await this.#readUse();
    await this.#close(this.#longestUnused(excess, (name) => this.#countOf(name)));
  }

  /** The shards of an index, replicas included. */
  #shardsOf(name: string): number {
    const { shards, replicas } = this.#sizes.get(name) ?? SMALLEST;
    const copies = replicas === 'auto' ? Number(this.#nodes > 1) : replicas;
    return shards * (1 + copies);
  }

  /** How many indexes it counts as. */
  #countOf(name: string): number {
    return Math.max(1, this.#shardsOf(name) / 2);
  }

  /** The indexes that were not used for longest, as many as come to `amount`, or all. */
  #longestUnused(
    amount: number,
    amountOf: (name: string) => number,
    except: readonly string[] = [],
  ): string[] {
    const used = [...this.#inUse.values()];
    const names: string[] = [];
    let left = amount;
    for (const name of this.#open.keys()) {
      if (left <= 0) break;
      if (except.includes(name) || used.some((batch) => batch.has(name))) continue;
      names.push(name);
      left -= amountOf(name);
    }
    return names;
  }

  /** Asks OpenSearch which indexes were searched since the last time, by any node. */
  async #readUse(): Promise<void> {
    const { client, prefix } = this.#options;
    const answer = await client.send<SearchStats>(
      {
        method: 'GET',
        path: `/${encodeURIComponent(prefix)}-*/_stats/search`,
        query: { filter_path: 'indices.*.total.search.query_total' },
      },
      { timeoutMs: ADMIN_MS },
    );
    for (const [name, { total }] of Object.entries(answer.indices ?? {})) {
      const queries = total?.search?.query_total ?? 0;
      const last = this.#open.get(name);
      if (last !== undefined && last.queries !== queries) this.#use(name, queries);
    }
  }

  /** Marks the index as the one used last. */
  #use(name: string, queries = this.#open.get(name)?.queries ?? 0): void {
    this.#open.delete(name);
    this.#open.set(name, { queries });
  }

  async #close(names: readonly string[]): Promise<void> {
    for (const some of chunksOf(names)) {
      await this.#options.client.send(
        {
          method: 'POST',
          path: `/${some}/_close`,
          query: { ignore_unavailable: 'true', wait_for_active_shards: '0' },
        },
        { timeoutMs: ADMIN_MS },
      );
    }
    for (const name of names) this.#open.delete(name);
  }
}

/**
 * The number of shards by which a cluster that refuses an index exceeds its limit
 * (ShardLimitValidator); 0 if that is not the reason.
 */
function shardsInExcess(error: unknown): number {
  if (!(error instanceof OpenSearchFault)) return 0;
  const [, added, current, most] = SHARD_LIMIT.exec(error.message) ?? [];
  return most === undefined ? 0 : Number(added) + Number(current) - Number(most);
}

const SHARD_LIMIT = /would add \[(\d+)\] .*currently has \[(\d+)\]\/\[(\d+)\] maximum shards open/;

function sumOf(names: readonly string[], amountOf: (name: string) => number): number {
  return names.reduce((sum, name) => sum + amountOf(name), 0);
}

/** Whether an index must be opened before the request can be answered. */
export function isClosed(error: unknown): boolean {
  return error instanceof OpenSearchFault && error.type === 'index_closed_exception';
}
