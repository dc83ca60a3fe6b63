// Numbers the pairs of a parent bucket and a key in order of appearance, from 0: an open-addressing
// hash table over typed arrays.
import { doubled } from '../../sections/growable.ts';
import { mixBits } from './mix-bits.ts';

/** V8 keeps arrays of up to 64 bytes in its heap, which takes a fraction of the time. */
const SLOTS_MIN = 16;
const NO_NUMBERS = new Int32Array(0);

export class BucketTable {
  size = 0;
  /** The number of rows of each bucket; the owner of the table counts them. */
  counts = new Int32Array(SLOTS_MIN);
  #owners = new Int32Array(SLOTS_MIN);
  #keys = new Int32Array(SLOTS_MIN);
  /** By hash: the bucket, or -1. */
  #slots: Int32Array = new Int32Array(SLOTS_MIN * 2).fill(-1);
  #order: Int32Array | null = null;
  #starts: Int32Array | null = null;

  /** Returns the number of a pair; `size` grows if the pair is new. */
  find(owner: number, key: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash(owner, key) & mask;
    for (;;) {
      const bucket = this.#slots[slot]!;
      if (bucket < 0) return this.#add(owner, key, slot);
      if (this.#owners[bucket] === owner && this.#keys[bucket] === key) return bucket;
      slot = (slot + 1) & mask;
    }
  }

  keyOf(bucket: number): number {
    return this.#keys[bucket]!;
  }

  /**
   * Returns the buckets of a parent bucket in order of creation. No bucket may be added afterwards.
   */
  of(owner: number): Int32Array {
    if (this.#order === null || this.#starts === null) this.#group();
    const starts = this.#starts!;
    if (owner + 1 >= starts.length) return NO_NUMBERS;
    return this.#order!.subarray(starts[owner]!, starts[owner + 1]!);
  }

  #add(owner: number, key: number, slot: number): number {
    const bucket = this.size++;
    if (bucket === this.#keys.length) {
      this.#owners = doubled(this.#owners);
      this.#keys = doubled(this.#keys);
      this.counts = doubled(this.counts);
    }
    this.#owners[bucket] = owner;
    this.#keys[bucket] = key;
    this.#slots[slot] = bucket;
    if (this.size * 2 > this.#slots.length) this.#rehash();
    return bucket;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(-1);
    const mask = slots.length - 1;
    for (let bucket = 0; bucket < this.size; bucket++) {
      let slot = hash(this.#owners[bucket]!, this.#keys[bucket]!) & mask;
      while (slots[slot]! >= 0) slot = (slot + 1) & mask;
      slots[slot] = bucket;
    }
    this.#slots = slots;
  }

  /** Groups the buckets by owner with a counting sort. */
  #group(): void {
    let owners = 0;
    for (let i = 0; i < this.size; i++) {
      if (this.#owners[i]! >= owners) owners = this.#owners[i]! + 1;
    }
    const starts = new Int32Array(owners + 2);
    for (let i = 0; i < this.size; i++) starts[this.#owners[i]! + 2]! += 1;
    for (let i = 2; i < starts.length; i++) starts[i]! += starts[i - 1]!;
    const order = new Int32Array(this.size);
    for (let i = 0; i < this.size; i++) order[starts[this.#owners[i]! + 1]!++] = i;
    this.#starts = starts.subarray(0, owners + 1);
    this.#order = order;
  }
}

/** Hashes both numbers; the constant is Knuth's, 2^32 divided by the golden ratio. */
function hash(owner: number, key: number): number {
  return mixBits(Math.imul(owner, 0x9e3779b1) ^ key) >>> 0;
}
