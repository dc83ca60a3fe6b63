// Parses regular expressions in the syntax of Lucene 10 (org.apache.lucene.util.automaton.RegExp),
// always anchored:
//   . ? + * | {n,m} ( ) [ ] [^ ]  "literal"  <1-31>  & (both)  @ (anything)  # (nothing)  \d \w \s
// The engine compiles the tree. Depth and expanded size are limited here, which also bounds the
// automaton.
import { ServiceError } from '../../errors.ts';

/** Code points from … to, both inclusive. */
export type CodePointRange = readonly [from: number, to: number];

export type RegexpNode =
  | { readonly kind: 'union' | 'intersection' | 'concat'; readonly nodes: readonly RegexpNode[] }
  /** `max` null: no end. */
  | {
      readonly kind: 'repeat';
      readonly node: RegexpNode;
      readonly min: number;
      readonly max: number | null;
    }
  | {
      readonly kind: 'class';
      readonly negated: boolean;
      readonly ranges: readonly CodePointRange[];
    }
  | { readonly kind: 'string'; readonly value: string }
  /** Any one code point. */
  | { readonly kind: 'any' }
  /** Any text, including the empty one. */
  | { readonly kind: 'anyString' }
  /** No text at all. */
  | { readonly kind: 'nothing' }
  /**
   * A decimal number in a range; `digits` > 0: with exactly that many digits, else leading zeros
   * are allowed.
   */
  | {
      readonly kind: 'interval';
      readonly min: number;
      readonly max: number;
      readonly digits: number;
    };

/** Most levels of groups. */
const MAX_DEPTH = 100;
/** Most characters of a pattern after its counted repetitions are expanded. */
const MAX_EXPANDED = 10_000;

/**
 * Parses a pattern to a tree. `offset`: position of the pattern in the text that errors refer to.
 * @throws ServiceError `query_malformed` with the offset; `limit_exceeded` if it is too deep or its
 * counted repetitions are too large
 */
export function parseRegexp(pattern: string, offset = 0): RegexpNode {
  const node = pattern === '' ? EMPTY_STRING : new RegexpParser(pattern, offset).parse();
  if (sizeOf(node) > MAX_EXPANDED) {
    throw tooLarge(`counted repetitions come to more than ${MAX_EXPANDED} characters`, offset);
  }
  return node;
}

/** Lower-cases a pattern; `\D`, `\W` and `\S` keep their meaning. */
export function foldRegexp(pattern: string, fold: (text: string) => string): string {
  return pattern.replace(/\\[\s\S]|[^\\]+/g, (part) =>
    /^\\[DWS]$/.test(part) ? part : fold(part),
  );
}

/**
 * Writes `\D`, `\W` and `\S` as the characters that they match, for a reader that lower-cases the
 * pattern.
 * @param pattern one that parses
 */
export function withoutNegatedClasses(pattern: string): string {
  if (!/\\[DWS]/.test(pattern)) return pattern;
  const parser = new RegexpParser(pattern, 0);
  parser.parse();
  let written = '';
  let from = 0;
  for (const { at, ranges, inBrackets } of parser.negatedClasses) {
    const text = inBrackets ? rangesText(complement(ranges)) : `[^${rangesText(ranges)}]`;
    written += pattern.slice(from, at) + text;
    from = at + 2;
  }
  return written + pattern.slice(from);
}

const EMPTY_STRING: RegexpNode = { kind: 'string', value: '' };
const DIGIT: readonly CodePointRange[] = [[0x30, 0x39]];
const CLASSES: Readonly<Record<string, readonly CodePointRange[]>> = {
  d: DIGIT,
  w: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ],
  s: [
    [0x09, 0x0a],
    [0x0d, 0x0d],
    [0x20, 0x20],
  ],
};

/** `\D`, `\W` or `\S` at an offset of a pattern. */
interface NegatedClass {
  readonly at: number;
  /** What it does not match. */
  readonly ranges: readonly CodePointRange[];
  readonly inBrackets: boolean;
}

class RegexpParser {
  /** In the order of the pattern. */
  readonly negatedClasses: NegatedClass[] = [];
  private at = 0;
  private depth = 0;
  private readonly pattern: string;
  private readonly offset: number;

