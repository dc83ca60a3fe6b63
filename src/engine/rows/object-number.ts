// A number for each segment, table or dictionary that searches have met, so that caches over all of them can have plain
// keys without keeping what they speak of in memory.
// Invariant: no two objects ever have the same one.

const numbers = new WeakMap<object, number>();
let met = 0;

export function objectNumber(object: object): number {
  let number = numbers.get(object);
  if (number === undefined) {
    met += 1;
    number = met;
    numbers.set(object, number);
  }
  return number;
}
