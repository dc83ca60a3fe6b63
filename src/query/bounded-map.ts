// The map of every cache that is bounded by its number of entries. It has two generations: entries
// go into the younger one, and when that is full it becomes the older one, whose entries stay if they
// are used again before the next change. So a look-up of a recent entry moves nothing: an internal table
// of a map whose entries come and go would live until the next collection of old garbage.

export interface CachePolicy {
  /** How many of the entries used last are kept; up to twice as many are held. 0: none. */
  readonly kept: number;
  /** Entries with longer keys are not kept. */
  readonly keyMax?: number;
}

export class BoundedMap<Key extends string | number, Value extends NonNullable<unknown> | null> {
  #younger = new Map<Key, Value>();
  #older = new Map<Key, Value>();
  readonly #kept: number;
  readonly #keyMax: number;

  constructor({ kept, keyMax = Number.POSITIVE_INFINITY }: CachePolicy) {
    this.#kept = kept;
    this.#keyMax = keyMax;
  }

  get(key: Key): Value | undefined {
    const value = this.#younger.get(key);
    if (value !== undefined || this.#older.size === 0) return value;
    const older = this.#older.get(key);
    return older === undefined ? undefined : this.add(key, older);
  }

  /** Adds or replaces an entry. @returns its value */
  add(key: Key, value: Value): Value {
    if (this.#kept === 0 || (typeof key === 'string' && key.length > this.#keyMax)) return value;
    if (this.#younger.size >= this.#kept && !this.#younger.has(key)) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(key, value);
    return value;
  }

  /** The value of a key, or the result of `create`. */
  getOrCreate(key: Key, create: () => Value): Value {
    const value = this.get(key);
    return value === undefined ? this.add(key, create()) : value;
  }

  delete(key: Key): void {
    this.#younger.delete(key);
    this.#older.delete(key);
  }

  clear(): void {
    this.#younger.clear();
    this.#older.clear();
  }
}
