// Sums of doubles that are exact, whatever the order of the values and however they are spread over
// segments: a sum must not tell how documents are stored, and through a view not that a hidden field
// has changed. Integers are added plainly, which is exact below 2^53. Other values are kept as the
// partial sums of Shewchuk ("Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
// Predicates", 1997), and the total is rounded once.

/** A sum of values; plain data that structured clone carries. */
export interface Sum {
  /** The sum of the integers that were added plainly, of at most 2^53 - 1. */
  integers: number;
  /** All other values; null if there are none. */
  rest: Rest | null;
}

interface Rest {
  /** Doubles that do not overlap, ascending by magnitude, whose exact sum is that of the values. */
  readonly parts: number[];
  /** The sum of values from HUGE_MIN on: they are integers, and their partial sums may overflow. */
  huge: bigint;
  /** The sum of what is not finite; 0 if all values are. */
  infinite: number;
}

const INTEGER_END = 2 ** 53;
/** Fewer than 2^53 smaller values never overflow. */
const HUGE_MIN = 2 ** 960;
/** The exponent of the smallest double. */
const EXPONENT_MIN = -1074;
/** The bits that a quotient keeps before it is rounded to a double: more than 53 and a sticky bit. */
const QUOTIENT_BITS = 64;

export function newSum(): Sum {
  return { integers: 0, rest: null };
}

export function addTo(sum: Sum, value: number): void {
  if (Number.isInteger(value)) {
    const integers = sum.integers + value;
    if (integers > -INTEGER_END && integers < INTEGER_END) {
      sum.integers = integers;
      return;
    }
  }
  addToRest(sum, value);
}

/** Adds all values of another sum, exactly. */
export function addSum(into: Sum, { integers, rest }: Sum): void {
  addTo(into, integers);
  if (rest === null) return;
  for (const part of rest.parts) addTo(into, part);
  if (rest.huge === 0n && rest.infinite === 0) return;
  const own = restOf(into);
  own.huge += rest.huge;
  own.infinite += rest.infinite;
}

/**
 * @returns the double nearest to the exact sum, of two equally near ones the even one; an infinity
 * above the range of doubles; the sum of IEEE 754 if a value is infinite or NaN
 */
export function rounded({ integers, rest }: Sum): number {
  if (rest === null) return integers;
  if (rest.infinite !== 0) return rest.infinite;
  const parts = [...rest.parts];
  if (integers !== 0) addPart(parts, integers);
  return rest.huge === 0n ? roundedParts(parts) : roundedExactly(rest.huge, parts);
}

function restOf(sum: Sum): Rest {
  sum.rest ??= { parts: [], huge: 0n, infinite: 0 };
  return sum.rest;
}

function addToRest(sum: Sum, value: number): void {
  const rest = restOf(sum);
  if (!Number.isFinite(value)) rest.infinite += value;
  else if (Math.abs(value) >= HUGE_MIN) rest.huge += BigInt(value);
  else addPart(rest.parts, value);
}

/** Adds a value to partial sums; what rounding loses of each step is a partial sum of its own. */
function addPart(parts: number[], value: number): void {
  let high = value;
  let count = 0;
  // The partial sums that remain replace those that were read.
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]!;
    const total = high + part;
    const low = Math.abs(high) < Math.abs(part) ? high - (total - part) : part - (total - high);
    if (low !== 0) parts[count++] = low;
    high = total;
  }
  parts.length = count;
  if (high !== 0) parts.push(high);
}

function roundedParts(parts: readonly number[]): number {
  let at = parts.length - 1;
  if (at < 0) return 0;
  let total = parts[at]!;
  let low = 0;
  while (at > 0 && low === 0) {
    at -= 1;
    const part = parts[at]!;
    const next = total + part;
    low = part - (next - total);
    total = next;
  }
  // Exactly between two doubles as far as `low` tells: what is left decides.
  const left = at > 0 ? parts[at - 1]! : 0;
  if (low !== 0 && Math.sign(low) === Math.sign(left)) {
    const twice = low * 2;
    const next = total + twice;
    if (next - total === twice) return next;
  }
  return total;
}

/** Rounds the sum of large integers and partial sums, as a multiple of the smallest double. */
function roundedExactly(huge: bigint, parts: readonly number[]): number {
  let total = huge << BigInt(-EXPONENT_MIN);
  for (const part of parts) total += inSmallestDoubles(part);
  const isNegative = total < 0n;
  const magnitude = isNegative ? -total : total;
  const shift = Math.max(0, magnitude.toString(2).length - QUOTIENT_BITS);
  let quotient = magnitude >> BigInt(shift);
  if (quotient << BigInt(shift) !== magnitude) quotient |= 1n;
  const value = Number(quotient) * 2 ** (shift + EXPONENT_MIN);
  return isNegative ? -value : value;
}

/** A finite double as a multiple of the smallest one. */
function inSmallestDoubles(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & 0xfffffffffffffn;
  const magnitude = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return value < 0 ? -magnitude : magnitude;
}
