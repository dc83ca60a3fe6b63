// A cache of a bounded number of bytes: for blocks of documents and pages of positions that were read
// from files, for what searches compute of segments, and for results. To make room it drops the oldest
// entry that was not used since it was last considered (the clock or second-chance algorithm).
// Invariants: each entry has owners (a segment, or the list of segments of an index), and goes when one
// of them is closed; nothing is added for a closed owner, whatever still runs in it. Cached bytes have
// buffers of their own, so the cache keeps neither a file nor a segment in memory.

/** Statistics of a cache. */
export interface CacheFigures {
  /** Look-ups that succeeded and that failed. */
  readonly hits: number;
  readonly misses: number;
  /** Bytes of its entries, and the limit of them. */
  readonly bytes: number;
  readonly bytesMax: number;
}

/** Estimated overhead of an entry: objects, a buffer and map entries. */
const ENTRY_BYTES = 400;
/** Number of missed keys that are remembered. */
const MISSED_MAX = 16 * 1024;
/** A cache with less than this share of its bytes free is full. */
const FREE_SHARE = 1 / 16;

interface Entry<Value, Key extends string | number> {
  readonly key: Key;
  readonly value: Value;
  readonly bytes: number;
  readonly sections: readonly CacheSection<Value, Key>[];
  /** Whether it was used since it was added or last considered. */
  isUsed: boolean;
}

export class ByteCache<Value, Key extends string | number = number> {
  /** The next one to consider is the first. */
  readonly #entries = new Set<Entry<Value, Key>>();
  readonly #sections = new WeakMap<object, CacheSection<Value, Key>>();
  #sectionCount = 0;
  #bytesMax: number;
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  /** Keys that were missed lately, each at its remainder, plus one; created when the cache is full. */
  #missed: Float64Array | null = null;

  /** @param bytesMax maximum size of all entries together; 0 disables the cache */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get figures(): CacheFigures {
    return {
      hits: this.#hits,
      misses: this.#misses,
      bytes: this.#bytes,
      bytesMax: this.#bytesMax,
    };
  }

  /** Changes the maximum size; entries that are too many go. */
  limit(bytesMax: number): void {
    this.#bytesMax = bytesMax;
    this.#makeRoom(0);
  }

  /** The entries of an owner, which the cache does not keep in memory. */
  sectionOf(owner: object): CacheSection<Value, Key> {
    let section = this.#sections.get(owner);
    if (section === undefined) {
      this.#sectionCount += 1;
      section = new CacheSection(this, this.#sectionCount);
      this.#sections.set(owner, section);
    }
    return section;
  }

  /** Counts a look-up. */
  count(outcome: 'hit' | 'miss'): void {
    if (outcome === 'hit') this.#hits += 1;
    else this.#misses += 1;
  }

  /** As CacheSection.wants, of a key that is unique among all sections. */
  wants(key: number): boolean {
    if (this.#bytes < this.#bytesMax * (1 - FREE_SHARE)) return true;
    if (this.#bytesMax === 0) return false;
    this.#missed ??= new Float64Array(MISSED_MAX);
    const missed = this.#missed;
    const at = key % MISSED_MAX;
    const isSecond = missed[at] === key + 1;
    missed[at] = isSecond ? 0 : key + 1;
    return isSecond;
  }

  /** True if a value of this size would be cached: one that takes at most half of the cache. */
  takes(size: number): boolean {
    return size + ENTRY_BYTES <= this.#bytesMax / 2;
  }

  /**
   * Adds a value to the sections of all its owners, unless one of them is closed.
   * @param size bytes of the value's buffers; a value that the cache does not take is left out
   */
  add(sections: readonly CacheSection<Value, Key>[], key: Key, value: Value, size: number): void {
    if (!this.takes(size) || sections.some(({ entries }) => entries === null)) return;
    const bytes = size + ENTRY_BYTES;
    for (const { entries } of sections) {
      const former = entries?.get(key);
      if (former !== undefined) this.remove(former);
    }
    if (this.#bytes + bytes > this.#bytesMax) this.#makeRoom(bytes);
    const entry = { key, value, bytes, sections, isUsed: false };
    for (const { entries } of sections) entries?.set(key, entry);
    this.#entries.add(entry);
    this.#bytes += bytes;
  }

  remove(entry: Entry<Value, Key>): void {
    this.#entries.delete(entry);
    this.#bytes -= entry.bytes;
    for (const { entries } of entry.sections) entries?.delete(entry.key);
  }

  #makeRoom(bytes: number): void {
    for (const entry of this.#entries) {
      if (this.#bytes + bytes <= this.#bytesMax) return;
      if (entry.isUsed) {
        entry.isUsed = false;
        this.#entries.delete(entry);
        this.#entries.add(entry);
      } else this.remove(entry);
    }
  }
}

/** The multiples of a section's number are far apart, so that keys of sections seldom coincide. */
const KEYS_APART = 1_000_003;

/** The entries of one owner. */
export class CacheSection<Value, Key extends string | number = number> {
  readonly #cache: ByteCache<Value, Key>;
  readonly #number: number;
  /** null: the owner is closed. */
  entries: Map<Key, Entry<Value, Key>> | null = new Map();

  constructor(cache: ByteCache<Value, Key>, number: number) {
    this.#cache = cache;
    this.#number = number;
  }

  get(key: Key): Value | undefined {
    const entry = this.entries?.get(key);
    if (entry === undefined) {
      this.#cache.count('miss');
      return undefined;
    }
    this.#cache.count('hit');
    entry.isUsed = true;
    return entry.value;
  }

  /**
   * Whether a missing value should be added: as long as there is room, every one; in a full cache
   * only one that is missed twice of late, as most of the others would not be asked for again.
   */
  wants(this: CacheSection<Value>, key: number): boolean {
    return this.entries !== null && this.#cache.wants(this.#number * KEYS_APART + key);
  }

  /** As ByteCache.add, for this owner alone. */
  add(key: Key, value: Value, size: number): void {
    this.#cache.add([this], key, value, size);
  }

  /** Removes all entries; from now on none is added. */
  close(): void {
    const { entries } = this;
    this.entries = null;
    for (const entry of entries?.values() ?? []) this.#cache.remove(entry);
  }
}
