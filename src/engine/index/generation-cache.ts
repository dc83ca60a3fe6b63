// A cache of bounded weight in two generations: what is asked for moves to the young one; when that holds half of what
// may be held, it becomes the old one and the old one goes. As good as least-recently-used here, at the cost of a map.

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

export class GenerationCache<Key extends string | number, Value> {
  readonly #generationMax: number;
  #young = new Map<Key, Entry<Value>>();
  #old = new Map<Key, Entry<Value>>();
  #youngWeight = 0;

  /** @param weightMax what all entries together may weigh; 0 keeps nothing */
  constructor(weightMax: number) {
    this.#generationMax = weightMax / 2;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#put(key, old);
    return old.value;
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
      this.#young = new Map();
      this.#youngWeight = 0;
    }
    this.#youngWeight += entry.weight;
    this.#young.set(key, entry);
  }
}
