import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { caseCount } from '../../../../test/support/case-count.ts';
import { addSum, addTo, newSum, rounded, type Sum } from './exact-sum.ts';

/** The smallest double is 2^-SCALE. */
const SCALE = 1074;

function sumOf(values: readonly number[]): Sum {
  const sum = newSum();
  for (const value of values) addTo(sum, value);
  return sum;
}

/** Adds the sums of segments as threads and indexes hand them over. */
function merged(segments: readonly (readonly number[])[]): number {
  const into = newSum();
  for (const values of segments) addSum(into, structuredClone(sumOf(values)));
  return rounded(into);
}

/** A double as a multiple of the smallest one, by doubling until it is an integer. */
function scaled(value: number): bigint {
  let integer = value;
  let doublings = 0;
  for (; !Number.isInteger(integer); doublings++) integer *= 2;
  return BigInt(integer) << BigInt(SCALE - doublings);
}

/** The double nearest to a multiple of the smallest one: that of which no other one is nearer. */
function nearest(total: bigint): number {
  const magnitude = total < 0n ? -total : total;
  let low = 0n;
  let high = 0x7ff0000000000000n; // infinity, as the bits of a double
  // Bits of positive doubles are in the order of the doubles.
  while (low + 1n < high) {
    const middle = (low + high) / 2n;
    if (scaled(doubleOf(middle)) <= magnitude) low = middle;
    else high = middle;
  }
  const isInfinite = high === 0x7ff0000000000000n;
  const above = isInfinite ? 1n << BigInt(SCALE + 1024) : scaled(doubleOf(high));
  const below = magnitude - scaled(doubleOf(low));
  const isAbove = below > above - magnitude || (below === above - magnitude && low % 2n === 1n);
  const value = doubleOf(isAbove ? high : low);
  return total < 0n ? -value : value;
}

function doubleOf(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}

const cents = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((value) => value / 100);
const ordinary = fc.oneof(
  cents,
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ min: -1, max: 1, noNaN: true }),
);
const extreme = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, -Number.MIN_VALUE),
  fc.constantFrom(
    2 ** 53,
    -(2 ** 53),
    2 ** 53 - 1,
    1,
    0.5,
    2 ** -54,
    2 ** 960,
    -(2 ** 960),
    2 ** 970,
  ),
);

for (const [kind, value] of [
  ['ordinary', ordinary],
  ['extreme', fc.oneof(ordinary, extreme)],
] as const) {
  test(`a sum of ${kind} doubles is the exact one, in any order and any segments`, () => {
    const spread = fc
      .array(value, { maxLength: 40 })
      .chain((values) =>
        fc.tuple(
          fc.constant(values),
          fc.shuffledSubarray(values, { minLength: values.length }),
          fc.array(fc.nat({ max: values.length }), { maxLength: 5 }),
        ),
      );
    fc.assert(
      fc.property(spread, ([values, shuffled, cuts]) => {
        const ends = [0, ...cuts.sort((a, b) => a - b), values.length];
        const segments = ends.slice(1).map((end, at) => shuffled.slice(ends[at], end));
        const expected = nearest(values.reduce((total, one) => total + scaled(one), 0n));
        assert.equal(rounded(sumOf(values)), expected, 'as given');
        assert.equal(rounded(sumOf(shuffled)), expected, 'shuffled');
        assert.equal(merged(segments), expected, 'in segments');
      }),
      { numRuns: caseCount(500, 20_000) },
    );
  });
}

const INFINITE = Number.POSITIVE_INFINITY;
for (const [values, sum] of [
  [[], 0],
  [[0.1, 0.2, 0.3], 0.6],
  [[0.1, 0.7, 340.68], 341.48],
  [[2 ** 53, 1, 1], 2 ** 53 + 2],
  [[1e308, 1e308, -1e308], 1e308],
  [[1e308, 1e308], INFINITE],
  [[-1e308, -1e308, 0.5], -INFINITE],
  [[INFINITE, 1, 0.5], INFINITE],
  [[INFINITE, 0.5, -INFINITE], Number.NaN],
  [[Number.NaN, 1], Number.NaN],
] as const) {
  test(`the sum of ${values.join(', ') || 'nothing'} is ${sum}`, () => {
    const backwards = values.toReversed();
    for (const order of [values, backwards]) {
      assert.equal(rounded(sumOf(order)), sum);
      assert.equal(merged([...order].map((one) => [one])), sum);
    }
  });
}
