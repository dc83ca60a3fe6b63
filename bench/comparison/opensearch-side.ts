// OpenSearch as one side of a comparison, with a user's own index; alone, or in the node that Cardea
// searches in, too.
import { INDEX_NAMES } from '../../src/query/mapping/document-types.ts';
import { type OpenSearch, startOpenSearch } from '../../test/support/opensearch.ts';
import { type Address, ask, type HttpRequest } from '../client.ts';
import type { Corpus } from '../corpus.ts';
import { createIndexes, feed, indexMib, mergeAll, settle, writeRequest } from '../opensearch.ts';
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
  readonly #isShared: boolean;

  private constructor(node: OpenSearch, emptyStart: Timed, isShared: boolean) {
    this.#node = node;
    this.#isShared = isShared;
    this.#to = { port: Number(new URL(node.url).port), token: null };
    this.emptyStart = emptyStart;
  }

  static async create(): Promise<OpenSearchSide> {
    const start = performance.now();
    const node = await startOpenSearch({ heapGib: HEAP_GIB });
    const seconds = (performance.now() - start) / 1000;
    const cpuSeconds = cpuSecondsWithChildren(node.pid());
    return new OpenSearchSide(node, { seconds, cpuSeconds }, false);
  }

  /** Its index beside those of Cardea; whoever started the node stops it. */
  static in(node: OpenSearch): OpenSearchSide {
    return new OpenSearchSide(node, { seconds: 0, cpuSeconds: 0 }, true);
  }

  pids(): readonly number[] {
    return [this.#node.pid()];
  }

  searchPids(): readonly number[] {
    return this.pids();
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
    await (this.#isShared ? mergeAll(this.#to) : settle(this.#to));
    return performance.now();
  }

  async disk(): Promise<Disk> {
    const ofIndexes = () => indexMib(this.#to, INDEX_NAMES.join(','));
    return {
      storeMib: 0,
      indexMib: this.#isShared ? await ofIndexes() : diskMib(this.#node.folder),
    };
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

  async stop(): Promise<void> {
    if (!this.#isShared) await this.#node.stop();
  }
}
