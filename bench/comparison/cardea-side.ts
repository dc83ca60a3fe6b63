// Cardea as one side of a comparison, from this build or an earlier one. Both are driven by the
// same command line and requests, which an earlier build must therefore understand. With OpenSearch
// as the search backend, that process counts for it, too.
import { basename, join } from 'node:path';
import type { OpenSearch } from '../../test/support/opensearch.ts';
import { Cardea, type Credentials } from '../cardea.ts';
import { type Address, ask, type HttpRequest } from '../client.ts';
import type { Corpus } from '../corpus.ts';
import { indexMib, mergeAll } from '../opensearch.ts';
import { childrenCpuSeconds, cpuSecondsOfAll, diskMib } from '../process-figures.ts';
import { ServerProfiler } from '../profiling/server-profiler.ts';
import type { Dataset } from '../questions/question.ts';
import { type Disk, type Profiler, type Side, type Timed, timed } from './side.ts';

const FIRST_SEARCH: HttpRequest = {
  method: 'POST',
  path: '/v2024/search?limit=1',
  body: { indices: ['identities'], query: { query: '*' } },
};

export interface CardeaSideOptions {
  readonly name: 'cardea' | 'baseline';
  /** The root of a built repository. */
  readonly root: string;
  /** The data directory, empty or new. */
  readonly folder: string;
  /** Where profiles are written; null for none. */
  readonly profiles: string | null;
  /** Settings other than the defaults, as environment variables. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** The search backend, in which other sides have indexes, too; null for the embedded engine. */
  readonly node: OpenSearch | null;
}

interface RecentAddress {
  readonly to: Address;
  readonly since: number;
}

/**
 * How long a token is used, less than its lifetime. A new one is an event of the audit trail, and
 * so a change of the index, after which the engine merges again.
 */
const TOKEN_MS = 4 * 60_000;
/** Longer than the rest after which the engine merges further: 5 s. */
const QUIET_MS = 7_000;
const MERGES_TIMEOUT_MS = 30 * 60_000;
const POLL_MS = 100;
/** The tenant that `Cardea.create` adds. */
const FIRST_TENANT = 'bench';

export class CardeaSide implements Side {
  readonly name: 'cardea' | 'baseline';
  readonly system = 'cardea';
  readonly profiler: Profiler | null;
  readonly #cardea: Cardea;
  readonly #folder: string;
  readonly #node: OpenSearch | null;
  readonly #credentials = new Map<Dataset, Credentials>();
  readonly #addresses = new Map<Dataset, RecentAddress>();

  private constructor({ name, folder, profiles, node }: CardeaSideOptions, cardea: Cardea) {
    this.name = name;
    this.#folder = folder;
    this.#node = node;
    this.#cardea = cardea;
    this.profiler = profiles === null ? null : new ServerProfiler(cardea, profiles);
  }

  static async create(options: CardeaSideOptions): Promise<CardeaSide> {
    const { root, folder, profiles, node, settings = {} } = options;
    const nodeFlags = profiles === null ? [] : ServerProfiler.NODE_FLAGS;
    const search = node === null ? {} : { search: { url: node.url, prefix: basename(folder) } };
    const made = await Cardea.create({ root, folder, nodeFlags, settings, ...search });
    return new CardeaSide(options, made);
  }

  /** Starts with a tenant and no documents, until ready. */
  async emptyStart(): Promise<Timed> {
    const start = performance.now();
    await this.serve();
    const seconds = (performance.now() - start) / 1000;
    const figures = { seconds, cpuSeconds: cpuSecondsOfAll([this.#cardea.pid]) };
    await this.#cardea.stop();
    return figures;
  }

  pids(): readonly number[] {
    return [this.#cardea.pid, ...this.searchPids()];
  }

  searchPids(): readonly number[] {
    return this.#node === null ? [] : [this.#node.pid()];
  }

  async address(dataset: Dataset): Promise<Address> {
    const recent = this.#addresses.get(dataset);
    if (recent !== undefined && performance.now() - recent.since < TOKEN_MS) return recent.to;
    const credentials = this.#credentials.get(dataset);
    if (dataset !== 'company' && credentials === undefined) {
      throw new Error(`No tenant for ${dataset}`);
    }
    const to = await this.#cardea.address(undefined, credentials);
    this.#addresses.set(dataset, { to, since: performance.now() });
    return to;
  }

  import(corpus: Corpus): Promise<Timed> {
    return timed(
      () => this.#cardea.import(corpus.file, FIRST_TENANT),
      () => childrenCpuSeconds() + cpuSecondsOfAll(this.searchPids()),
    );
  }

  async serve(): Promise<void> {
    this.#cardea.spawn();
    await this.#cardea.untilReady();
  }

  async restart(): Promise<number> {
    await this.#cardea.stop();
    const start = performance.now();
    this.#cardea.spawn();
    await this.#cardea.untilAnswering(async () => ask(await this.address('company'), FIRST_SEARCH));
    return (performance.now() - start) / 1000;
  }

  async untilMerged(): Promise<number | null> {
    if (this.#node !== null) {
      await mergeAll(addressOf(this.#node));
      return performance.now();
    }
    const start = performance.now();
    let lastMergeAt: number | null = null;
    while (performance.now() - start < MERGES_TIMEOUT_MS) {
      const request: HttpRequest = { method: 'GET', path: '/admin/v1/status' };
      const { body } = await ask(await this.address('company'), request);
      const { merges } = JSON.parse(String(body)) as { merges: { underWay: boolean } | null };
      if (merges === null) throw new Error('The status has no merges: there are several tenants');
      if (merges.underWay) lastMergeAt = performance.now();
      else if (performance.now() - (lastMergeAt ?? start) > QUIET_MS) return lastMergeAt;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error('Merges have not ended in half an hour');
  }

  async disk(): Promise<Disk> {
    const all = diskMib(this.#folder);
    // Besides the index, the data directory holds the database of the store and small files.
    const embeddedMib = diskMib(join(this.#folder, 'index'));
    const pattern = `${basename(this.#folder)}-*`;
    const nodeMib = this.#node === null ? 0 : await indexMib(addressOf(this.#node), pattern);
    return { storeMib: all - embeddedMib, indexMib: embeddedMib + nodeMib };
  }

  async addDatasets(corpora: ReadonlyMap<Dataset, Corpus>): Promise<void> {
    if (corpora.size === 0) return;
    await this.#cardea.stop();
    for (const [dataset, corpus] of corpora) {
      this.#credentials.set(dataset, await this.#cardea.addTenant(dataset));
      await this.#cardea.import(corpus.file, dataset);
    }
    await this.serve();
  }

  write(document: Readonly<Record<string, unknown>>): HttpRequest {
    const body = `${JSON.stringify(document)}\n`;
    return { method: 'POST', path: '/admin/v1/documents', body };
  }

  async stop(): Promise<void> {
    await this.#cardea.stop();
  }
}

function addressOf({ url }: OpenSearch): Address {
  return { port: Number(new URL(url).port), token: null };
}
