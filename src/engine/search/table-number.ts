// A number for each table of each segment that searches have met, so that caches over all segments can have plain keys.
// Invariant: no two tables ever have the same one.
import type { Table } from '../index/segment.ts';

const numbers = new WeakMap<Table, number>();
let tablesMet = 0;

export function tableNumber(table: Table): number {
  let number = numbers.get(table);
  if (number === undefined) {
    tablesMet += 1;
    number = tablesMet;
    numbers.set(table, number);
  }
  return number;
}
