// Seeded random values for the demo company. All data of the n-th object of a kind depends only on
// (seed, kind, n), so any identity can be referenced without generating the others, and memory
// stays bounded.
// Invariant: the same three numbers give the same values on every machine (32-bit integer
// arithmetic only).
import { seededRandom } from '../testing/seeded-random.ts';

/** The purposes of random numbers; each has its own sequence, by its place: append only. */
const STREAMS = [
  'identity',
  'account',
  'source',
  'entitlement',
  'accessProfile',
  'role',
  'app',
  'segment',
  'group',
  'profile',
  'dimension',
  'event',
  'activity',
  'tracking',
  'item',
  'shuffle',
  'holdings',
  'login',
  'resource',
  'profileRecord',
] as const;
export type Stream = (typeof STREAMS)[number];
const STREAM_NUMBER = new Map<Stream, number>(STREAMS.map((stream, index) => [stream, index + 1]));

/**
 * A bijection of the 32-bit integers without visible patterns: the finaliser of MurmurHash3
 * (fmix32).
 */
function scramble(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function key(seed: number, stream: Stream, lane: number): number {
  const number = STREAM_NUMBER.get(stream) ?? 0;
  return scramble(scramble(seed) + Math.imul(number, 0x9e3779b1) + Math.imul(lane, 0x7f4a7c15));
}

/** Hex digits of all 65,536 pairs of bytes. */
const HEX: readonly string[] = Array.from({ length: 65536 }, (_, value) =>
  value.toString(16).padStart(4, '0'),
);

function hex(word: number): string {
  return `${HEX[word >>> 16] ?? ''}${HEX[word & 0xffff] ?? ''}`;
}

/** Generates the ids of one kind. */
export class Ids {
  readonly #lanes: readonly [number, number, number, number];

  constructor(seed: number, stream: Stream) {
    this.#lanes = [
      key(seed, stream, 1),
      key(seed, stream, 2),
      key(seed, stream, 3),
      key(seed, stream, 4),
    ];
  }

  /** The id of the n-th object: 32 lower-case hex digits, unique since each lane is a bijection. */
  id(n: number): string {
    const [a, b, c, d] = this.#lanes;
    return (
      hex(scramble(a ^ n)) + hex(scramble(b ^ n)) + hex(scramble(c ^ n)) + hex(scramble(d ^ n))
    );
  }
}

/** Formats 32 hex digits as a UUID. */
export function uuidOf(hex: string): string {
  return [8, 12, 16, 20, 32].map((end, i) => hex.slice([0, 8, 12, 16, 20][i], end)).join('-');
}

/** A pseudo-random number generator. */
export class Random {
  /** A number from 0 to below 1. */
  readonly fraction: () => number;

  constructor(seed: number, stream: Stream, n: number) {
    this.fraction = seededRandom(scramble(key(seed, stream, 9) ^ n));
  }

  /**
   * A fraction skewed to small values; by multiplication, since Math.pow differs between machines.
   */
  squared(): number {
    const fraction = this.fraction();
    return fraction * fraction;
  }

  /** A fraction skewed further. */
  cubed(): number {
    const fraction = this.fraction();
    return fraction * fraction * fraction;
  }

  /** An integer from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return at(list, this.below(list.length));
  }
}

/** The element of a non-empty list; the index wraps around at its end. */
export function at<T>(list: readonly T[], index: number): T {
  const element = list[index % list.length];
  if (element === undefined) throw new RangeError(`Nothing at ${index} of ${list.length}`);
  return element;
}
