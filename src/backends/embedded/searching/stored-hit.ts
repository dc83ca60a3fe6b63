// A document of a page as it was read. Answers show its bytes, so its id is put into a string only for who asks for it:
// for a page of 250 that takes as long as finding it.
import type { Segment, TermDictionary } from '../../../engine/index/segment.ts';
import type { Hit } from '../../../identity/ports/search-backend.ts';
import type { IndexName, SortValue } from '../../../query/query.ts';
import type { FoundRow } from './found-page.ts';

export class StoredHit implements Hit {
  readonly index: IndexName;
  readonly score: number | null;
  readonly sort: readonly SortValue[];
  readonly root: Uint8Array;
  readonly nested: Uint8Array;
  readonly #ids: TermDictionary;
  readonly #row: number;

  /** @param nested as Hit has it */
  constructor(found: FoundRow, { ids, sources }: Segment, nested: Uint8Array) {
    const { index, row, score, sort } = found;
    this.index = index;
    this.score = score;
    this.sort = sort;
    this.root = sources.root(row);
    this.nested = nested;
    this.#ids = ids;
    this.#row = row;
  }

  get id(): string {
    return this.#ids.term(this.#row);
  }
}
