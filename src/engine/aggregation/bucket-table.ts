// Numbers the pairs of a parent's bucket and a key: the first pair seen is bucket 0, the next one 1, …
// Where keys are few, a plain table has a row for each of the parent's buckets; the pairs it has no room for are in open
// addressing over typed arrays.
import { doubled } from '../fields/growable.ts';
import { mixBits } from './keys/mix-bits.ts';

const SLOTS_MIN = 64;
/** Entries of the plain table: four bytes each. */
const DIRECT_MAX = 1 << 20;
const PLAIN_KEYS_MAX = 4096;
const PLAIN_KEYS_PER_ROW = 8;
const NO_NUMBERS = new Int32Array(0);

export class BucketTable {
  size = 0;
  /** By bucket: how many rows it has; for the owner of the table to count. */
  counts = new Int32Array(SLOTS_MIN);
  #owners = new Int32Array(SLOTS_MIN);
  #keys = new Int32Array(SLOTS_MIN);
  /** None before a pair is put there: most aggregations have a plain table for all of theirs. */
  #slots: Int32Array = NO_NUMBERS;
  /** How many of the buckets those slots hold. */
  #hashed = 0;
  /** Entries of a row of the plain table; 0: there is none. */
  #stride = 0;
  /** Entries of all rows there may be. */
  #directMax = 0;
  #direct: Int32Array = NO_NUMBERS;
  #order: Int32Array | null = null;
  #starts: Int32Array | null = null;

  /**
   * Makes a plain table for keys below a number, where that is worth its memory.
   * @param rows about how many there will be
   */
  reserve(keys: number, rows: number): void {
    if (keys <= this.#stride || keys > DIRECT_MAX) return;
    if (keys > Math.max(PLAIN_KEYS_MAX, rows * PLAIN_KEYS_PER_ROW)) return;
    this.#stride = Math.min(DIRECT_MAX, this.size === 0 ? keys : Math.max(keys, this.#stride * 2));
    this.#directMax = Math.floor(DIRECT_MAX / this.#stride) * this.#stride;
    this.#direct = new Int32Array(this.#stride).fill(-1);
    this.#slots.fill(-1);
    this.#hashed = 0;
    for (let bucket = 0; bucket < this.size; bucket++) this.#place(bucket);
  }

  /** The number of a pair; `size` grows when it is new. */
  find(owner: number, key: number): number {
    const at = owner * this.#stride + key;
    if (key < this.#stride && at < this.#direct.length) {
      const known = this.#direct[at]!;
      return known >= 0 ? known : this.#add(owner, key);
    }
    return this.#findSlow(owner, key);
  }

  #findSlow(owner: number, key: number): number {
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

  /** Whether the plain table has room for a pair, or may grow to have it. */
  #fitsDirect(owner: number, key: number): boolean {
    return key < this.#stride && owner * this.#stride + key < this.#directMax;
  }

  keyOf(bucket: number): number {
    return this.#keys[bucket]!;
  }

  /** The buckets of a parent's bucket, in the order they came; nothing may be added afterwards. */
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
    this.#place(bucket);
    return bucket;
  }

  /** Puts a bucket where it will be found. */
  #place(bucket: number): void {
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

  /** Twice as many slots, for the buckets below. */
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

  /** Counting sort by owner. */
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

/** Of both numbers; the constant is Knuth's, 2^32 divided by the golden ratio. */
function hash(owner: number, key: number): number {
  return mixBits(Math.imul(owner, 0x9e3779b1) ^ key) >>> 0;
}
