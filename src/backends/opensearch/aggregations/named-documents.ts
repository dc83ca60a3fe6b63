// The documents that hits of aggregations name: numbered while answers are read, and fetched when
// it is known which are told. So no more are read than the answer has, however many buckets were
// gathered.
import type { HitDocuments } from '../../../engine/aggregation/hit-sources.ts';
import type { HitCandidate } from '../../../engine/aggregation/intermediate.ts';
import { STORED } from '../columns.ts';
import type { OpenTarget } from '../plan-to-body.ts';
import type { Ask } from '../search-answer.ts';

const encoder = new TextEncoder();
const NOTHING = encoder.encode('');
const EMPTY_OBJECT = encoder.encode('{}');
/** Documents in one answer. */
const BATCH = 200;

interface Document {
  readonly target: number;
  readonly id: string;
  root: Uint8Array | null;
  nested: Uint8Array;
}

export class NamedDocuments implements HitDocuments {
  readonly #documents: Document[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #asked = new Set<Document>();

  /** The number that stands for a document; the same for each of its rows. */
  numberOf(target: number, id: string): number {
    const key = `${target} ${id}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#documents.push({ target, id, root: null, nested: NOTHING }) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }

  id({ view }: HitCandidate): string {
    return this.#documents[view]?.id ?? '';
  }

  /** Empty, and remembered as asked for, until it has been fetched. */
  root(hit: HitCandidate): Uint8Array {
    return this.#read(hit)?.root ?? EMPTY_OBJECT;
  }

  nested(hit: HitCandidate): Uint8Array {
    return this.#read(hit)?.nested ?? NOTHING;
  }

  /**
   * Reads what was asked for; how many documents that were. One that is gone meanwhile stays empty.
   */
  async fetch(targets: readonly OpenTarget[], ask: Ask): Promise<number> {
    const asked = [...this.#asked];
    this.#asked.clear();
    for (const [number, target] of targets.entries()) {
      const own = asked.filter((document) => document.target === number);
      for (let from = 0; from < own.length; from += BATCH) {
        await fetchBatch(target, own.slice(from, from + BATCH), ask);
      }
    }
    return asked.length;
  }

  #read({ view }: HitCandidate): Document | undefined {
    const document = this.#documents[view];
    if (document?.root === null) this.#asked.add(document);
    return document;
  }
}

async function fetchBatch(
  target: OpenTarget,
  documents: readonly Document[],
  ask: Ask,
): Promise<void> {
  const answer = await ask([target], {
    query: { terms: { [STORED.id]: documents.map(({ id }) => id) } },
    size: documents.length,
    track_total_hits: false,
    sort: [{ [STORED.id]: 'asc' }],
    _source: false,
    stored_fields: [STORED.root, STORED.nested],
  });
  const byId = new Map(documents.map((document) => [document.id, document]));
  for (const { sort, fields } of answer.hits.hits) {
    const document = byId.get(String(sort[0]));
    if (document === undefined) continue;
    document.root = encoder.encode(fields[STORED.root]?.[0] ?? '{}');
    document.nested = encoder.encode(fields[STORED.nested]?.[0] ?? '');
  }
}
