// Faults of the engine as one-line changes, of kinds that have happened or easily could: off-by-one
// bounds, skipped blocks and windows, cached rows that are stale or of another query. The
// differential run must detect each of them.
import type { Mutation } from '../../mutation/with-mutant.ts';

export const MUTATIONS: readonly Mutation[] = [
  {
    file: 'src/engine/matching/nested-scorer.ts',
    find: 'let from = first;',
    replace: 'let from = first & -32;',
    why: 'windows of elements begin before the end of the last one',
  },
  {
    file: 'src/engine/matching/nested-scorer.ts',
    find: '      from = to;',
    replace: '      from = to + 32;',
    why: 'the first elements of a window are lost',
  },
  {
    file: 'src/engine/scoring/bit-set-scorer.ts',
    find: 'rows &= ~(-1 << (to & 31));',
    replace: 'rows &= ~(-2 << (to & 31));',
    why: 'a window of a set holds one row too many',
  },
  {
    file: 'src/engine/scoring/bit-set-scorer.ts',
    find: 'rows &= -1 << (first & 31);',
    replace: 'rows &= -1;',
    why: 'a window of a set holds rows before its first',
  },
  {
    file: 'src/engine/hits/score-collector.ts',
    find: '    this.#from = to;',
    replace: '    this.#from = to + (to > 4096 ? 1 : 0);',
    why: 'a row between two large windows is lost',
  },
  {
    file: 'src/engine/matching/conjunction-scorer.ts',
    find: 'return this.#align(row < target ? this.#lead.advance(target) : row);',
    replace:
      'return this.#align(row < target ? this.#lead.advance(target) : this.#lead.nextDoc());',
    why: 'a candidate behind a window is passed over',
  },
  {
    file: 'src/engine/matching/disjunction-scorer.ts',
    find: '.sort((a, b) => this.#rows[a]! - this.#rows[b]!)',
    replace: '',
    why: 'clauses that a window moved are not put in order again',
  },
  {
    file: 'src/engine/scoring/disjunction-window.ts',
    find: 'if (Math.fround(this.#maxScoreSums[this.optional + 1]!) > score) break;',
    replace: 'if (Math.fround(this.#maxScoreSums[this.optional]!) > score) break;',
    why: 'a clause that could get a row among the best is taken for optional',
  },
  {
    file: 'src/engine/fields/postings.ts',
    find: 'while (block < this.#blockCount - 1 && this.#lastRow(block) < target) {',
    replace: 'while (block < this.#blockCount - 1 && this.#lastRow(block) <= target) {',
    why: 'a block is skipped whose last row is wanted',
  },
  {
    file: 'src/engine/fields/postings.ts',
    find: 'for (let left = this.#unread; left > 0; )',
    replace: 'for (let left = this.#unread - 1; left > 0; )',
    why: 'the last position of the row before is taken for the first of this one',
  },
  {
    file: 'src/engine/sections/paged-section.ts',
    find: 'joined.set(bytes, Math.max(0, pageAt - from));',
    replace: 'joined.set(bytes, 0);',
    why: 'positions over two pages are joined in the wrong place',
  },
  {
    file: 'src/engine/terms/term-rows.ts',
    find: 'cache.numberOf(field)',
    replace: 'cache.numberOf(field) * 0 + field.rowCount',
    why: 'cached rows of a term are those of another field or segment',
  },
  {
    file: 'src/engine/matching/row-set-cache.ts',
    find: 'cache.numberOf(table)',
    replace: 'cache.numberOf(table) * 0 + table.rowCount',
    why: 'a cached set of rows is stale: it belongs to another segment of as many rows',
  },
  {
    file: 'src/engine/terms/cached-postings.ts',
    find: 'this.#counts[kind]! += 1;',
    replace: 'this.#counts[kind]! += 2;',
    why: 'cached postings promise more rows of a score than there are',
  },
  {
    file: 'src/engine/hits/row-order.ts',
    find: 'order} $',
    replace: 'type} $',
    why: 'a cached order is the opposite of the one asked for',
  },
  {
    file: 'src/engine/hits/ordered-hits.ts',
    find: 'if (isAfter(places, row, after)) high = middle;',
    replace: 'if (isAfter(places, row, after)) high = middle - 1;',
    why: 'searchAfter enters an order one row too early',
  },
  {
    file: 'src/engine/matching/phrase-scorer.ts',
    find: 'const freqMax = this.#sloppy === null ? least : sum;',
    replace: 'const freqMax = least;',
    why: 'a phrase with slop is left out though it could be among the best',
  },
  {
    file: 'src/engine/aggregation/keys/key-counts.ts',
    find: 'if (others > 0) {',
    replace: 'if (others < 0) {',
    why: 'rows that do not match are counted',
  },
  {
    file: 'src/engine/aggregation/collecting/rows.ts',
    find: 'const tail = -1 >>> (31 - ((to - 1) & 31));',
    replace: 'const tail = -1 >>> (31 - (to & 31));',
    why: 'an element of the next document is counted',
  },
];
