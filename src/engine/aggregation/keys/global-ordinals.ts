// Numbers the strings of a field over all segments of an index in string order (global ordinals of
// Elasticsearch). The dictionaries are merged once and reused as long as the list of segments stays
// the same. Cache entries hold only numbers and belong to all segments of the list.
// Invariant: segments are immutable, so an entry stays valid when documents are deleted.

import { TermMerge } from '../../fields/term-merge.ts';
import { type IndexSegments, KeyedPart } from '../../index/query-cache.ts';
import type { SegmentView, TermDictionary } from '../../sections/segment.ts';
import { tableOf } from '../../terms/field-terms.ts';

export interface GlobalOrdinals {
  /** The number of distinct strings. */
  readonly size: number;
  /**
   * By view, then by ordinal of its dictionary: the global ordinal. null: the view has no values.
   */
  readonly numbers: readonly (Int32Array | null)[];
  /** By global ordinal: a view that has the string, and its ordinal there. */
  readonly views: Uint16Array;
  readonly ords: Int32Array;
}

/** Maximum bytes per string of a dictionary. */
const STRING_BYTES = 10;
const VIEWS_MAX = 0xffff;

/** By segments and field. */
const ORDINALS = new KeyedPart<GlobalOrdinals>('ordinals');

/**
 * Break-even point: merging this many strings costs about as much as collecting one row without
 * global ordinals.
 */
const STRINGS_PER_ROW = 2;

/**
 * Returns cached ordinals, or builds them.
 * @param expectedRows approximate number of rows to be collected
 * @returns null without segments, or if building them would cost more than they save
 */
export function* globalOrdinals(
  { views, cache }: IndexSegments,
  path: string | null,
  field: string,
  expectedRows: number,
): Generator<void, GlobalOrdinals | null> {
  const segments = views.map(({ segment }) => segment);
  const [first] = segments;
  if (first === undefined) return null;
  const key = `${segments.map((segment) => cache.numberOf(segment)).join()} ${path ?? ''} ${field}`;
  const cachedOrdinals = cache.get(ORDINALS, first, key);
  if (cachedOrdinals !== undefined) return cachedOrdinals;
  const dictionaries = dictionariesOf(views, path, field);
  const stringCount = dictionaries.reduce((sum, dictionary) => sum + (dictionary?.size ?? 0), 0);
  const bytes = stringCount * STRING_BYTES;
  if (stringCount > expectedRows * STRINGS_PER_ROW) return null;
  if (!cache.takes(bytes) || views.length > VIEWS_MAX) return null;
  const ordinals = yield* mergeDictionaries(dictionaries);
  cache.add(ORDINALS, segments, key, { value: ordinals, bytes });
  return ordinals;
}

/** Returns the dictionaries of a field's whole values, by view. */
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
  const stringCount = present.reduce((sum, { terms }) => sum + terms.size, 0);
  const ords = new Int32Array(stringCount);
  const views = new Uint16Array(stringCount);
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
  for (const part of present) numbers[part.view] = part.numbers;
  return { size, numbers, views: views.slice(0, size), ords: ords.slice(0, size) };
}
