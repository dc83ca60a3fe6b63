// Which terms of a dictionary a pattern matches. Terms are sorted, so each begins where the one before it leaves off:
// the states along the common beginning are kept, and a beginning that cannot match is passed by at once.
import type { TermDictionary } from '../index/segment.ts';
import { STEPS_PER_YIELD } from '../matching/scorer.ts';
import { hasBit, newBitSet, setBit } from '../rows/bit-set.ts';
import type { Ordinals } from './field-terms.ts';

/** A pattern that reads a term code point by code point. */
export interface TermMatcher<State extends object> {
  readonly start: State;
  /** null when no term that begins so can match. */
  step(state: State, codePoint: number): State | null;
  accepts(state: State): boolean;
  /** Grows with the work done inside; see Automaton. */
  readonly work: number;
}

/** The terms between two ordinals (of `candidates`, where they are given) that match; `onMatch` sees each with the state it ended in. */
export function* matchingTerms<State extends object>(
  terms: TermDictionary,
  matcher: TermMatcher<State>,
  range: { readonly from: number; readonly to: number },
  onMatch?: (ord: number, state: State) => void,
  candidates?: Uint32Array | null,
): Generator<void, Ordinals> {
  const only = newBitSet(terms.size);
  const walker = new TermWalker(terms, matcher);
  let count = 0;
  for (let ord = range.from; ord < range.to; ord++) {
    if (candidates && !hasBit(candidates, ord)) continue;
    walker.begin(ord);
    while (!walker.run()) {
      yield;
      walker.rested();
    }
    const { state } = walker;
    if (state === null || !matcher.accepts(state)) continue;
    setBit(only, ord);
    count += 1;
    onMatch?.(ord, state);
  }
  return { ...range, only, count };
}

/** Reads one term after the other; a long one in several runs. Ordinals must ascend. */
class TermWalker<State extends object> {
  /** Where the matcher is; null once the term cannot match. */
  state: State | null;
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;
  readonly #matcher: TermMatcher<State>;
  /** By depth, the state after so many code points of the term before this one, and the bytes they take. */
  readonly #states: State[];
  readonly #ends: number[] = [0];
  #depth = 0;
  /** Bytes of the term before this one that no match begins with; Infinity when it was read to its end. */
  #dead = Number.POSITIVE_INFINITY;
  #previous = -1;
  #start = 0;
  #length = 0;
  #at = 0;
  #steps = 0;
  #stepsMax = 0;

  constructor(terms: TermDictionary, matcher: TermMatcher<State>) {
    this.#bytes = terms.bytes;
    this.#offsets = terms.offsets;
    this.#matcher = matcher;
    this.#states = [matcher.start];
    this.state = matcher.start;
    this.rested();
  }

  /** Goes to a term: what it shares with the one before is not read again. */
  begin(ord: number): void {
    this.#start = this.#offsets[ord]!;
    this.#length = this.#offsets[ord + 1]! - this.#start;
    const shared = this.#sharedWithPrevious(this.#start, this.#length);
    this.#previous = ord;
    this.#steps += 1 + (shared >>> 3);
    if (shared >= this.#dead) {
      this.state = null;
      return;
    }
    this.#dead = Number.POSITIVE_INFINITY;
    while (this.#ends[this.#depth]! > shared) this.#depth -= 1;
    this.#at = this.#ends[this.#depth]!;
    this.state = this.#states[this.#depth]!;
  }

  /** Reads on; false when it has done enough for now and the term is not at its end. */
  run(): boolean {
    while (this.#steps + this.#matcher.work < this.#stepsMax) {
      if (this.state === null || this.#at === this.#length) return true;
      const from = this.#start + this.#at;
      const size = sizeAt(this.#bytes[from]!);
      this.state = this.#matcher.step(this.state, codePointAt(this.#bytes, from, size));
      this.#steps += 1;
      this.#at += size;
      if (this.state === null) {
        this.#dead = this.#at;
      } else {
        this.#depth += 1;
        this.#ends[this.#depth] = this.#at;
        this.#states[this.#depth] = this.state;
      }
    }
    return false;
  }

  /** The caller has yielded: there is a new allowance of steps. */
  rested(): void {
    this.#stepsMax = this.#steps + this.#matcher.work + STEPS_PER_YIELD;
  }

  #sharedWithPrevious(start: number, length: number): number {
    if (this.#previous < 0) return 0;
    const other = this.#offsets[this.#previous]!;
    const end = Math.min(length, this.#offsets[this.#previous + 1]! - other);
    let shared = 0;
    while (shared < end && this.#bytes[start + shared] === this.#bytes[other + shared]) shared += 1;
    return shared;
  }
}

function sizeAt(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

function codePointAt(bytes: Uint8Array, at: number, size: number): number {
  const first = bytes[at]!;
  if (size === 1) return first;
  const second = bytes[at + 1]! & 0x3f;
  if (size === 2) return ((first & 0x1f) << 6) | second;
  const third = bytes[at + 2]! & 0x3f;
  if (size === 3) return ((first & 0x0f) << 12) | (second << 6) | third;
  return ((first & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[at + 3]! & 0x3f);
}
