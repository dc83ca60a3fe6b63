// Numbers the pairs of a parent's bucket and a key: the first pair seen is bucket 0, the next one 1, …
// Open addressing over typed arrays, with a plain table for the parent's bucket 0, which at the top is the only one.
import { doubled } from '../index/growable.ts';
import { mixBits } from './mix-bits.ts';

const SLOTS_MIN = 64;
/** A table by key is worth its memory up to here. */
const DIRECT_MAX = 1 << 20;

export class BucketTable {
  size = 0;
  /** By bucket: how many rows it has; for the owner of the table to count. */
  counts = new Int32Array(SLOTS_MIN);
  #owners = new Int32Array(SLOTS_MIN);
  #keys = new Int32Array(SLOTS_MIN);
  #slots = new Int32Array(SLOTS_MIN * 2).fill(-1);
  readonly #direct: Int32Array | null;
  #order: Int32Array | null = null;
  #starts: Int32Array | null = null;

  /** @param keys how many there are, where known */
  constructor(keys: number | null) {
    this.#direct = keys !== null && keys <= DIRECT_MAX ? new Int32Array(keys).fill(-1) : null;
  }

  /** The number of a pair; `size` grows when it is new. */
  find(owner: number, key: number): number {
    if (owner === 0 && this.#direct !== null) {
      const known = this.#direct[key]!;
      if (known >= 0) return known;
      const added = this.#add(owner, key);
      this.#direct[key] = added;
      return added;
    }
    const mask = this.#slots.length - 1;
    let slot = hash(owner, key) & mask;
    for (;;) {
      const bucket = this.#slots[slot]!;
      if (bucket < 0) break;
      if (this.#owners[bucket] === owner && this.#keys[bucket] === key) return bucket;
      slot = (slot + 1) & mask;
    }
    const added = this.#add(owner, key);
    this.#slots[slot] = added;
    if (this.size * 2 > this.#slots.length) this.#rehash();
    return added;
  }

  keyOf(bucket: number): number {
    return this.#keys[bucket]!;
  }

  /** The buckets of a parent's bucket, in the order they came; nothing may be added afterwards. */
  of(owner: number): Int32Array {
    if (this.#order === null || this.#starts === null) this.#group();
    const starts = this.#starts!;
    if (owner + 1 >= starts.length) return NONE;
    return this.#order!.subarray(starts[owner]!, starts[owner + 1]!);
  }

  #add(owner: number, key: number): number {
    const bucket = this.size++;
    if (bucket === this.#keys.length) {
      this.#owners = doubled(this.#owners);
      this.#keys = doubled(this.#keys);
      this.counts = doubled(this.counts);
    }
    this.#owners[bucket] = owner;
    this.#keys[bucket] = key;
    return bucket;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(-1);
    const mask = slots.length - 1;
    for (const bucket of this.#slots) {
      if (bucket < 0) continue;
      let slot = hash(this.#owners[bucket]!, this.#keys[bucket]!) & mask;
      while (slots[slot]! >= 0) slot = (slot + 1) & mask;
      slots[slot] = bucket;
    }
    this.#slots = slots;
  }

  /** Counting sort by owner. */
  #group(): void {
    let owners = 0;
    for (let i = 0; i < this.size; i++) owners = Math.max(owners, this.#owners[i]! + 1);
    const starts = new Int32Array(owners + 2);
    for (let i = 0; i < this.size; i++) starts[this.#owners[i]! + 2]! += 1;
    for (let i = 2; i < starts.length; i++) starts[i]! += starts[i - 1]!;
    const order = new Int32Array(this.size);
    for (let i = 0; i < this.size; i++) order[starts[this.#owners[i]! + 1]!++] = i;
    this.#starts = starts.subarray(0, owners + 1);
    this.#order = order;
  }
}

const NONE = new Int32Array(0);

/** Of both numbers; the constant is Knuth's, 2^32 divided by the golden ratio. */
function hash(owner: number, key: number): number {
  return mixBits(Math.imul(owner, 0x9e3779b1) ^ key) >>> 0;
}
