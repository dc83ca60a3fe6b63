// Texts that read as decimal numbers, as a person writes them: an exponent is text.

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;

/** The number a trimmed text reads as, to the nearest double; null where it reads as none. */
export function readDecimal(text: string): number | null {
  return DECIMAL.test(text) ? Number(text) : null;
}
