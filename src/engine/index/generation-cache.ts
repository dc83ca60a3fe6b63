// A cache of bounded weight in two generations: what is asked for moves to the young one; when that holds half of what
// may be held, it becomes the old one and the old one goes. As good as least-recently-used here, at the cost of a map.

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

/** How well a cache serves. */
export interface CacheFigures {
  /** Questions it answered, and questions it could not. */
  readonly hits: number;
  readonly misses: number;
  /** What its entries weigh. */
  readonly weight: number;
}

export class GenerationCache<Key extends string | number, Value> {
  readonly #generationMax: number;
  #young = new Map<Key, Entry<Value>>();
  #old = new Map<Key, Entry<Value>>();
  #youngWeight = 0;
  #oldWeight = 0;
  #hits = 0;
  #misses = 0;

  /** @param weightMax what all entries together may weigh; 0 keeps nothing */
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

  /** An entry that moved on lately is weighed in both generations. */
  get figures(): CacheFigures {
    const weight = this.#youngWeight + this.#oldWeight;
    return { hits: this.#hits, misses: this.#misses, weight };
  }

  /** Whether one of that weight would be kept at all. */
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
