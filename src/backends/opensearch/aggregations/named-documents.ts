// The documents of aggregation hits: numbered while answers are read, and fetched once the results
// are known. So only documents of results are read, however many buckets there were.
import type { HitDocuments } from '../../../engine/aggregation/collecting/hit-sources.ts';
import type { HitCandidate } from '../../../engine/aggregation/collecting/intermediate.ts';
import { STORED } from '../requests/columns.ts';
import { documentId, isDigest } from '../requests/documents.ts';
import type { OpenTarget } from '../requests/plan-to-body.ts';
import type { SearchFunction } from '../requests/search-response.ts';

const encoder = new TextEncoder();
const NO_BYTES = encoder.encode('');
const EMPTY_OBJECT = encoder.encode('{}');
/** Documents in one answer. */
const BATCH = 200;

interface Document {
  readonly target: number;
  /** Its `_id` while the id is unknown. */
  id: string;
  root: Uint8Array | null;
  nested: Uint8Array;
}

export class NamedDocuments implements HitDocuments {
  readonly #documents: Document[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #pending = new Set<Document>();
  /**
   * True if a view restricts the documents. Another program may have copied a hidden document into the
   * view; the answer must not then show the original.
   */
  readonly isConfined: boolean;

  constructor(isConfined: boolean) {
    this.isConfined = isConfined;
  }

  /**
   * The number of a document; the same for each of its rows.
   * @param id of elements, the `_id` of their document
   */
  numberOf(target: number, id: string): number {
    const key = `${target} ${id}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#documents.push({ target, id, root: null, nested: NO_BYTES }) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }

  /** Where it is still unknown, the `_id`, which has the same order. */
  id(hit: HitCandidate): string {
    const { id = '' } = this.#documents[hit.view] ?? {};
    if (isDigest(id)) this.#read(hit);
    return id;
  }

  /** Empty, and marked to be fetched, until it has been fetched. */
  root(hit: HitCandidate): Uint8Array {
    return this.#read(hit)?.root ?? EMPTY_OBJECT;
  }

  nested(hit: HitCandidate): Uint8Array {
    return this.#read(hit)?.nested ?? NO_BYTES;
  }

  /**
   * Fetches the marked documents and returns their number. Documents deleted meanwhile stay empty.
   */
  async fetch(targets: readonly OpenTarget[], search: SearchFunction): Promise<number> {
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const [number, target] of targets.entries()) {
      const own = pending.filter((document) => document.target === number);
      for (let from = 0; from < own.length; from += BATCH) {
        await fetchBatch(target, own.slice(from, from + BATCH), search);
      }
    }
    return pending.length;
  }

  #read({ view }: HitCandidate): Document | undefined {
    const document = this.#documents[view];
    if (document?.root === null) this.#pending.add(document);
    return document;
  }
}

async function fetchBatch(
  target: OpenTarget,
  documents: readonly Document[],
  search: SearchFunction,
): Promise<void> {
  const body = {
    query: { ids: { values: documents.map(({ id }) => documentId(id)) } },
    size: documents.length,
    version: true,
    track_total_hits: false,
    sort: [{ [STORED.id]: 'asc' }],
  };
  const answer = await search([target], body, false);
  const byId = new Map(documents.map((document) => [documentId(document.id), document]));
  for (const { _id = '', sort, parts, stored } of answer.hits.hits) {
    const document = byId.get(_id);
    if (document === undefined || parts === undefined) continue;
    document.id = stored?.id ?? String(sort[0]);
    document.root = parts.root;
    document.nested = parts.nested;
  }
}
