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
  /** Whether the index is known to be there as it should be; OpenSearch would make it with a replica that one node cannot have. */
  #shaped = false;

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
      if (!isMissing(error)) throw error;
      this.#shaped = false;
      return null;
    }
  }

  async write(state: CommittedState): Promise<void> {
    const body: StateDocument = { format: FORMAT, ...state };
    if (!this.#shaped) await this.#shape();
    this.#shaped = true;
    await this.#client.send({ method: 'PUT', path: this.#path, body }, { timeoutMs: STATE_MS });
  }

  /** Forgets what was committed. */
  async remove(): Promise<void> {
    this.#shaped = false;
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

  /** Makes the index, or brings one that is there into shape. */
  async #shape(): Promise<void> {
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
