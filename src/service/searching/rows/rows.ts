// Walks the documents of a search and turns them into rows, page by page: a document is in the answer
// once if it matches throughout, however many are written meanwhile.
// Invariant: memory is bounded by one page, whose size follows the size of the documents.

import { objectsIn } from '../../../json/array-objects.ts';
import type { IndexName } from '../../../query/query.ts';
import { type RowsPlan, rowsPage } from '../../../query/rows/rows-request.ts';
import type { CooperativeScheduler, WorkOptions } from '../../../scheduling/cooperative.ts';
import type { Hit } from '../../ports/search-backend.ts';
import { hitDocument } from './hit-document.ts';
import { type HitSources, hitPages } from './hit-walk.ts';
import { headersOf, type RowFormat, type RowWriter, rowWriter } from './row-format.ts';
import { rowValues } from './row-values.ts';
import type { Hint } from './search-hints.ts';

/** Some rows as UTF-8 text. */
export interface RowChunk {
  readonly bytes: Uint8Array;
  /** The number of rows in it. */
  readonly rows: number;
}

/** A table that is still to be read. */
export interface RowsAnswer {
  /** The number of rows when the answer began; null unless the caller asked for the count. */
  readonly total: number | null;
  readonly warnings: readonly Hint[];
  readonly headers: readonly string[];
  /**
   * The text of the table in pieces of limited size, of which there is at least one.
   * @throws ServiceError as a search, also after some pieces
   */
  readonly chunks: AsyncGenerator<RowChunk>;
}

/** What formats rows. */
export interface FormatSources {
  /** The options of the next piece. */
  readonly options: () => WorkOptions;
  readonly scheduler: Pick<CooperativeScheduler, 'run'>;
  /** Members that all documents of an index have in common. */
  readonly constants: (index: IndexName) => Readonly<Record<string, string>>;
}

/** Bytes of stored documents that a page is meant to have. */
const PAGE_BYTES = 1024 * 1024;
const FIRST_PAGE = 20;
/** Documents of a page; the next ones may be larger than those before. */
const PAGE_MAX = 500;
/** Characters of one piece of the answer, or of one row if that is longer. */
const CHUNK_CHARACTERS = 256 * 1024;

const encoder = new TextEncoder();

/**
 * The text of all rows of a plan.
 * @param pages the documents, in order; not read if no row is requested
 */
export async function* rowChunks(
  plan: RowsPlan,
  format: RowFormat,
  pages: AsyncGenerator<readonly Hit[]>,
  sources: FormatSources,
): AsyncGenerator<RowChunk> {
  const { scheduler, options } = sources;
  const text = new RowText(plan, format);
  for await (const hits of text.left === 0 ? [] : pages) {
    const source = rowsOf(plan, hits, sources);
    while (await scheduler.run(text.fill(source), options())) yield text.take();
    if (text.left === 0) break;
    if (text.rows > 0) yield text.take();
  }
  yield text.takeLast();
}

/** The text of rows, taken in chunks. */
class RowText {
  /** Rows that may still be added. */
  left: number;
  /** Rows of the chunk. */
  rows = 0;
  readonly #writer: RowWriter;
  #text: string;

  constructor({ columns, limit }: RowsPlan, format: RowFormat) {
    this.left = limit ?? Number.POSITIVE_INFINITY;
    this.#writer = rowWriter(format, headersOf(columns));
    this.#text = this.#writer.head();
  }

  /** Adds rows until the chunk is full. @returns false after the last row */
  *fill(source: Iterator<unknown[]>): Generator<void, boolean> {
    while (this.left > 0 && this.#text.length < CHUNK_CHARACTERS) {
      const { value, done } = source.next();
      if (done) return false;
      this.#text += this.#writer.row(value);
      this.rows += 1;
      this.left -= 1;
      yield;
    }
    return this.left > 0;
  }

  take(): RowChunk {
    const chunk = { bytes: encoder.encode(this.#text), rows: this.rows };
    this.#text = '';
    this.rows = 0;
    return chunk;
  }

  /** Takes the last chunk, with the end of the text. */
  takeLast(): RowChunk {
    this.#text += this.#writer.end();
    return this.take();
  }
}

/** The rows of a page. A document is parsed when its first row is read. */
function* rowsOf(
  plan: RowsPlan,
  hits: readonly Hit[],
  sources: FormatSources,
): Generator<unknown[]> {
  for (const hit of hits) yield* rowsOfHit(plan, hit, sources);
}

/** The rows of one document. */
function* rowsOfHit(
  { path, columns }: RowsPlan,
  hit: Hit,
  { constants }: FormatSources,
): Generator<unknown[]> {
  const document = hitDocument(hit, constants(hit.index));
  if (path === null) {
    yield rowValues(columns, document, null);
    return;
  }
  const elements = objectsIn(document[path]);
  for (const at of hit.elements ?? elements.keys()) {
    yield rowValues(columns, document, elements[at] ?? {});
  }
}

/** The matching documents in pages, one index after the other. */
export async function* rowPages(
  plan: RowsPlan,
  sources: HitSources,
): AsyncGenerator<readonly Hit[]> {
  let size = FIRST_PAGE;
  const followingSize = (hits: readonly Hit[]) => {
    size = nextSize(hits);
    return size;
  };
  for (const target of plan.targets) {
    if (plan.path !== null && target.innerHit === undefined) continue;
    // The next page is read when all rows of this one are written.
    for await (const { hits } of hitPages(rowsPage(plan, target, size), sources, followingSize)) {
      yield hits;
    }
  }
}

/** The number of documents of about the same size that make a page. */
function nextSize(hits: readonly Hit[]): number {
  const bytes = hits.reduce((sum, { root, nested }) => sum + root.length + nested.length, 0);
  return Math.max(1, Math.min(PAGE_MAX, Math.floor(PAGE_BYTES / (bytes / hits.length))));
}
