// One numbering of a field's strings over all segments of an index (OpenSearch's global ordinals): the dictionaries are
// merged once, and as long as the list of segments stays the same a string is a number everywhere, in string order.
// What is kept holds no segment: only numbers, under the numbers of the segments it was made for.
// Invariant: segments never change, so what is kept for a list of them stays true, whatever is deleted in them.

import { TermMerge } from '../../fields/term-merge.ts';
import { GenerationCache } from '../../index/generation-cache.ts';
import type { SegmentView, TermDictionary } from '../../index/segment.ts';
import { objectNumber } from '../../rows/object-number.ts';
import { tableOf } from '../../terms/field-terms.ts';

export interface GlobalOrdinals {
  /** How many strings there are. */
  readonly size: number;
  /** By view, then ordinal of its dictionary: the number of the string. null: the view has no values. */
  readonly numbers: readonly (Int32Array | null)[];
  /** By number: a view that has the string, and its ordinal there. */
  readonly views: Uint16Array;
  readonly ords: Int32Array;
}

/** What all numberings together may take in memory. */
const BYTES_MAX = 64 * 2 ** 20;
const ENTRY_BYTES = 500;
/** Bytes for each string of a dictionary, at most. */
const STRING_BYTES = 10;
const VIEWS_MAX = 0xffff;

const kept = new GenerationCache<string, GlobalOrdinals>(BYTES_MAX);

/** Making one costs about as much for a string as a few rows without it. */
const STRINGS_PER_ROW = 2;

/**
 * @param expectedRows about how many rows are to be numbered
 * @returns null where making a numbering would cost more than it spares
 */
export function* globalOrdinals(
  views: readonly SegmentView[],
  path: string | null,
  field: string,
  expectedRows: number,
): Generator<void, GlobalOrdinals | null> {
  const key = `${views.map(({ segment }) => objectNumber(segment)).join()} ${path ?? ''} ${field}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const dictionaries = dictionariesOf(views, path, field);
  const strings = dictionaries.reduce((sum, one) => sum + (one?.size ?? 0), 0);
  const bytes = strings * STRING_BYTES + ENTRY_BYTES + 2 * key.length;
  if (strings > expectedRows * STRINGS_PER_ROW) return null;
  if (!kept.takes(bytes) || views.length > VIEWS_MAX) return null;
  const made = yield* mergeDictionaries(dictionaries);
  kept.add(key, made, bytes);
  return made;
}

/** The dictionaries of a field's whole values, by view. */
export function dictionariesOf(
  views: readonly SegmentView[],
  path: string | null,
  field: string,
): (TermDictionary | undefined)[] {
  return views.map((view) => tableOf(view, path)?.values(field)?.exact);
}

const STEPS_PER_YIELD = 1024;

/** Numbers the strings of several dictionaries in their order. */
export function* mergeDictionaries(
  dictionaries: readonly (TermDictionary | undefined)[],
): Generator<void, GlobalOrdinals> {
  const present = [...dictionaries.entries()].flatMap(([view, terms]) =>
    terms === undefined ? [] : [{ view, terms, numbers: new Int32Array(terms.size) }],
  );
  const strings = present.reduce((sum, { terms }) => sum + terms.size, 0);
  const ords = new Int32Array(strings);
  const views = new Uint16Array(strings);
  const merge = new TermMerge(present.map(({ terms }) => terms));
  let size = 0;
  while (merge.next()) {
    views[size] = present[merge.sources[0]!]!.view;
    ords[size] = merge.ords[0]!;
    for (let i = 0; i < merge.count; i++) {
      present[merge.sources[i]!]!.numbers[merge.ords[i]!] = size;
    }
    size += 1;
    if (size % STEPS_PER_YIELD === 0) yield;
  }
  const numbers = dictionaries.map((): Int32Array | null => null);
  for (const one of present) numbers[one.view] = one.numbers;
  return { size, numbers, views: views.slice(0, size), ords: ords.slice(0, size) };
}
