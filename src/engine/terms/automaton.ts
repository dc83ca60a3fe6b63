// A pattern as a deterministic automaton that is built while it runs: a state is the set of states the Nfa may be in,
// made when it is first reached and kept. So a text is read in one pass whatever the pattern is, and the memory is
// bounded: past MEMBERS_MAX everything is forgotten and built anew as needed.
import type { RegexpNode } from '../../query/language/regexp.ts';
import { compileNfa, type Nfa, type Ranges } from './nfa.ts';
import type { TermMatcher } from './term-walker.ts';

/** One state: where the Nfa may be. */
export interface AutomatonState {
  /** States that take a code point, ascending. */
  readonly members: Int32Array;
  readonly accepts: boolean;
  /** By class of code points; undefined where not yet known, null where nothing matches any more. */
  readonly next: (AutomatonState | null | undefined)[];
}

/** Members of all kept states together. */
const MEMBERS_MAX = 1 << 18;

export class Automaton implements TermMatcher<AutomatonState> {
  readonly start: AutomatonState;
  /** Steps taken through the Nfa so far, to be watched by whoever must yield. */
  work = 0;
  readonly #nfa: Nfa;
  /** Lower bounds of the classes of code points that the pattern does not tell apart; the first is 0. */
  readonly #classStart: Int32Array;
  readonly #asciiClass = new Int32Array(128);
  /** By Nfa state: pairs of classes from, to that it takes. */
  readonly #classes: readonly (Ranges | null)[];
  readonly #mark: Int32Array;
  #round = 0;
  #known = new Map<string, AutomatonState>();
  #memberCount = 0;

  /** @throws ServiceError `limit_exceeded` */
  constructor(pattern: RegexpNode) {
    this.#nfa = compileNfa(pattern);
    this.#classStart = classStarts(this.#nfa);
    for (let code = 0; code < 128; code++) this.#asciiClass[code] = this.#search(code);
    this.#classes = this.#nfa.ranges.map(
      (ranges) => ranges?.map((code) => this.#search(code)) ?? null,
    );
    this.#mark = new Int32Array(this.#nfa.next.length);
    this.#round = 1;
    const members: number[] = [];
    const accepts = this.#close(this.#nfa.start, members);
    this.start = this.#intern(members, accepts);
  }

  /** The state after one more code point; null when no text that begins so matches. */
  step(state: AutomatonState, codePoint: number): AutomatonState | null {
    const code = codePoint < 128 ? this.#asciiClass[codePoint]! : this.#search(codePoint);
    const known = state.next[code];
    if (known !== undefined) return known;
    const next = this.#compute(state, code);
    state.next[code] = next;
    return next;
  }

  accepts(state: AutomatonState): boolean {
    return state.accepts;
  }

  /** Whether the whole text matches. */
  matches(text: string): boolean {
    let state: AutomatonState | null = this.start;
    for (const char of text) {
      state = this.step(state, char.codePointAt(0)!);
      if (state === null) return false;
    }
    return state.accepts;
  }

  #compute(state: AutomatonState, code: number): AutomatonState | null {
    this.#round += 1;
    const members: number[] = [];
    let accepts = false;
    for (const member of state.members) {
      this.work += 1;
      if (!takes(this.#classes[member]!, code)) continue;
      for (const to of this.#nfa.next[member]!) accepts = this.#close(to, members) || accepts;
    }
    return members.length === 0 && !accepts ? null : this.#intern(members, accepts);
  }

  /** Adds what can be reached from a state without taking anything; whether that accepts. */
  #close(from: number, members: number[]): boolean {
    const { ranges, next, accept } = this.#nfa;
    const stack = [from];
    let accepts = false;
    for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
      if (this.#mark[state] === this.#round) continue;
      this.#mark[state] = this.#round;
      this.work += 1;
      if (state === accept) accepts = true;
      if (ranges[state] !== null) members.push(state);
      else for (const to of next[state]!) stack.push(to);
    }
    return accepts;
  }

  #intern(members: number[], accepts: boolean): AutomatonState {
    const sorted = Int32Array.from(members).sort();
    const key = `${accepts ? '+' : '-'}${sorted.join()}`;
    let state = this.#known.get(key);
    if (state !== undefined) return state;
    this.#memberCount += sorted.length + 1;
    if (this.#memberCount > MEMBERS_MAX) {
      for (const old of this.#known.values()) old.next.length = 0;
      this.#known = new Map();
      this.#memberCount = sorted.length + 1;
    }
    state = { members: sorted, accepts, next: [] };
    this.#known.set(key, state);
    return state;
  }

  #search(codePoint: number): number {
    let low = 0;
    let high = this.#classStart.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#classStart[middle]! <= codePoint) low = middle;
      else high = middle;
    }
    return low;
  }
}

function takes(classes: Ranges | null, code: number): boolean {
  if (classes === null) return false;
  for (let i = 0; i < classes.length; i += 2) {
    if (code >= classes[i]! && code <= classes[i + 1]!) return true;
  }
  return false;
}

function classStarts(nfa: Nfa): Int32Array {
  const starts = new Set([0]);
  for (const ranges of nfa.ranges) {
    if (ranges === null) continue;
    for (let i = 0; i < ranges.length; i += 2) {
      starts.add(ranges[i]!);
      starts.add(ranges[i + 1]! + 1);
    }
  }
  return Int32Array.from(starts).sort();
}
