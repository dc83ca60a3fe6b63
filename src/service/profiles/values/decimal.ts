// Decimal numbers as people write them: an exponent is text.

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;

/** Reads a trimmed text as the nearest double; null if it is not a number. */
export function readDecimal(text: string): number | null {
  return DECIMAL.test(text) ? Number(text) : null;
}
