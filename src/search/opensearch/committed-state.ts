// How far OpenSearch has been fed, kept in a small document beside the indexes: the sequence, which indexes there
// were at that time, and until when they may not answer because they are being filled again.
import { type OpenSearchClient, OpenSearchFault } from './client.ts';
import { FORMAT } from './index-template.ts';

const STATE_MS = 10_000;
const ID = 'committed';

/** What was committed. */
export interface CommittedState {
  readonly sequence: number;
  /** Searches wait until this change has been fed; null: they need not. */
  readonly rebuildUntil: number | null;
  /** Indexes by alias: OpenSearch's uuid of each. */
  readonly indexes: Readonly<Record<string, string>>;
}

interface StateDocument extends CommittedState {
  readonly format: number;
}

export class StateStore {
  readonly #client: OpenSearchClient;
  readonly #index: string;

  constructor(client: OpenSearchClient, prefix: string) {
    this.#client = client;
    this.#index = `${prefix}-state`;
  }

  /** null where nothing was committed, or in another format. */
  async read(): Promise<CommittedState | null> {
    try {
      const { _source } = await this.#client.send<{ readonly _source: StateDocument }>(
        { method: 'GET', path: this.#path },
        { timeoutMs: STATE_MS },
      );
      return _source.format === FORMAT ? _source : null;
    } catch (error) {
      if (error instanceof OpenSearchFault && error.status === 404) return null;
      throw error;
    }
  }

  async write(state: CommittedState): Promise<void> {
    const body: StateDocument = { format: FORMAT, ...state };
    const request = { method: 'PUT', path: this.#path, body } as const;
    try {
      await this.#client.send(
        { ...request, query: { require_alias: 'false' } },
        { timeoutMs: STATE_MS },
      );
    } catch (error) {
      if (!(error instanceof OpenSearchFault) || error.status !== 404) throw error;
      await this.#create();
      await this.#client.send(request, { timeoutMs: STATE_MS });
    }
  }

  /** Forgets what was committed. */
  async remove(): Promise<void> {
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

  /** For clusters that make no index by themselves. */
  async #create(): Promise<void> {
    const body = {
      settings: { index: { number_of_shards: 1, auto_expand_replicas: '0-1' } },
      mappings: { dynamic: false },
    };
    await this.#client.send(
      { method: 'PUT', path: `/${encodeURIComponent(this.#index)}`, body },
      { timeoutMs: STATE_MS },
    );
  }
}
