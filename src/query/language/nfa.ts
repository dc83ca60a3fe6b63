// A pattern as a nondeterministic automaton (Thompson's construction): states that consume one code
// point, and states that consume nothing. Intersections become product automata, within a limit.
// Invariant: without products, the number of states is linear in the length of the pattern.
import { ServiceError } from '../../errors.ts';
import type { CodePointRange, RegexpNode } from './regexp.ts';

/** Flat pairs from, to (both inclusive), ascending and disjoint. */
export type Ranges = readonly number[];

export interface Nfa {
  /** By state: the code points it consumes; null for a state that consumes nothing. */
  readonly ranges: readonly (Ranges | null)[];
  /** By state: its successors. */
  readonly next: readonly (readonly number[])[];
  readonly start: number;
  readonly accept: number;
}

/** Most states of all product automata. */
const PRODUCT_STATES_MAX = 20_000;

const CODE_POINT_MAX = 0x10ffff;
const ANY: Ranges = [0, CODE_POINT_MAX];
const DIGITS: RegexpNode = { kind: 'class', negated: false, ranges: [[0x30, 0x39]] };

/** @throws ServiceError `limit_exceeded` when product automata have too many states */
export function compileNfa(pattern: RegexpNode): Nfa {
  const builder = new NfaBuilder();
  const { start, end } = builder.compile(pattern);
  return { ranges: builder.ranges, next: builder.next, start, accept: end };
}

interface Fragment {
  readonly start: number;
  /** Has no successor yet. */
  readonly end: number;
}

class NfaBuilder {
  readonly ranges: (Ranges | null)[] = [];
  readonly next: number[][] = [];
  #products = 0;

  compile(node: RegexpNode): Fragment {
    switch (node.kind) {
      case 'concat':
        return this.#concat(node.nodes);
      case 'union':
        return this.#union(node.nodes);
      case 'intersection':
        return node.nodes
          .map((part) => this.compile(part))
          .reduce((left, right) => this.#product(left, right));
      case 'repeat':
        return this.#repeat(node.node, node.min, node.max);
      case 'class':
        return this.#take(rangesOf(node.ranges, node.negated));
      case 'any':
        return this.#take(ANY);
      case 'anyString':
        return this.#repeat({ kind: 'any' }, 0, null);
      case 'string':
        return this.#text(node.value);
      case 'nothing':
        return { start: this.#state(null), end: this.#state(null) };
      case 'interval':
        return this.compile(intervalPattern(node.min, node.max, node.digits));
    }
  }

  #state(ranges: Ranges | null): number {
    this.next.push([]);
    return this.ranges.push(ranges) - 1;
  }

  #link(from: number, to: number): void {
    this.next[from]!.push(to);
  }

  #take(ranges: Ranges): Fragment {
    const start = this.#state(ranges);
    const end = this.#state(null);
    this.#link(start, end);
    return { start, end };
  }

  #text(text: string): Fragment {
    const start = this.#state(null);
    let end = start;
    for (const char of text) {
      const code = char.codePointAt(0)!;
      const part = this.#take([code, code]);
      this.#link(end, part.start);
      end = part.end;
    }
    return { start, end };
  }

  #concat(nodes: readonly RegexpNode[]): Fragment {
    const start = this.#state(null);
    let end = start;
    for (const node of nodes) {
      const part = this.compile(node);
      this.#link(end, part.start);
      end = part.end;
    }
    return { start, end };
  }

  #union(nodes: readonly RegexpNode[]): Fragment {
    const start = this.#state(null);
    const end = this.#state(null);
    for (const node of nodes) {
      const part = this.compile(node);
      this.#link(start, part.start);
      this.#link(part.end, end);
    }
    return { start, end };
  }

  #repeat(node: RegexpNode, min: number, max: number | null): Fragment {
    const start = this.#state(null);
    const end = this.#state(null);
    let at = start;
    for (let times = 0; times < min; times++) {
      const part = this.compile(node);
      this.#link(at, part.start);
      at = part.end;
    }
    if (max === null) {
      const part = this.compile(node);
      const loop = this.#state(null);
      this.#link(at, loop);
      this.#link(loop, part.start);
      this.#link(part.end, loop);
      at = loop;
    }
    for (let times = min; max !== null && times < max; times++) {
      this.#link(at, end);
      const part = this.compile(node);
      this.#link(at, part.start);
      at = part.end;
    }
    this.#link(at, end);
    return { start, end };
  }

  /** States are pairs; a pair consumes the code points that both of its states consume. */
  #product(left: Fragment, right: Fragment): Fragment {
    const pairs = new Map<string, number>();
    const open: [number, number, number][] = [];
    const pair = (a: number, b: number): number => {
      const key = `${a},${b}`;
      let state = pairs.get(key);
      if (state === undefined) {
        if (++this.#products > PRODUCT_STATES_MAX) throw tooLarge();
        state = this.#state(null);
        pairs.set(key, state);
        open.push([a, b, state]);
      }
      return state;
    };
    const end = this.#state(null);
    const start = pair(left.start, right.start);
    for (let top = open.pop(); top !== undefined; top = open.pop()) {
      const [a, b, state] = top;
      const rangesA = this.ranges[a]!;
      const rangesB = this.ranges[b]!;
      if (rangesA === null && a !== left.end) {
        for (const to of this.next[a]!) this.#link(state, pair(to, b));
      } else if (rangesB === null && b !== right.end) {
        for (const to of this.next[b]!) this.#link(state, pair(a, to));
      } else if (a === left.end && b === right.end) {
        this.#link(state, end);
      } else if (rangesA !== null && rangesB !== null) {
        const both = common(rangesA, rangesB);
        if (both.length === 0) continue;
        this.ranges[state] = both;
        for (const toA of this.next[a]!) {
          for (const toB of this.next[b]!) this.#link(state, pair(toA, toB));
        }
      }
    }
    return { start, end };
  }
}

