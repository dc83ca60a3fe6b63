// What the feeder records in OpenSearch, in a small index next to the others: which generation of
// the indexes answers (`current`), and the commit point of each generation.
// Invariant: only the feeder that wrote `current` last may write it again: a feeder that lost its
// place without noticing can neither replace a generation nor publish an index.
import { type OpenSearchClient, OpenSearchFault } from '../requests/client.ts';
import { FORMAT } from '../requests/index-template.ts';

const STATE_MS = 10_000;

/** The state of the last commit of a generation. */
export interface CommittedState {
  readonly sequence: number;
  /** The indexes need no deletion up to this change: they were empty at its time. */
  readonly covered: number;
  /** Searches are refused until this change has been fed; null: no rebuild is running. */
  readonly rebuildUntil: number | null;
  /** `storeMark` of FedOptions at the later of `sequence` and `covered`. Earlier versions wrote none. */
  readonly storeMark?: string | null;
  /** OpenSearch's uuid of each index, by alias. */
  readonly indexes: Readonly<Record<string, string>>;
}

/** What all nodes of this version search. */
export interface Current {
  readonly generation: string;
  /** Increased whenever the list of the indexes has changed, so that other nodes read it again. */
  readonly listing: number;
}

/** A version of a document in OpenSearch. */
export interface Version {
  readonly seqNo: number;
  readonly primaryTerm: number;
}

export interface VersionedCurrent extends Current {
  readonly version: Version;
}

interface DocumentAnswer<Source> {
  readonly _source: Source;
  readonly _seq_no: number;
  readonly _primary_term: number;
}

/** The first generation of this version's format. */
export const FIRST_GENERATION = `v${FORMAT}`;

/** The generation that replaces another one. */
export function generationAfter(generation: string): string {
  const [, number = '1'] = /-(\d+)$/.exec(generation) ?? [];
  return `${FIRST_GENERATION}-${Number(number) + 1}`;
}

export class StateStore {
  readonly #client: OpenSearchClient;
  readonly #index: string;
  readonly #replicas: number;
  /**
   * Whether the index has the right settings; OpenSearch's defaults need a second node for a
   * replica.
   */
  #hasSettings = false;

  /** @param replicas at most; the others are as important as this index */
  constructor(client: OpenSearchClient, prefix: string, replicas: number) {
    this.#client = client;
    this.#index = `${prefix}-state`;
    this.#replicas = replicas;
  }

  /** Returns null if nothing was committed. */
  async read(generation: string): Promise<CommittedState | null> {
    const answer = await this.#read<CommittedState>(committedId(generation));
    return answer?._source ?? null;
  }

  async write(generation: string, state: CommittedState): Promise<void> {
    await this.#put(committedId(generation), state, {});
  }

  /** Deletes the commit of a generation. */
  async remove(generation: string): Promise<void> {
    await this.#delete(committedId(generation));
  }

  /** Returns null before the first start of this version. */
  async readCurrent(): Promise<VersionedCurrent | null> {
    const answer = await this.#read<Current>(currentId(FORMAT));
    if (answer === null) return null;
    return { ...answer._source, version: versionOf(answer) };
  }

  /**
   * Writes it if it has not changed since it was read.
   * @param read null: it must not exist
   * @throws OpenSearchFault with status 409 if another node has written it
   */
  async writeCurrent(next: Current, read: Version | null): Promise<VersionedCurrent> {
    const { generation, listing } = next;
    const condition: Record<string, string> =
      read === null
        ? { op_type: 'create' }
        : { if_seq_no: String(read.seqNo), if_primary_term: String(read.primaryTerm) };
    const answer = await this.#put(currentId(FORMAT), { generation, listing }, condition);
    return { generation, listing, version: versionOf(answer) };
  }

  /** Deletes what an earlier format recorded. */
  async removeFormat(format: number, generations: readonly string[]): Promise<void> {
    await this.#delete(currentId(format));
    for (const generation of generations) await this.remove(generation);
  }

  async #read<Source>(id: string): Promise<DocumentAnswer<Source> | null> {
    try {
      return await this.#client.send<DocumentAnswer<Source>>(
        { method: 'GET', path: this.#path(id) },
        { timeoutMs: STATE_MS },
      );
    } catch (error) {
      if (!isMissing(error)) throw error;
      this.#hasSettings = false;
      return null;
    }
  }

  async #put(
    id: string,
    body: object,
    query: Readonly<Record<string, string>>,
  ): Promise<DocumentAnswer<unknown>> {
    if (!this.#hasSettings) await this.#ensureIndex();
    this.#hasSettings = true;
    return this.#client.send(
      { method: 'PUT', path: this.#path(id), query, body },
      { timeoutMs: STATE_MS },
    );
  }

  async #delete(id: string): Promise<void> {
    try {
      await this.#client.send({ method: 'DELETE', path: this.#path(id) }, { timeoutMs: STATE_MS });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  #path(id: string): string {
    return `/${encodeURIComponent(this.#index)}/_doc/${id}`;
  }

  /** Creates the index, or updates the settings of an existing one. */
  async #ensureIndex(): Promise<void> {
    const path = `/${encodeURIComponent(this.#index)}`;
    const index = { auto_expand_replicas: `0-${this.#replicas}` };
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

const committedId = (generation: string) => `committed-${generation}`;
const currentId = (format: number) => `current-v${format}`;

function versionOf({ _seq_no, _primary_term }: DocumentAnswer<unknown>): Version {
  return { seqNo: _seq_no, primaryTerm: _primary_term };
}

function isMissing(error: unknown): boolean {
  return error instanceof OpenSearchFault && error.status === 404;
}
