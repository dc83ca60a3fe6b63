// Sets of rows that queries came to lately: what a prefix, a pattern or a range finds in a segment stays the same as
// long as the segment is there, whoever asks and whatever has been deleted since (OpenSearch's filter cache).
// Invariant: a set that was handed out is never changed.
import { type CacheFigures, GenerationCache } from '../index/generation-cache.ts';
import type { Table } from '../index/segment.ts';
import type { Rows, RowsOf } from './constant-weight.ts';
import { tableOf } from './field-terms.ts';
import type { Scope } from './weight.ts';

/** What all sets together may take in memory. */
const BYTES_MAX = 32 * 2 ** 20;
/** A query that takes more text to tell apart is asked once and not again. */
const KEY_MAX = 1_000;
const ENTRY_BYTES = 200;

const sets = new GenerationCache<string, Rows>(BYTES_MAX);
const numbers = new WeakMap<Table, number>();
let tablesMet = 0;

/** How well the sets serve; their weight is bytes. */
export function rowSetFigures(): CacheFigures {
  return sets.figures;
}

/** Finds rows as `rowsOf` does, or remembers what it found. */
export function remembered(query: object, scope: Scope, rowsOf: RowsOf): RowsOf {
  const { boost, ...asked } = query as { boost?: number };
  const text = JSON.stringify(asked);
  if (text.length > KEY_MAX) return rowsOf;
  return function* (view) {
    const table = tableOf(scope.views[view]!, scope.path);
    if (table === undefined) return yield* rowsOf(view);
    const key = `${numberOf(table)} ${text}`;
    const known = sets.get(key);
    if (known !== undefined) return known;
    const rows = yield* rowsOf(view);
    // A cursor is good for one walk.
    if (rows?.kind === 'cursor') return rows;
    const bytes = rows?.kind === 'set' ? rows.bits.byteLength : 0;
    sets.add(key, rows, bytes + 2 * key.length + ENTRY_BYTES);
    return rows;
  };
}

function numberOf(table: Table): number {
  let number = numbers.get(table);
  if (number === undefined) {
    tablesMet += 1;
    number = tablesMet;
    numbers.set(table, number);
  }
  return number;
}