  constructor(pattern: string, offset: number) {
    this.pattern = pattern;
    this.offset = offset;
  }

  parse(): RegexpNode {
    const node = this.union();
    if (this.more()) throw this.fault(this.at, 'expected the end of the expression');
    return node;
  }

  private union(): RegexpNode {
    return this.separated('union', '|', () => this.intersection());
  }

  private intersection(): RegexpNode {
    return this.separated('intersection', '&', () => this.concat());
  }

  private separated(
    kind: 'union' | 'intersection',
    mark: string,
    part: () => RegexpNode,
  ): RegexpNode {
    const first = part();
    const nodes = [first];
    while (this.match(mark)) nodes.push(part());
    return nodes.length === 1 ? first : { kind, nodes };
  }

  private concat(): RegexpNode {
    const first = this.repeat();
    const nodes = [first];
    while (this.more() && !this.peek(')|&')) nodes.push(this.repeat());
    return nodes.length === 1 ? first : { kind: 'concat', nodes };
  }

  private repeat(): RegexpNode {
    let node = this.charClass();
    for (;;) {
      if (this.match('?')) node = { kind: 'repeat', node, min: 0, max: 1 };
      else if (this.match('*')) node = { kind: 'repeat', node, min: 0, max: null };
      else if (this.match('+')) node = { kind: 'repeat', node, min: 1, max: null };
      else if (this.match('{')) node = this.counted(node);
      else return node;
    }
  }

  private counted(node: RegexpNode): RegexpNode {
    const min = this.integer();
    if (min === null) throw this.fault(this.at, 'expected a number after {');
    const max = this.match(',') ? this.integer() : min;
    if (!this.match('}')) throw this.fault(this.at, 'expected }');
    if (max !== null && max < min) return { kind: 'nothing' };
    return { kind: 'repeat', node, min, max };
  }

  private integer(): number | null {
    const digits = /^\d+/.exec(this.pattern.slice(this.at))?.[0];
    if (digits === undefined) return null;
    if (digits.length > 9) throw this.fault(this.at, 'this number is too large');
    this.at += digits.length;
    return Number(digits);
  }

  private charClass(): RegexpNode {
    if (!this.match('[')) return this.simple();
    const negated = this.match('^');
    const ranges: CodePointRange[] = [];
    do ranges.push(...this.classPart());
    while (this.more() && !this.peek(']'));
    if (!this.match(']')) throw this.fault(this.at, 'expected ] at the end of a character class');
    return { kind: 'class', negated, ranges };
  }

  private classPart(): readonly CodePointRange[] {
    const predefined = this.predefined('inBrackets');
    if (predefined !== null) {
      return predefined.negated ? complement(predefined.ranges) : predefined.ranges;
    }
    const start = this.at;
    const from = this.char();
    if (!this.match('-')) return [[from, from]];
    const to = this.char();
    if (from > to) throw this.fault(start, 'this range of characters runs backwards');
    return [[from, to]];
  }

  /** Parses a predefined class such as `\d`; null if a character follows. */
  private predefined(place: 'inBrackets' | 'alone'): {
    readonly negated: boolean;
    readonly ranges: readonly CodePointRange[];
  } | null {
    if (!this.peek('\\')) return null;
    const name = this.pattern.charAt(this.at + 1);
    const ranges = CLASSES[name.toLowerCase()];
    if (/[A-Za-z]/.test(name) && ranges === undefined) {
      throw this.fault(this.at, `there is no character class \\${name}`);
    }
    if (ranges === undefined || name === '') return null;
    const negated = name !== name.toLowerCase();
    if (negated) {
      this.negatedClasses.push({ at: this.at, ranges, inBrackets: place === 'inBrackets' });
    }
    this.at += 2;
    return { negated, ranges };
  }

