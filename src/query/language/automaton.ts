// A deterministic automaton of a pattern, built lazily: each state is a set of states of the Nfa,
// created when it is first reached and cached. So a text is read in one pass for every pattern.
// Memory is bounded: beyond MEMBERS_MAX the cache is emptied.
import { compileNfa, type Nfa, type Ranges } from './nfa.ts';
import type { RegexpNode } from './regexp.ts';

/** One state: a set of Nfa states. */
export interface AutomatonState {
  /** Nfa states that consume a code point, ascending. */
  readonly members: Int32Array;
  readonly accepts: boolean;
  /** By class of code points; undefined if not computed yet, null if no match is possible. */
  readonly next: (AutomatonState | null | undefined)[];
}

/** Most members of all cached states together. */
const MEMBERS_MAX = 1 << 18;

/** Also walks the dictionaries of the engine (TermMatcher). */
export class Automaton {
  readonly start: AutomatonState;
  /** Number of Nfa steps so far; callers yield by it. */
  work = 0;
  readonly #nfa: Nfa;
  /** Lower bounds of the classes of code points that the pattern treats alike; the first is 0. */
  readonly #classStart: Int32Array;
  readonly #asciiClass = new Int32Array(128);
  /** By Nfa state, the classes it consumes, as pairs from, to. */
  readonly #classes: readonly (Ranges | null)[];
  readonly #mark: Int32Array;
  #round = 0;
  #states = new Map<string, AutomatonState>();
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

  /** The next state; null if no text with this prefix matches. */
  step(state: AutomatonState, codePoint: number): AutomatonState | null {
    const code = codePoint < 128 ? this.#asciiClass[codePoint]! : this.#search(codePoint);
    const cached = state.next[code];
    if (cached !== undefined) return cached;
    const next = this.#compute(state, code);
    state.next[code] = next;
    return next;
  }

  accepts(state: AutomatonState): boolean {
    return state.accepts;
  }

  /** True if the whole text matches. */
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

  /** Adds the states reachable without consuming anything; true if one of them accepts. */
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
    let state = this.#states.get(key);
    if (state !== undefined) return state;
    this.#memberCount += sorted.length + 1;
    if (this.#memberCount > MEMBERS_MAX) {
      for (const old of this.#states.values()) old.next.length = 0;
      this.#states = new Map();
      this.#memberCount = sorted.length + 1;
    }
    state = { members: sorted, accepts, next: [] };
    this.#states.set(key, state);
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