function tooLarge(): ServiceError {
  const sentence = `Regular expression: its intersections (&) multiply out to more than ${PRODUCT_STATES_MAX} states`;
  return new ServiceError('limit_exceeded', sentence, { causes: [sentence] });
}

function rangesOf(ranges: readonly CodePointRange[], negated: boolean): Ranges {
  const merged: number[] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = merged.length - 1;
    if (last > 0 && from <= merged[last]! + 1) merged[last] = Math.max(merged[last]!, to);
    else merged.push(from, to);
  }
  if (!negated) return merged;
  const gaps: number[] = [];
  let next = 0;
  for (let i = 0; i < merged.length; i += 2) {
    if (merged[i]! > next) gaps.push(next, merged[i]! - 1);
    next = merged[i + 1]! + 1;
  }
  if (next <= CODE_POINT_MAX) gaps.push(next, CODE_POINT_MAX);
  return gaps;
}

function common(left: Ranges, right: Ranges): Ranges {
  const both: number[] = [];
  for (let i = 0; i < left.length; i += 2) {
    for (let j = 0; j < right.length; j += 2) {
      const from = Math.max(left[i]!, right[j]!);
      const to = Math.min(left[i + 1]!, right[j + 1]!);
      if (from <= to) both.push(from, to);
    }
  }
  return both;
}

/** `<min-max>` as digits: with the given number of digits, or with any number of leading zeros. */
function intervalPattern(min: number, max: number, digits: number): RegexpNode {
  if (digits > 0) return sameLength(padded(min, digits), padded(max, digits));
  const lengths: RegexpNode[] = [];
  for (let length = String(min).length; length <= String(max).length; length++) {
    const low = Math.max(min, length === 1 ? 0 : 10 ** (length - 1));
    const high = Math.min(max, 10 ** length - 1);
    lengths.push(sameLength(String(low), String(high)));
  }
  const zeros: RegexpNode = { kind: 'repeat', node: digit(0, 0), min: 0, max: null };
  return { kind: 'concat', nodes: [zeros, { kind: 'union', nodes: lengths }] };
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}

function digit(from: number, to: number): RegexpNode {
  return { kind: 'class', negated: false, ranges: [[0x30 + from, 0x30 + to]] };
}

/** Numbers between two of the same length. */
function sameLength(low: string, high: string): RegexpNode {
  if (low === '') return { kind: 'string', value: '' };
  const first = Number(low[0]);
  const last = Number(high[0]);
  const lowRest = low.slice(1);
  const highRest = high.slice(1);
  if (first === last) {
    return { kind: 'concat', nodes: [digit(first, first), sameLength(lowRest, highRest)] };
  }
  const rest = lowRest.length;
  const nodes: RegexpNode[] = [
    { kind: 'concat', nodes: [digit(first, first), sameLength(lowRest, '9'.repeat(rest))] },
    { kind: 'concat', nodes: [digit(last, last), sameLength('0'.repeat(rest), highRest)] },
  ];
  if (last - first > 1) {
    const free: RegexpNode = { kind: 'repeat', node: DIGITS, min: rest, max: rest };
    nodes.push({ kind: 'concat', nodes: [digit(first + 1, last - 1), free] });
  }
  return { kind: 'union', nodes };
}
