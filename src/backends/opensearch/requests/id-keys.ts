// Numbers that order documents by their ids. OpenSearch reads the text of a keyword for each
// document that enters a page while it collects it, which takes more time than all the rest of a
// large page without scores; it compares numbers as they are. An arithmetic code by a fixed table
// puts some forty hexadecimal digits, or twenty characters of other kinds, into four numbers.
// Invariant: comparing the keys of two ids one after the other gives the order of their UTF-8 bytes,
// unless all are equal, which they may be for different ids.

/** The columns of the keys. */
export const ID_KEYS = ['%key0', '%key1', '%key2', '%key3'] as const;

/** Keys are integers that JavaScript and JSON hold exactly. */
const KEY_RANGE = 2 ** 53;
/** The sum of all weights; a power of two, so that ranges are divided exactly. */
const ALL_WEIGHTS = 256;
const DIGIT_WEIGHT = 12;
const DIGITS = Buffer.from('0123456789abcdef');
/** All bytes, and the end of the id, which comes before them. */
const SYMBOLS = 257;
const OTHER_WEIGHT = (ALL_WEIGHTS - DIGITS.length * DIGIT_WEIGHT) / (SYMBOLS - DIGITS.length);
/** A range that every symbol has a part of: a key ends when its range is smaller. */
const RANGE_MIN = 2 * Math.ceil(ALL_WEIGHTS / OTHER_WEIGHT);
const END = 0;

/** The sums of the weights of all symbols before each. */
const BEFORE: readonly number[] = (() => {
  const sums = [0];
  for (let symbol = 0; symbol < SYMBOLS; symbol += 1) {
    const weight = symbol !== END && DIGITS.includes(symbol - 1) ? DIGIT_WEIGHT : OTHER_WEIGHT;
    sums.push((sums[symbol] ?? 0) + weight);
  }
  sums[SYMBOLS] = ALL_WEIGHTS;
  return sums;
})();

/** The keys of an id, in the order of ID_KEYS. */
export function idKeys(id: string): number[] {
  const bytes = Buffer.from(id);
  let at = 0;
  return ID_KEYS.map(() => {
    let low = 0;
    let range = KEY_RANGE;
    // Where a key ends depends on what it holds alone, so that equal keys hold the same bytes.
    while (range >= RANGE_MIN && at <= bytes.length) {
      const symbol = at === bytes.length ? END : (bytes[at] ?? 0) + 1;
      const from = Math.floor((range / ALL_WEIGHTS) * (BEFORE[symbol] ?? 0));
      const to = Math.floor((range / ALL_WEIGHTS) * (BEFORE[symbol + 1] ?? 0));
      low += from;
      range = to - from;
      at += 1;
    }
    return low;
  });
}
