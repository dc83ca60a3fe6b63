// Finds the terms of a dictionary that match a pattern. Terms are sorted, so the walker reuses the
// matcher's states along the prefix shared with the previous term, and skips terms with a prefix
// that cannot match.

import { hasBit, newBitSet, setBit } from '../rows/bit-set.ts';
import { STEPS_PER_YIELD } from '../scoring/scorer.ts';
import type { TermDictionary } from '../sections/segment.ts';
import type { Ordinals } from './field-terms.ts';

/** A pattern that consumes a term code point by code point. */
export interface TermMatcher<State extends object> {
  readonly start: State;
  /** null if no term with this prefix can match. */
  step(state: State, codePoint: number): State | null;
  accepts(state: State): boolean;
  /** Number of steps inside the matcher so far; see Automaton. */
  readonly work: number;
}

/** The matching terms among `candidates` in a range. Calls `onMatch` with the final state. */
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
      walker.resetBudget();
    }
    const { state } = walker;
    if (state === null || !matcher.accepts(state)) continue;
    setBit(only, ord);
    count += 1;
    onMatch?.(ord, state);
  }
  return { ...range, only, count };
}

/** Reads terms in ascending order, long ones in several runs. */
class TermWalker<State extends object> {
  /** State of the matcher; null once the term cannot match. */
  state: State | null;
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;
  readonly #matcher: TermMatcher<State>;
  /** By depth: the state after that many code points of the previous term, and their bytes. */
  readonly #states: State[];
  readonly #ends: number[] = [0];
  #depth = 0;
  /**
   * Length of the shortest prefix of the previous term that cannot match; Infinity if it was read
   * to its end.
   */
  #deadLength = Number.POSITIVE_INFINITY;
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
    this.resetBudget();
  }

  /** Moves to a term. The prefix shared with the previous one is not read again. */
  begin(ord: number): void {
    this.#start = this.#offsets[ord]!;
    this.#length = this.#offsets[ord + 1]! - this.#start;
    const shared = this.#sharedWithPrevious(this.#start, this.#length);
    this.#previous = ord;
    this.#steps += 1 + (shared >>> 3);
    if (shared >= this.#deadLength) {
      this.state = null;
      return;
    }
    this.#deadLength = Number.POSITIVE_INFINITY;
    while (this.#ends[this.#depth]! > shared) this.#depth -= 1;
    this.#at = this.#ends[this.#depth]!;
    this.state = this.#states[this.#depth]!;
  }

  /** Reads on; false when the budget is used up before the end of the term. */
  run(): boolean {
    while (this.#steps + this.#matcher.work < this.#stepsMax) {
      if (this.state === null || this.#at === this.#length) return true;
      const from = this.#start + this.#at;
      const size = sizeAt(this.#bytes[from]!);
      this.state = this.#matcher.step(this.state, codePointAt(this.#bytes, from, size));
      this.#steps += 1;
      this.#at += size;
      if (this.state === null) {
        this.#deadLength = this.#at;
      } else {
        this.#depth += 1;
        this.#ends[this.#depth] = this.#at;
        this.#states[this.#depth] = this.state;
      }
    }
    return false;
  }

  /** Grants a new budget of steps, after the caller has yielded. */
  resetBudget(): void {
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
