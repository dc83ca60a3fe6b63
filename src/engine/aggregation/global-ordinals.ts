// One numbering of a field's strings over all segments of an index (OpenSearch's global ordinals): the dictionaries are
// merged once, and as long as the list of segments stays the same a string is a number everywhere, in string order.
// What is kept holds no segment: only numbers, under the numbers of the segments it was made for.
// Invariant: segments never change, so what is kept for a list of them stays true, whatever is deleted in them.
import { GenerationCache } from '../index/generation-cache.ts';
import type { Segment, SegmentView, TermDictionary } from '../index/segment.ts';
import { compareBytes } from '../index/utf8.ts';
import { tableOf } from '../search/field-terms.ts';

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
  const key = `${views.map(({ segment }) => numberOf(segment)).join()} ${path ?? ''} ${field}`;
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

/** Where the merge stands in a dictionary. */
interface Head {
  readonly view: number;
  readonly terms: TermDictionary;
  readonly numbers: Int32Array;
  ord: number;
}

const STEPS_PER_YIELD = 1024;

/** Numbers the strings of several dictionaries in their order. */
export function* mergeDictionaries(
  dictionaries: readonly (TermDictionary | undefined)[],
): Generator<void, GlobalOrdinals> {
  const strings = dictionaries.reduce((sum, one) => sum + (one?.size ?? 0), 0);
  const ords = new Int32Array(strings);
  const views = new Uint16Array(strings);
  const numbers = dictionaries.map((one) => (one === undefined ? null : new Int32Array(one.size)));
  // In descending order of their strings, the least one last, where it is cheap to take.
  const heads: Head[] = [];
  for (const [view, terms] of dictionaries.entries()) {
    const own = numbers[view];
    if (terms === undefined || own == null || terms.size === 0) continue;
    insert(heads, { view, terms, numbers: own, ord: 0 });
  }
  let size = 0;
  for (let least = heads.pop(); least !== undefined; least = heads.pop()) {
    views[size] = least.view;
    ords[size] = least.ord;
    least.numbers[least.ord] = size;
    for (let same = heads.at(-1); same && compare(same, least) === 0; same = heads.at(-1)) {
      heads.pop();
      same.numbers[same.ord] = size;
      advance(heads, same);
    }
    advance(heads, least);
    size += 1;
    if (size % STEPS_PER_YIELD === 0) yield;
  }
  return { size, numbers, views: views.slice(0, size), ords: ords.slice(0, size) };
}

/** Takes a head to its next string, if there is one. */
function advance(heads: Head[], head: Head): void {
  head.ord += 1;
  if (head.ord < head.terms.size) insert(heads, head);
}

function insert(heads: Head[], head: Head): void {
  let at = heads.length;
  while (at > 0 && compare(heads[at - 1]!, head) < 0) at -= 1;
  heads.splice(at, 0, head);
}

function compare(a: Head, b: Head): number {
  const { bytes, offsets } = a.terms;
  const other = b.terms;
  return compareBytes(
    bytes,
    offsets[a.ord]!,
    offsets[a.ord + 1]!,
    other.bytes,
    other.offsets[b.ord]!,
    other.offsets[b.ord + 1]!,
  );
}

const segmentNumbers = new WeakMap<Segment, number>();
let segmentsMet = 0;

function numberOf(segment: Segment): number {
  let number = segmentNumbers.get(segment);
  if (number === undefined) {
    segmentsMet += 1;
    number = segmentsMet;
    segmentNumbers.set(segment, number);
  }
  return number;
}
