// Rows that searches have found or put in order and may want again: sets of rows that queries and terms stand for, and
// rows in the order of sort keys. They share one bound, so whatever a service is asked most has the room.
// Invariant: what was handed out is never changed, and a name has values of one type.
import { type CacheFigures, GenerationCache } from '../index/generation-cache.ts';

/** What all of it may take in memory, in a thread that was told nothing else. */
const BYTES_MAX = 64 * 2 ** 20;
/** Beside its rows and its key: places in maps, objects around it. */
const ENTRY_BYTES = 200;
/** How many things that were wanted once are remembered. */
const WANTED_MAX = 8192;

let entries = new GenerationCache<string, unknown>(BYTES_MAX);
const wanted = new GenerationCache<string, { times: number }>(WANTED_MAX);

/** What all that searches of this thread remember may take from now on; what they remember is forgotten. */
export function limitRowMemory(bytesMax: number): void {
  entries = new GenerationCache(bytesMax);
}

/** How well what this thread remembers serves; its weight is bytes. */
export function rowMemoryFigures(): CacheFigures {
  return entries.figures;
}

/** A part of what is remembered. */
export class RowMemory<Value> {
  readonly #name: string;

  /** @param name of one letter, which no other part has */
  constructor(name: string) {
    this.#name = name;
  }

  get(key: string): Value | undefined {
    return entries.get(this.#name + key) as Value | undefined;
  }

  /** Whether something of so many bytes would be kept. */
  takes(bytes: number): boolean {
    return entries.takes(bytes + ENTRY_BYTES);
  }

  add(key: string, value: Value, bytes: number): void {
    entries.add(this.#name + key, value, bytes + 2 * key.length + ENTRY_BYTES);
  }

  /** Whether it was wanted so many times before, not long ago; from now on it was once more. */
  wantsAgain(key: string, times = 1): boolean {
    const name = this.#name + key;
    const known = wanted.get(name);
    if (known === undefined) {
      wanted.add(name, { times: 1 }, 1);
      return false;
    }
    known.times += 1;
    return known.times > times;
  }
}
