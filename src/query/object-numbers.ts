// Gives each object a number, for cache keys that do not keep the object in memory.
// Invariant: no two objects have the same number.

export class ObjectNumbers {
  readonly #numbers = new WeakMap<object, number>();
  #last = 0;

  numberOf(object: object): number {
    let number = this.#numbers.get(object);
    if (number === undefined) {
      this.#last += 1;
      number = this.#last;
      this.#numbers.set(object, number);
    }
    return number;
  }
}