  private simple(): RegexpNode {
    if (this.match('.')) return { kind: 'any' };
    if (this.match('#')) return { kind: 'nothing' };
    if (this.match('@')) return { kind: 'anyString' };
    if (this.peek('~')) {
      throw this.fault(
        this.at,
        'the complement ~ is not supported; use [^…] for characters, NOT around the clause, or \\~ for a tilde',
      );
    }
    if (this.match('"')) return this.quoted();
    if (this.match('<')) return this.interval();
    if (this.match('(')) return this.group();
    const predefined = this.predefined('alone');
    if (predefined !== null) return { kind: 'class', ...predefined };
    return { kind: 'string', value: String.fromCodePoint(this.char()) };
  }

  private group(): RegexpNode {
    if (this.match(')')) return EMPTY_STRING;
    this.depth += 1;
    if (this.depth > MAX_DEPTH) {
      throw tooLarge(`groups are more than ${MAX_DEPTH} deep`, this.offset + this.at);
    }
    const node = this.union();
    if (!this.match(')')) throw this.fault(this.at, 'expected )');
    this.depth -= 1;
    return node;
  }

  private quoted(): RegexpNode {
    const end = this.pattern.indexOf('"', this.at);
    if (end === -1) throw this.fault(this.at, 'expected a second "');
    const value = this.pattern.slice(this.at, end);
    this.at = end + 1;
    return { kind: 'string', value };
  }

  private interval(): RegexpNode {
    const start = this.at - 1;
    const end = this.pattern.indexOf('>', this.at);
    if (end === -1)
      throw this.fault(start, 'expected > at the end of an interval; write \\< for the character');
    const bounds = /^(\d{1,9})-(\d{1,9})$/.exec(this.pattern.slice(this.at, end));
    if (bounds === null)
      throw this.fault(start, 'expected an interval like <1-31>; write \\< for the character');
    this.at = end + 1;
    const [, low = '', high = ''] = bounds;
    const min = Math.min(Number(low), Number(high));
    const max = Math.max(Number(low), Number(high));
    return { kind: 'interval', min, max, digits: low.length === high.length ? low.length : 0 };
  }

  /** Reads one code point; after `\` it is always literal. */
  private char(): number {
    this.match('\\');
    const codePoint = this.pattern.codePointAt(this.at);
    if (codePoint === undefined) throw this.fault(this.at, 'the expression ends too early');
    this.at += codePoint > 0xffff ? 2 : 1;
    return codePoint;
  }

  private fault(at: number, problem: string): ServiceError {
    const offset = this.offset + at;
    const sentence = `Regular expression, offset ${offset}: ${problem}`;
    return new ServiceError('query_malformed', sentence, { offset, causes: [sentence] });
  }

  private more(): boolean {
    return this.at < this.pattern.length;
  }

  private peek(any: string): boolean {
    return this.more() && any.includes(this.pattern.charAt(this.at));
  }

  private match(char: string): boolean {
    if (this.pattern.charAt(this.at) !== char) return false;
    this.at += 1;
    return true;
  }
}

/** As they are written between brackets. The characters of the predefined classes need no escape. */
function rangesText(ranges: readonly CodePointRange[]): string {
  return ranges.map((range) => range.map((code) => String.fromCodePoint(code)).join('-')).join('');
}

function complement(ranges: readonly CodePointRange[]): CodePointRange[] {
  const gaps: CodePointRange[] = [];
  let next = 0;
  for (const [from, to] of ranges) {
    if (from > next) gaps.push([next, from - 1]);
    next = to + 1;
  }
  gaps.push([next, 0x10ffff]);
  return gaps;
}

/** Number of characters after repetitions are expanded. */
function sizeOf(node: RegexpNode): number {
  switch (node.kind) {
    case 'union':
    case 'intersection':
    case 'concat':
      return node.nodes.reduce((sum, part) => sum + sizeOf(part), 0);
    case 'repeat':
      return sizeOf(node.node) * Math.max(1, node.max ?? node.min);
    case 'string':
      return Math.max(1, node.value.length);
    case 'interval':
      return 10 * String(node.max).length;
    case 'class':
    case 'any':
    case 'anyString':
    case 'nothing':
      return 1;
  }
}

function tooLarge(problem: string, offset: number): ServiceError {
  const sentence = `Regular expression: ${problem}`;
  return new ServiceError('limit_exceeded', sentence, { offset, causes: [sentence] });
}
