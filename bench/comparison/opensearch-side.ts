// OpenSearch as one side of a comparison.
import { type OpenSearch, startOpenSearch } from '../../test/support/opensearch.ts';
import { type Address, ask, type HttpRequest } from '../client.ts';
import type { Corpus } from '../corpus.ts';
import { createIndexes, feed, settle, writeRequest } from '../opensearch.ts';
import { cpuSecondsWithChildren, diskMib } from '../process-figures.ts';
import { type Dataset, indexPrefix } from '../questions/question.ts';
import { type Disk, type Side, type Timed, timed } from './side.ts';

export const HEAP_GIB = 1;
const FIRST_SEARCH: HttpRequest = { method: 'GET', path: '/identities/_search?size=1' };

export class OpenSearchSide implements Side {
  readonly name = 'opensearch';
  readonly system = 'opensearch';
  readonly profiler = null;
  /** The start without documents. */
  readonly emptyStart: Timed;
  readonly #node: OpenSearch;
  readonly #to: Address;

  private constructor(node: OpenSearch, emptyStart: Timed) {
    this.#node = node;
    this.#to = { port: Number(new URL(node.url).port), token: null };
    this.emptyStart = emptyStart;
  }

  static async create(): Promise<OpenSearchSide> {
    const start = performance.now();
    const node = await startOpenSearch({ heapGib: HEAP_GIB });
    const seconds = (performance.now() - start) / 1000;
    return new OpenSearchSide(node, { seconds, cpuSeconds: cpuSecondsWithChildren(node.pid()) });
  }

  pids(): readonly number[] {
    return [this.#node.pid()];
  }

  async address(_dataset: Dataset): Promise<Address> {
    return this.#to;
  }

  async import(corpus: Corpus): Promise<Timed> {
    await createIndexes(this.#to, '');
    return timed(
      () => feed(this.#to, corpus, ''),
      () => cpuSecondsWithChildren(this.#node.pid()),
    );
  }

  /** It runs since `create`. */
  async serve(): Promise<void> {}

  async restart(): Promise<number> {
    const start = performance.now();
    await this.#node.restart();
    await ask(this.#to, FIRST_SEARCH);
    return (performance.now() - start) / 1000;
  }

  async untilMerged(): Promise<number> {
    await settle(this.#to);
    return performance.now();
  }

  disk(): Disk {
    return { storeMib: 0, indexMib: diskMib(this.#node.folder) };
  }

  async addDatasets(corpora: ReadonlyMap<Dataset, Corpus>): Promise<void> {
    for (const [dataset, corpus] of corpora) {
      await createIndexes(this.#to, indexPrefix(dataset));
      await feed(this.#to, corpus, indexPrefix(dataset));
    }
    await settle(this.#to);
  }

  write(document: Readonly<Record<string, unknown>>): HttpRequest {
    return writeRequest(document);
  }

  stop(): Promise<void> {
    return this.#node.stop();
  }
}
