// Limits how many indexes are open. A closed index keeps its files and takes neither heap nor one
// of the shards that a node may hold (`cluster.max_shards_per_node`), so a cluster may hold the
// indexes of many small tenants. A search or a change opens it again within a few hundred
// milliseconds.
// Invariant: only the process that feeds the indexes closes any, and none that it writes to.
import { type OpenSearchClient, OpenSearchFault } from '../client.ts';
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

export class OpenIndexes {
  readonly #client: OpenSearchClient;
  readonly #prefix: string;
  readonly #mostPerNode: number;
  #nodes = 1;
  /** The open indexes by name, those first that were not used for longest. */
  readonly #open = new Map<string, { queries: number }>();
  /** Indexes that a batch of changes is being written to, by the set that they are in. */
  readonly #inUse = new Map<object, Set<string>>();

  /** @param mostPerNode indexes that may be open for each data node of the cluster */
  constructor(client: OpenSearchClient, prefix: string, mostPerNode: number) {
    this.#client = client;
    this.#prefix = prefix;
    this.#mostPerNode = mostPerNode;
  }

  get #most(): number {
    return this.#mostPerNode * this.#nodes;
  }

  /** Takes over which indexes are open in OpenSearch, and keeps what is recorded of their use. */
  async update(indexes: readonly RemoteIndex[]): Promise<void> {
    const health = await this.#client.send<{ readonly number_of_data_nodes?: number }>(
      {
        method: 'GET',
        path: '/_cluster/health',
        query: { filter_path: 'number_of_data_nodes', level: 'cluster' },
      },
      { timeoutMs: ADMIN_MS },
    );
    this.#nodes = Math.max(1, health.number_of_data_nodes ?? 1);
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
  async ensureOpen(set: object, name: string, create: (() => Promise<void>) | null): Promise<void> {
    const batch = this.#inUse.get(set) ?? new Set();
    this.#inUse.set(set, batch.add(name));
    if (create !== null || !this.#open.has(name)) {
      await this.#makeRoom();
      await (create === null ? this.open([name]) : create());
    }
    this.#use(name);
  }

  /** The batch of the set is written: its indexes may be closed again. */
  endBatch(set: object): void {
    this.#inUse.delete(set);
  }

  /** The indexes were deleted. */
  forget(names: readonly string[]): void {
    for (const name of names) this.#open.delete(name);
  }

  /** Opens indexes, of which some may be open. */
  async open(names: readonly string[], timeoutMs = ADMIN_MS): Promise<void> {
    for (const some of chunksOf(names)) {
      await this.#client.send(
        { method: 'POST', path: `/${some}/_open`, query: { wait_for_active_shards: '1' } },
        { timeoutMs },
      );
    }
    for (const name of names) this.#use(name);
  }

  /** Closes indexes if there is no room for another one. */
  async #makeRoom(): Promise<void> {
    if (this.#open.size < this.#most) return;
    await this.#readUse();
    const share = Math.max(1, Math.floor(this.#most * CLOSED_SHARE));
    await this.#close(this.#open.size - this.#most + Math.min(CLOSED_AT_ONCE, share));
  }

  /** Closes what exceeds the limit: searches of other nodes open indexes, too. */
  async sweep(): Promise<void> {
    if (this.#open.size <= this.#most) return;
    await this.#readUse();
    await this.#close(this.#open.size - this.#most);
  }

  /** Asks OpenSearch which indexes were searched since the last time, by any node. */
  async #readUse(): Promise<void> {
    const answer = await this.#client.send<SearchStats>(
      {
        method: 'GET',
        path: `/${encodeURIComponent(this.#prefix)}-*/_stats/search`,
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

  async #close(count: number): Promise<void> {
    const inUse = [...this.#inUse.values()];
    const names = [...this.#open.keys()]
      .filter((name) => !inUse.some((batch) => batch.has(name)))
      .slice(0, count);
    for (const some of chunksOf(names)) {
      await this.#client.send(
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

/** Whether an index must be opened before the request can be answered. */
export function isClosed(error: unknown): boolean {
  return error instanceof OpenSearchFault && error.type === 'index_closed_exception';
}
