// Caches what was recently read from files, over all segments, up to a number of bytes: one cache for
// blocks of documents, another for pages of positions. To make room it drops the oldest entry that
// was not used since it was last considered (the clock or second-chance algorithm).
// Invariant: cached bytes have buffers of their own, so the cache keeps neither a file nor a
// segment in memory.
import type { CacheFigures } from './generation-cache.ts';

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

export class ByteCache<Value> {
  /** The next one to consider is the first. */
  readonly #entries = new Map<number, Entry<Value>>();
  readonly #bytesMax: number;
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  /** Keys that were missed lately, each at its remainder, plus one. */
  readonly #missed: Float64Array;
  #keysTaken = 0;

  /** @param bytesMax maximum size of all entries together; 0 disables the cache */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#missed = new Float64Array(bytesMax === 0 ? 0 : MISSED_MAX);
  }

  get figures(): CacheFigures {
    const [hits, misses] = [this.#hits, this.#misses];
    return { hits, misses, weight: this.#bytes, weightMax: this.#bytesMax };
  }

  /** Reserves `count` unique keys and returns the first. */
  takeKeys(count: number): number {
    const first = this.#keysTaken;
    this.#keysTaken += count;
    return first;
  }

  get(key: number): Value | undefined {
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
  wants(key: number): boolean {
    if (this.#bytes < this.#bytesMax * (1 - FREE_SHARE)) return true;
    const missed = this.#missed;
    if (missed.length === 0) return false;
    const at = key % MISSED_MAX;
    const isSecond = missed[at] === key + 1;
    missed[at] = isSecond ? 0 : key + 1;
    return isSecond;
  }

  /** @param size bytes of the value's buffers; a value larger than the cache is left out */
  add(key: number, value: Value, size: number): void {
    const bytes = size + ENTRY_BYTES;
    if (bytes > this.#bytesMax) return;
    this.#delete(key);
    if (this.#bytes + bytes > this.#bytesMax) this.#makeRoom(bytes);
    this.#entries.set(key, { value, bytes, isUsed: false });
    this.#bytes += bytes;
  }

  /** Removes the values of `count` keys from `first` on. */
  drop(first: number, count: number): void {
    for (let key = first; key < first + count; key++) this.#delete(key);
  }

  #delete(key: number): void {
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
