// Gives each segment, table or dictionary a number, so that caches can use plain keys that do not
// keep the object in memory.
// Invariant: no two objects have the same number.

const numbers = new WeakMap<object, number>();
let lastNumber = 0;

export function objectNumber(object: object): number {
  let number = numbers.get(object);
  if (number === undefined) {
    lastNumber += 1;
    number = lastNumber;
    numbers.set(object, number);
  }
  return number;
}
