// Interns the strings of a segment under construction: values, folded values and words get small
// integers, and each value is folded and tokenized only once. Values repeat often (source names,
// access names, states), so most of indexing works on integers.
// Invariant: all strings are well formed, so distinct strings have distinct UTF-8 bytes.
import { fold } from '../../query/analysis/fold.ts';
import { eachWord } from '../../query/analysis/words.ts';
import { IntList } from '../sections/growable.ts';
import { encodeAt } from '../sections/utf8.ts';
import { sortTerms } from './sort-terms.ts';

const UNKNOWN = -1;

/** Interns strings while documents are read; `sorted` ranks them afterwards. */
export class StringPool {
  readonly #ids = new Map<string, number>();
  readonly #strings: string[] = [];
  readonly #folded = new IntList();
  readonly #wordsAt = new IntList();
  readonly #words = new IntList();
  readonly #addWord = (word: string): void => {
    this.#pending.push(this.intern(word));
  };
  readonly #pending = new IntList();

  /** Returns the number of a string. */
  intern(text: string): number {
    const internedId = this.#ids.get(text);
    if (internedId !== undefined) return internedId;
    if (!text.isWellFormed()) {
      const id = this.intern(text.toWellFormed());
      this.#ids.set(text, id);
      return id;
    }
    const id = this.#strings.length;
    this.#ids.set(text, id);
    this.#strings.push(text);
    this.#folded.push(UNKNOWN);
    this.#wordsAt.push(UNKNOWN);
    return id;
  }

  /** Returns the number of a whole value, and interns its folded form. */
  value(text: string): number {
    const id = this.intern(text);
    if (this.#folded.data[id] === UNKNOWN) {
      const folded = fold(text);
      const foldedId = folded === text ? id : this.intern(folded);
      this.#folded.data[id] = foldedId;
    }
    return id;
  }

  /** Returns the number of a text, and interns its folded form and its words. */
  text(text: string): number {
    const id = this.value(text);
    if (this.#wordsAt.data[id] === UNKNOWN) {
      const pending = this.#pending;
      pending.length = 0;
      eachWord(text, this.#addWord);
      this.#wordsAt.data[id] = this.#words.length;
      this.#words.push(pending.length);
      for (let i = 0; i < pending.length; i++) this.#words.push(pending.data[i]!);
    }
    return id;
  }

  /** Ranks all strings by code points. No string may be interned afterwards. */
  sorted(): SortedStrings {
    const { bytes, offsets } = encode(this.#strings);
    const stringAt = sortTerms(bytes, offsets);
    const size = stringAt.length;
    const rankOf = new Int32Array(size);
    for (let rank = 0; rank < size; rank++) rankOf[stringAt[rank]!] = rank;
    const foldedRankOf = new Int32Array(size);
    for (let id = 0; id < size; id++) {
      const folded = this.#folded.data[id]!;
      foldedRankOf[rankOf[id]!] = folded === UNKNOWN ? UNKNOWN : rankOf[folded]!;
    }
    const words = this.#words.toArray();
    for (let at = 0; at < words.length; ) {
      const end = at + words[at]! + 1;
      for (at += 1; at < end; at++) words[at] = rankOf[words[at]!]!;
    }
    const wordsAt = this.#wordsAt.toArray();
    return { size, rankOf, stringAt, foldedRankOf, words, wordsAt, bytes, offsets };
  }
}

/** The strings of a pool in order. A rank is the position of a string in code point order. */
export interface SortedStrings {
  readonly size: number;
  /** By string number. */
  readonly rankOf: Int32Array;
  /** By rank: the number of the string. */
  readonly stringAt: Int32Array;
  /** By rank: the rank of the folded form; -1 for words. */
  readonly foldedRankOf: Int32Array;
  /**
   * By string number: the index in `words` of the value's word count, followed by the ranks of its
   * words.
   */
  readonly wordsAt: Int32Array;
  readonly words: Int32Array;
  /** UTF-8 by string number: bytes[offsets[number], offsets[number + 1]). */
  readonly bytes: Uint8Array;
  readonly offsets: Float64Array;
}

function encode(strings: readonly string[]): { bytes: Uint8Array; offsets: Float64Array } {
  let units = 0;
  for (const text of strings) units += text.length;
  let bytes = new Uint8Array(units + 1024);
  const offsets = new Float64Array(strings.length + 1);
  let at = 0;
  let string = 0;
  for (const text of strings) {
    if (at + text.length * 3 > bytes.length) {
      const larger = new Uint8Array(Math.ceil(bytes.length * 1.5) + text.length * 3);
      larger.set(bytes);
      bytes = larger;
    }
    at = encodeAt(text, bytes, at);
    offsets[++string] = at;
  }
  return { bytes, offsets };
}
