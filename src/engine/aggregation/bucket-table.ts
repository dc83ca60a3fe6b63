// Numbers the pairs of a parent bucket and a key in order of appearance, from 0. If there are few
// keys, a direct table has a row for each parent bucket; other pairs are in an open-addressing hash
// table over typed arrays.
import { doubled } from '../fields/growable.ts';
import { mixBits } from './keys/mix-bits.ts';

const SLOTS_MIN = 64;
/** Entries of the direct table: four bytes each. */
const DIRECT_MAX = 1 << 20;
const DIRECT_KEYS_MAX = 4096;
const DIRECT_KEYS_PER_ROW = 8;
const NO_NUMBERS = new Int32Array(0);

export class BucketTable {
  size = 0;
  /** The number of rows of each bucket; the owner of the table counts them. */
  counts = new Int32Array(SLOTS_MIN);
  #owners = new Int32Array(SLOTS_MIN);
  #keys = new Int32Array(SLOTS_MIN);
  /** Empty until a pair is added: most aggregations have a direct table for all pairs. */
  #slots: Int32Array = NO_NUMBERS;
  /** The number of buckets in the hash table. */
  #hashed = 0;
  /** Entries per row of the direct table; 0: there is no direct table. */
  #stride = 0;
  /** Maximum number of entries of the direct table. */
  #directMax = 0;
  #direct: Int32Array = NO_NUMBERS;
  #order: Int32Array | null = null;
  #starts: Int32Array | null = null;

  /**
   * Allocates a direct table for keys below a number, if it is worth its memory.
   * @param rows approximate number of rows to be collected
   */
  reserve(keys: number, rows: number): void {
    if (keys <= this.#stride || keys > DIRECT_MAX) return;
    if (keys > Math.max(DIRECT_KEYS_MAX, rows * DIRECT_KEYS_PER_ROW)) return;
    this.#stride = Math.min(DIRECT_MAX, this.size === 0 ? keys : Math.max(keys, this.#stride * 2));
    this.#directMax = Math.floor(DIRECT_MAX / this.#stride) * this.#stride;
    this.#direct = new Int32Array(this.#stride).fill(-1);
    this.#slots.fill(-1);
    this.#hashed = 0;
    for (let bucket = 0; bucket < this.size; bucket++) this.#insert(bucket);
  }

  /** Returns the number of a pair; `size` grows if the pair is new. */
  find(owner: number, key: number): number {
    const at = owner * this.#stride + key;
    if (key < this.#stride && at < this.#direct.length) {
      const bucket = this.#direct[at]!;
      return bucket >= 0 ? bucket : this.#add(owner, key);
    }
    return this.#findHashed(owner, key);
  }

  #findHashed(owner: number, key: number): number {
    if (this.#fitsDirect(owner, key) || this.#hashed === 0) return this.#add(owner, key);
    const mask = this.#slots.length - 1;
    let slot = hash(owner, key) & mask;
    for (;;) {
      const bucket = this.#slots[slot]!;
      if (bucket < 0) return this.#add(owner, key);
      if (this.#owners[bucket] === owner && this.#keys[bucket] === key) return bucket;
      slot = (slot + 1) & mask;
    }
  }

  /** True if the direct table has room for a pair, or may grow to have it. */
  #fitsDirect(owner: number, key: number): boolean {
    return key < this.#stride && owner * this.#stride + key < this.#directMax;
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

  #add(owner: number, key: number): number {
    const bucket = this.size++;
    if (bucket === this.#keys.length) {
      this.#owners = doubled(this.#owners);
      this.#keys = doubled(this.#keys);
      this.counts = doubled(this.counts);
    }
    this.#owners[bucket] = owner;
    this.#keys[bucket] = key;
    this.#insert(bucket);
    return bucket;
  }

  /** Inserts a bucket into the direct table or the hash table. */
  #insert(bucket: number): void {
    const owner = this.#owners[bucket]!;
    const key = this.#keys[bucket]!;
    if (this.#fitsDirect(owner, key)) {
      const at = owner * this.#stride + key;
      while (at >= this.#direct.length) this.#growDirect();
      this.#direct[at] = bucket;
      return;
    }
    if (this.#hashed * 2 >= this.#slots.length) this.#rehash(bucket);
    this.#hashed += 1;
    const mask = this.#slots.length - 1;
    let slot = hash(owner, key) & mask;
    while (this.#slots[slot]! >= 0) slot = (slot + 1) & mask;
    this.#slots[slot] = bucket;
  }

  #growDirect(): void {
    const length = Math.min(this.#direct.length * 2, this.#directMax);
    const larger = new Int32Array(length).fill(-1, this.#direct.length);
    larger.set(this.#direct);
    this.#direct = larger;
  }

  /** Doubles the hash table and reinserts the first `size` buckets. */
  #rehash(size: number): void {
    this.#slots = new Int32Array(Math.max(this.#slots.length, SLOTS_MIN) * 2).fill(-1);
    const mask = this.#slots.length - 1;
    for (let bucket = 0; bucket < size; bucket++) {
      const owner = this.#owners[bucket]!;
      const key = this.#keys[bucket]!;
      if (this.#fitsDirect(owner, key)) continue;
      let slot = hash(owner, key) & mask;
      while (this.#slots[slot]! >= 0) slot = (slot + 1) & mask;
      this.#slots[slot] = bucket;
    }
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
