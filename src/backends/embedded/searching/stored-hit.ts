// A hit with the document as read. Responses copy its bytes, so its id is decoded to a string only
// on demand: for a page of 250 decoding takes as long as the search.
import type { HitRow } from '../../../engine/hits/hit-merge.ts';
import type { DocumentBytes, Segment, TermDictionary } from '../../../engine/sections/segment.ts';
import type { IndexName, SortValue } from '../../../query/query.ts';
import type { Hit } from '../../../service/ports/search-backend.ts';

export class StoredHit implements Hit {
  readonly index: IndexName;
  readonly score: number | null;
  readonly sort: readonly SortValue[];
  readonly joined: DocumentBytes;
  declare readonly elements?: readonly number[];
  readonly #ids: TermDictionary;
  readonly #row: number;

  /** @param withNested false: `nested` is empty */
  constructor(hitRow: HitRow, { ids, sources }: Segment, withNested: boolean) {
    const { index, row, score, sort, elements } = hitRow;
    this.index = index;
    this.score = score;
    this.sort = sort;
    if (elements !== null) this.elements = elements;
    this.joined = sources.document(row, withNested);
    this.#ids = ids;
    this.#row = row;
  }

  get id(): string {
    return this.#ids.term(this.#row);
  }

  get root(): Uint8Array {
    const { bytes, rootLength } = this.joined;
    return bytes.subarray(0, rootLength);
  }

  get nested(): Uint8Array {
    const { bytes, rootLength } = this.joined;
    return bytes.subarray(rootLength);
  }
}
