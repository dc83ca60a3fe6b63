// A map that computes missing values. When it is full it is emptied: what is in use comes back.

export class BoundedMap<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #sizeMax: number;

  /** @param sizeMax most entries */
  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  /** The value of a key, or the result of `create`. */
  getOrCreate(key: Key, create: () => Value): Value {
    if (this.#values.has(key)) return this.#values.get(key) as Value;
    const value = create();
    if (this.#values.size >= this.#sizeMax) this.#values.clear();
    this.#values.set(key, value);
    return value;
  }
}
