// Seeded randomness for the demo company. Everything about the n-th thing of a kind follows from (seed, kind, n)
// alone, so any identity can be referred to without having been generated: that is what keeps memory bounded.
// Invariant: the same three numbers give the same values on every machine (32-bit integer arithmetic only).

/** What a number is drawn for; each kind has its own sequence. */
export type Stream =
  | 'identity'
  | 'account'
  | 'source'
  | 'entitlement'
  | 'accessProfile'
  | 'role'
  | 'app'
  | 'segment'
  | 'group'
  | 'profile'
  | 'dimension'
  | 'event'
  | 'activity'
  | 'tracking'
  | 'item'
  | 'shuffle'
  | 'holdings'
  | 'login'
  | 'resource'
  | 'profileRecord';

const STREAMS: readonly Stream[] = [
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
];
const STREAM_NUMBER = new Map(STREAMS.map((stream, index) => [stream, index + 1]));

/** A bijection of the 32-bit integers that leaves no visible pattern: MurmurHash3's finaliser (fmix32). */
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

/** Hex digits of the 65,536 pairs of bytes. */
const HEX: readonly string[] = Array.from({ length: 65536 }, (_, value) =>
  value.toString(16).padStart(4, '0'),
);

function hex(word: number): string {
  return `${HEX[word >>> 16] ?? ''}${HEX[word & 0xffff] ?? ''}`;
}

/** Gives out the ids of one kind. */
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

  /** The id of the n-th thing: 32 lower-case hex digits, distinct for distinct n since each lane is a bijection. */
  id(n: number): string {
    const [a, b, c, d] = this.#lanes;
    return (
      hex(scramble(a ^ n)) + hex(scramble(b ^ n)) + hex(scramble(c ^ n)) + hex(scramble(d ^ n))
    );
  }
}

/** 32 hex digits in the form of a UUID. */
export function uuidOf(hex: string): string {
  return [8, 12, 16, 20, 32].map((end, i) => hex.slice([0, 8, 12, 16, 20][i], end)).join('-');
}

/** A sequence of numbers (the generator known as mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number, stream: Stream, n: number) {
    this.#state = scramble(key(seed, stream, 9) ^ n);
  }

  /** At least 0, below 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let value = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    value ^= value + Math.imul(value ^ (value >>> 7), 61 | value);
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  }

  /** A fraction of which small ones are more frequent; by multiplication, since powers differ by machine. */
  squared(): number {
    const fraction = this.fraction();
    return fraction * fraction;
  }

  /** The same, more so. */
  cubed(): number {
    const fraction = this.fraction();
    return fraction * fraction * fraction;
  }

  /** A whole number of at least 0, below `limit`. */
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

/** The element of a list that is known to be there, counted round where `index` is past the end. */
export function at<T>(list: readonly T[], index: number): T {
  const element = list[index % list.length];
  if (element === undefined) throw new RangeError(`Nothing at ${index} of ${list.length}`);
  return element;
}
