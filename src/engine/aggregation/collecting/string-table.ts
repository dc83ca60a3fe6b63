// Assigns numbers to strings in order of appearance, from 0. Strings are the bytes of a dictionary,
// so none is decoded to be compared. An open-addressing hash table over typed arrays; an entry
// refers to the bytes of its string.
// Invariant: two strings have the same number only if all their bytes are equal.
import { doubled } from '../../sections/growable.ts';
import { compareBytes, decodeText, encodeText } from '../../sections/utf8.ts';
import { mixBits } from './mix-bits.ts';

const ENTRIES_MIN = 64;

export class StringTable {
  #size = 0;
  /** By number. */
  #hashes: Int32Array;
  #from: Int32Array;
  #to: Int32Array;
  readonly #bytes: Uint8Array[] = [];
  /** By hash: the number, or -1. */
  #slots: Int32Array;

  /** @param expected number of strings that fit without growing */
  constructor(expected = 0) {
    const entries = Math.max(ENTRIES_MIN, 2 ** Math.ceil(Math.log2(expected + 1)));
    this.#hashes = new Int32Array(entries);
    this.#from = new Int32Array(entries);
    this.#to = new Int32Array(entries);
    this.#slots = new Int32Array(entries * 2).fill(-1);
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a text and returns its number. */
  addText(text: string): number {
    const bytes = encodeText(text);
    return this.add(bytes, 0, bytes.length);
  }

  /**
   * Adds the string whose UTF-8 is bytes[from, to), and returns its number; the bytes must not
   * change.
   */
  add(bytes: Uint8Array, from: number, to: number): number {
    return this.#insert(hashOf(bytes, from, to), bytes, from, to);
  }

  /** Adds a string of another table. */
  addFrom(other: StringTable, number: number): number {
    const bytes = other.#bytes[number]!;
    return this.#insert(other.#hashes[number]!, bytes, other.#from[number]!, other.#to[number]!);
  }

  text(number: number): string {
    return decodeText(this.#bytes[number]!, this.#from[number], this.#to[number]);
  }

  /** Compares in code point order: negative, 0 or positive. */
  compare(left: number, right: number): number {
    return this.#compareWith(left, this.#bytes[right]!, this.#from[right]!, this.#to[right]!);
  }

  #insert(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let entry = this.#slots[slot]!; entry >= 0; entry = this.#slots[slot]!) {
      if (this.#hashes[entry] === hash && this.#compareWith(entry, bytes, from, to) === 0) {
        return entry;
      }
      slot = (slot + 1) & mask;
    }
    const entry = this.#size++;
    if (entry === this.#hashes.length) this.#grow();
    this.#hashes[entry] = hash;
    this.#bytes.push(bytes);
    this.#from[entry] = from;
    this.#to[entry] = to;
    this.#slots[slot] = entry;
    if (this.#size * 2 > this.#slots.length) this.#rehash();
    return entry;
  }

  #compareWith(entry: number, bytes: Uint8Array, from: number, to: number): number {
    return compareBytes(this.#bytes[entry]!, this.#from[entry]!, this.#to[entry]!, bytes, from, to);
  }

  #grow(): void {
    this.#hashes = doubled(this.#hashes);
    this.#from = doubled(this.#from);
    this.#to = doubled(this.#to);
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(-1);
    const mask = slots.length - 1;
    for (let entry = 0; entry < this.#size; entry++) {
      let slot = this.#hashes[entry]! & mask;
      while (slots[slot]! >= 0) slot = (slot + 1) & mask;
      slots[slot] = entry;
    }
    this.#slots = slots;
  }
}

/** FNV-1a. Its low bits alone are distributed poorly, so they are mixed. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let h = 0x811c9dc5;
  for (let at = from; at < to; at++) h = Math.imul(h ^ bytes[at]!, 0x01000193);
  return mixBits(h);
}
