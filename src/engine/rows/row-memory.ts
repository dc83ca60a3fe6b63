// One cache for the results of searches that later searches can reuse: sets of matching rows, and
// rows in sort order. All parts share one limit, so the most used entries stay.
// Invariant: cached values never change, and a part has values of one type.
import { type CacheFigures, GenerationCache } from '../index/generation-cache.ts';

/** Default limit of a thread, in bytes. */
const BYTES_MAX = 64 * 2 ** 20;
/** Size of an entry without its rows and key: map slots and objects. */
const ENTRY_BYTES = 200;
/** Number of keys whose uses are counted. */
const COUNTED_MAX = 8192;

let entries = new GenerationCache<string, unknown>(BYTES_MAX);
const uses = new GenerationCache<string, { times: number }>(COUNTED_MAX);

/** Sets the limit of this thread's cache and empties it. */
export function limitRowMemory(bytesMax: number): void {
  entries = new GenerationCache(bytesMax);
}

/** Figures of this thread's cache; weights are bytes. */
export function rowMemoryFigures(): CacheFigures {
  return entries.figures;
}

/** A part of the cache, with its own keys. */
export class RowMemory<Value> {
  readonly #name: string;

  /** @param name one letter, unique among all parts */
  constructor(name: string) {
    this.#name = name;
  }

  get(key: string): Value | undefined {
    return entries.get(this.#name + key) as Value | undefined;
  }

  /** True if an entry of this size would be cached. */
  takes(bytes: number): boolean {
    return entries.takes(bytes + ENTRY_BYTES);
  }

  add(key: string, value: Value, bytes: number): void {
    entries.add(this.#name + key, value, bytes + 2 * key.length + ENTRY_BYTES);
  }

  /** Counts a use of `key`; true if it was recently used at least `times` times before. */
  countUse(key: string, times = 1): boolean {
    const name = this.#name + key;
    const counted = uses.get(name);
    if (counted === undefined) {
      uses.add(name, { times: 1 }, 1);
      return false;
    }
    counted.times += 1;
    return counted.times > times;
  }
}
