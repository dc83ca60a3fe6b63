// A cache of a bounded number of bytes: for blocks of documents and pages of positions that were read
// from files, for what searches compute of segments, and for results. To make room it drops the oldest
// entry that was not used since it was last considered (the clock or second-chance algorithm).
// Invariant: cached bytes have buffers of their own, so the cache keeps neither a file nor a
// segment in memory.

/** Statistics of a cache. */
export interface CacheFigures {
  /** Look-ups that succeeded and that failed. */
  readonly hits: number;
  readonly misses: number;
  /** Bytes of its entries, and the limit of them. */
  readonly bytes: number;
  readonly bytesMax: number;
}

/** Estimated overhead of an entry: objects, a buffer and a map entry. */
const ENTRY_BYTES = 400;
/** Number of missed keys that are remembered. */
const MISSED_MAX = 16 * 1024;
/** A cache with less than this share of its bytes free is full. */
const FREE_SHARE = 1 / 16;

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  /** Whether it was used since it was added or last considered. */
  isUsed: boolean;
}

export class ByteCache<Value, Key extends string | number = number> {
  /** The next one to consider is the first. */
  readonly #entries = new Map<Key, Entry<Value>>();
  readonly #bytesMax: number;
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  /** Keys that were missed lately, each at its remainder, plus one; created when the cache is full. */
  #missed: Float64Array | null = null;
  #keysTaken = 0;

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

  /** Reserves `count` unique keys and returns the first. */
  takeKeys(count: number): number {
    const first = this.#keysTaken;
    this.#keysTaken += count;
    return first;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#misses += 1;
      return undefined;
    }
    this.#hits += 1;
    entry.isUsed = true;
    return entry.value;
  }

  /**
   * Whether a missing value should be added: as long as there is room, every one; in a full cache
   * only one that is missed twice of late, as most of the others would not be asked for again.
   */
  wants(this: ByteCache<Value>, key: number): boolean {
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

  /** @param size bytes of the value's buffers; a value that the cache does not take is left out */
  add(key: Key, value: Value, size: number): void {
    if (!this.takes(size)) return;
    const bytes = size + ENTRY_BYTES;
    this.#delete(key);
    if (this.#bytes + bytes > this.#bytesMax) this.#makeRoom(bytes);
    this.#entries.set(key, { value, bytes, isUsed: false });
    this.#bytes += bytes;
  }

  /** Removes the values of `count` keys from `first` on. */
  drop(this: ByteCache<Value>, first: number, count: number): void {
    for (let key = first; key < first + count; key++) this.#delete(key);
  }

  #delete(key: Key): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  #makeRoom(bytes: number): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes + bytes <= this.#bytesMax) return;
      this.#entries.delete(key);
      if (entry.isUsed) {
        entry.isUsed = false;
        this.#entries.set(key, entry);
      } else this.#bytes -= entry.bytes;
    }
  }
}
