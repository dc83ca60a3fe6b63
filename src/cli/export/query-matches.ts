// The documents of an export with a query: how many match, and their ids page by page.
import type { IndexName } from '../../query/query.ts';
import { objectsIn } from '../common/json-lines.ts';
import { countRows, type RowSource } from '../search-command/row-sources.ts';

/** Ids given at a time. */
const PAGE_SIZE = 500;

export class QueryMatches {
  readonly #source: RowSource;
  readonly #query: string;

  /** @param query a query string */
  constructor(source: RowSource, query: string) {
    this.#source = source;
    this.#query = query;
  }

  /** The number of documents that match, and warnings about names that no index has. */
  async count(indexes: readonly IndexName[]) {
    const { total, warnings } = await countRows(this.#source, this.#body(indexes));
    return { total: total ?? 0, warnings };
  }

  async *ids(index: IndexName): AsyncGenerator<readonly string[]> {
    const body = { ...this.#body([index]), sort: ['id'], columns: [{ field: 'id' }] };
    const { pieces } = await this.#source.rows({
      ...{ body, limit: null, format: 'ndjson', count: false },
    });
    let page: string[] = [];
    for await (const { id } of objectsIn<{ readonly id: string }>(pieces)) {
      if (page.push(id) < PAGE_SIZE) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  #body(indexes: readonly IndexName[]) {
    return { indices: [...indexes], query: { query: this.#query } };
  }
}
