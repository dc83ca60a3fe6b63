// Iterates over the union of several dictionaries: each distinct term once, in order, with its
// dictionaries and ordinals. A heap holds the next term of each dictionary, compared as
// bytes.
import type { TermDictionary } from '../sections/segment.ts';
import { EntryHeap } from './entry-heap.ts';
import { compareTerms, type Terms, TermsBuilder } from './term-dictionary.ts';

/** A cursor over the union of dictionaries. Before the first `next` there is no current term. */
export class TermMerge {
  /**
   * The number of dictionaries with the current term: the first `count` entries of the two arrays
   * below.
   */
  count = 0;
  /** The dictionaries, by index. */
  readonly sources: Int32Array;
  readonly ords: Int32Array;
  readonly #dictionaries: readonly TermDictionary[];
  /** The dictionaries that have a next term; equal terms in the order of their dictionaries. */
  readonly #open: EntryHeap;
  readonly #next: Int32Array;

  constructor(dictionaries: readonly TermDictionary[]) {
    this.#dictionaries = dictionaries;
    const size = dictionaries.length;
    this.sources = new Int32Array(size);
    this.ords = new Int32Array(size);
    this.#next = new Int32Array(size);
    this.#open = new EntryHeap(size, (left, right) => this.#isBefore(left, right));
    for (let source = 0; source < size; source++) {
      if (dictionaries[source]!.size > 0) this.#open.add(source);
    }
  }

  /** Moves to the next distinct term; false at the end. */
  next(): boolean {
    this.count = 0;
    if (this.#open.size === 0) return false;
    do {
      const source = this.#open.first;
      this.sources[this.count] = source;
      this.ords[this.count] = this.#next[source]!;
      this.count += 1;
      this.#advance(source);
    } while (this.#open.size > 0 && this.#firstIsCurrent());
    return true;
  }

  /** Adds the current term to a dictionary under construction. */
  copyTo(builder: TermsBuilder): void {
    const { bytes, offsets } = this.#dictionaries[this.sources[0]!]!;
    const ord = this.ords[0]!;
    builder.add(bytes, offsets[ord]!, offsets[ord + 1]!);
  }

  /** Moves the first dictionary to its next term. */
  #advance(source: number): void {
    this.#next[source]! += 1;
    if (this.#next[source] === this.#dictionaries[source]!.size) this.#open.removeFirst();
    else this.#open.sinkFirst();
  }

  #firstIsCurrent(): boolean {
    const { first } = this.#open;
    return this.#compare(first, this.#next[first]!, this.sources[0]!, this.ords[0]!) === 0;
  }

  #compare(left: number, leftOrd: number, right: number, rightOrd: number): number {
    return compareTerms(this.#dictionaries[left]!, leftOrd, this.#dictionaries[right]!, rightOrd);
  }

  /** True if `left`'s next term comes first; equal terms are ordered by dictionary. */
  #isBefore(left: number, right: number): boolean {
    const order = this.#compare(left, this.#next[left]!, right, this.#next[right]!);
    return order < 0 || (order === 0 && left < right);
  }
}

/**
 * Merges the used terms of dictionaries.
 * @param used by dictionary and ordinal: not 0 if the term is used
 * @returns the terms, and by dictionary and old ordinal the new one; -1 for unused terms
 */
export function mergeTerms(
  dictionaries: readonly TermDictionary[],
  used: readonly Uint8Array[],
): { readonly terms: Terms; readonly maps: readonly Int32Array[] } {
  const maps = dictionaries.map((dictionary) => new Int32Array(dictionary.size).fill(-1));
  let sizeMax = 0;
  for (const dictionary of dictionaries) sizeMax += dictionary.size;
  const builder = new TermsBuilder(sizeMax);
  const merge = new TermMerge(dictionaries);
  while (merge.next()) {
    let isUsed = false;
    for (let i = 0; i < merge.count; i++) {
      if (used[merge.sources[i]!]![merge.ords[i]!] === 0) continue;
      maps[merge.sources[i]!]![merge.ords[i]!] = builder.size;
      isUsed = true;
    }
    if (isUsed) merge.copyTo(builder);
  }
  return { terms: builder.finish(), maps };
}
