// A set of keys over segments: strings as the bytes that a dictionary holds, so that none is decoded to be counted.
// Open addressing over typed arrays; an entry says in which bytes its string stands, and where.
// Invariant: exact; two strings are the same only when all their bytes are.
import { doubled } from '../../index/growable.ts';
import { compareBytes, encodeText } from '../../index/utf8.ts';
import { mixBits } from '../mix-bits.ts';

const ENTRIES_MIN = 64;

export class DistinctKeys {
  #strings = 0;
  /** By entry. */
  #hashes: Int32Array;
  #from: Int32Array;
  #to: Int32Array;
  readonly #bytes: Uint8Array[] = [];
  /** By hash: the entry, or -1. */
  #slots: Int32Array;
  readonly #numbers = new Set<number>();

  /** @param expected as many keys fit without more memory being taken */
  constructor(expected = 0) {
    const entries = Math.max(ENTRIES_MIN, 2 ** Math.ceil(Math.log2(expected + 1)));
    this.#hashes = new Int32Array(entries);
    this.#from = new Int32Array(entries);
    this.#to = new Int32Array(entries);
    this.#slots = new Int32Array(entries * 2).fill(-1);
  }

  get size(): number {
    return this.#strings + this.#numbers.size;
  }

  add(key: string | number): void {
    if (typeof key === 'number') {
      this.#numbers.add(key);
      return;
    }
    const bytes = encodeText(key);
    this.addString(bytes, 0, bytes.length);
  }

  /** The string whose UTF-8 is bytes[from, to); the bytes must not change. */
  addString(bytes: Uint8Array, from: number, to: number): void {
    this.#insert(hashOf(bytes, from, to), bytes, from, to);
  }

  /** Adds the keys of another set; yields now and then. */
  *addAll(other: DistinctKeys): Generator<void> {
    for (const number of other.#numbers) this.#numbers.add(number);
    for (let entry = 0; entry < other.#strings; entry++) {
      const bytes = other.#bytes[entry]!;
      this.#insert(other.#hashes[entry]!, bytes, other.#from[entry]!, other.#to[entry]!);
      if (entry % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
    }
  }

  #insert(hash: number, bytes: Uint8Array, from: number, to: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let entry = this.#slots[slot]!; entry >= 0; entry = this.#slots[slot]!) {
      if (this.#hashes[entry] === hash && this.#is(entry, bytes, from, to)) return;
      slot = (slot + 1) & mask;
    }
    const entry = this.#strings++;
    if (entry === this.#hashes.length) this.#grow();
    this.#hashes[entry] = hash;
    this.#bytes.push(bytes);
    this.#from[entry] = from;
    this.#to[entry] = to;
    this.#slots[slot] = entry;
    if (this.#strings * 2 > this.#slots.length) this.#rehash();
  }

  #is(entry: number, bytes: Uint8Array, from: number, to: number): boolean {
    const first = this.#from[entry]!;
    const end = this.#to[entry]!;
    return (
      end - first === to - from &&
      compareBytes(this.#bytes[entry]!, first, end, bytes, from, to) === 0
    );
  }

  #grow(): void {
    this.#hashes = doubled(this.#hashes);
    this.#from = doubled(this.#from);
    this.#to = doubled(this.#to);
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(-1);
    const mask = slots.length - 1;
    for (let entry = 0; entry < this.#strings; entry++) {
      let slot = this.#hashes[entry]! & mask;
      while (slots[slot]! >= 0) slot = (slot + 1) & mask;
      slots[slot] = entry;
    }
    this.#slots = slots;
  }
}

const STEPS_PER_YIELD = 4096;

/** FNV-1a, whose low bits alone would be poor. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let h = 0x811c9dc5;
  for (let at = from; at < to; at++) h = Math.imul(h ^ bytes[at]!, 0x01000193);
  return mixBits(h);
}
