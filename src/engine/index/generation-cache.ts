// A cache of bounded weight with two generations: entries that are read move to the young one. When
// the young one has half of the maximum weight, it becomes the old one and the previous old one is
// dropped. About as good as least-recently-used here, at the cost of a map.

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

/** Statistics of a cache. */
export interface CacheFigures {
  /** Look-ups that succeeded and that failed. */
  readonly hits: number;
  readonly misses: number;
  /** The total weight of its entries, and the limit of it. */
  readonly weight: number;
  readonly weightMax: number;
}

export class GenerationCache<Key extends string | number, Value> {
  readonly #generationMax: number;
  #young = new Map<Key, Entry<Value>>();
  #old = new Map<Key, Entry<Value>>();
  #youngWeight = 0;
  #oldWeight = 0;
  #hits = 0;
  #misses = 0;

  /** @param weightMax maximum weight of all entries together; 0 disables the cache */
  constructor(weightMax: number) {
    this.#generationMax = weightMax / 2;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) {
      this.#hits++;
      return young.value;
    }
    const old = this.#old.get(key);
    if (old === undefined) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    this.#put(key, old);
    return old.value;
  }

  /** An entry that moved recently is counted in both generations. */
  get figures(): CacheFigures {
    const weight = this.#youngWeight + this.#oldWeight;
    const weightMax = this.#generationMax * 2;
    return { hits: this.#hits, misses: this.#misses, weight, weightMax };
  }

  /** True if an entry of that weight can be cached at all. */
  takes(weight: number): boolean {
    return weight <= this.#generationMax;
  }

  add(key: Key, value: Value, weight: number): void {
    if (this.takes(weight)) this.#put(key, { value, weight });
  }

  #put(key: Key, entry: Entry<Value>): void {
    if (this.#youngWeight + entry.weight > this.#generationMax) {
      this.#old = this.#young;
      this.#oldWeight = this.#youngWeight;
      this.#young = new Map();
      this.#youngWeight = 0;
    }
    this.#youngWeight += entry.weight;
    this.#young.set(key, entry);
  }
}
