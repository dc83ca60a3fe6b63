// The commit point in OpenSearch, a small document next to the indexes: the sequence, which indexes
// existed at that time, and until which change searches are refused because of a rebuild.
import { type OpenSearchClient, OpenSearchFault } from './client.ts';
import { FORMAT } from './index-template.ts';

const STATE_MS = 10_000;
const ID = 'committed';

/** The state of the last commit. */
export interface CommittedState {
  readonly sequence: number;
  /**
   * The indexes need no deletion up to this change: they were empty at its time. States of earlier
   * versions lack it.
   */
  readonly covered?: number;
  /** Searches are refused until this change has been fed; null: no rebuild is running. */
  readonly rebuildUntil: number | null;
  /** OpenSearch's uuid of each index, by alias. */
  readonly indexes: Readonly<Record<string, string>>;
}

interface StateDocument extends CommittedState {
  readonly format: number;
}

export class StateStore {
  readonly #client: OpenSearchClient;
  readonly #index: string;
  /**
   * Whether the index has the right settings; OpenSearch's defaults need a second node for a
   * replica.
   */
  #hasSettings = false;

  constructor(client: OpenSearchClient, prefix: string) {
    this.#client = client;
    this.#index = `${prefix}-state`;
  }

  /** Returns null if nothing was committed, or in another format. */
  async read(): Promise<CommittedState | null> {
    try {
      const { _source } = await this.#client.send<{ readonly _source: StateDocument }>(
        { method: 'GET', path: this.#path },
        { timeoutMs: STATE_MS },
      );
      return _source.format === FORMAT ? _source : null;
    } catch (error) {
      if (!isMissing(error)) throw error;
      this.#hasSettings = false;
      return null;
    }
  }

  async write(state: CommittedState): Promise<void> {
    const body: StateDocument = { format: FORMAT, ...state };
    if (!this.#hasSettings) await this.#ensureIndex();
    this.#hasSettings = true;
    await this.#client.send({ method: 'PUT', path: this.#path, body }, { timeoutMs: STATE_MS });
  }

  /** Deletes the commit. */
  async remove(): Promise<void> {
    this.#hasSettings = false;
    await this.#client.send(
      {
        method: 'DELETE',
        path: `/${encodeURIComponent(this.#index)}`,
        query: { ignore_unavailable: 'true' },
      },
      { timeoutMs: STATE_MS },
    );
  }

  get #path(): string {
    return `/${encodeURIComponent(this.#index)}/_doc/${ID}`;
  }

  /** Creates the index, or updates the settings of an existing one. */
  async #ensureIndex(): Promise<void> {
    const path = `/${encodeURIComponent(this.#index)}`;
    const index = { auto_expand_replicas: '0-1' };
    try {
      await this.#client.send(
        { method: 'PUT', path: `${path}/_settings`, body: { index } },
        { timeoutMs: STATE_MS },
      );
    } catch (error) {
      if (!isMissing(error)) throw error;
      const settings = { index: { number_of_shards: 1, ...index } };
      await this.#client.send(
        { method: 'PUT', path, body: { settings, mappings: { dynamic: false } } },
        { timeoutMs: STATE_MS },
      );
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof OpenSearchFault && error.status === 404;
}
