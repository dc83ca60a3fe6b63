// Splits a query text into tokens, longest match first, as Lucene's classic query parser does.
// Escapes are resolved here; only wildcard patterns and regular expressions keep their backslashes.
import { type Bound, queryFault } from './syntax.ts';

/** A token and its position in the text. */
export type Token = { readonly offset: number; readonly end: number } & (
  | { readonly kind: 'and' | 'or' | 'not' | '+' | '-' | '(' | ')' | ':' | '*' | 'end' }
  /** `operator`: a comparison that the term starts with; it applies only after `field:`. */
  | { readonly kind: 'term'; readonly text: string; readonly operator: Operator | null }
  /** A term that starts with an unescaped `@`. */
  | { readonly kind: 'at'; readonly text: string }
  | { readonly kind: 'prefix'; readonly text: string }
  | { readonly kind: 'wildcard'; readonly pattern: string }
  | { readonly kind: 'quoted'; readonly text: string }
  | { readonly kind: 'regexp'; readonly pattern: string }
  | { readonly kind: 'range'; readonly lower?: Bound; readonly upper?: Bound }
  | { readonly kind: 'boost'; readonly value: number }
  | { readonly kind: 'fuzzy'; readonly value: number | null }
);

export type Operator = '>=' | '>' | '<=' | '<';

const BLANK = /[ \t\n\r\u3000]/;
const NOT_IN_TERM = /[ \t\n\r\u3000!():^[\]"{}~/]/;
const SPECIAL_IN_TERM = /[*?\\]/;
const NUMBER = /\d+(?:\.\d+)?/;
const MAX_FLOAT = 3.4028234663852886e38;

/** Reads the tokens of a text one by one. */
export class Lexer {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** @throws ServiceError `query_malformed` if no token starts here */
  next(): Token {
    const { text } = this;
    while (BLANK.test(text.charAt(this.at))) this.at += 1;
    const offset = this.at;
    if (offset === text.length) return { kind: 'end', offset, end: offset };
    const first = text.charAt(offset);
    switch (first) {
      case '(':
      case ')':
      case ':':
        return this.consume({ kind: first, offset, end: offset + 1 });
      case '+':
      case '-':
      case '!':
        return this.modifier(first, offset);
      case '"':
        return this.quoted(offset);
      case '/':
        return this.regexp(offset);
      case '[':
      case '{':
        return this.range(offset);
      case '^':
        return this.boost(offset);
      case '~':
        return this.fuzzy(offset);
      case ']':
      case '}':
        throw queryFault(offset, `"${first}" closes no range; write \\${first} for the character`);
      default:
        return this.term(offset);
    }
  }

  private consume<T extends Token>(token: T): T {
    this.at = token.end;
    return token;
  }

  /** `+`, `-` or `!`; followed by a blank it is a one-character word. */
  private modifier(first: '+' | '-' | '!', offset: number): Token {
    const end = offset + 1;
    if (BLANK.test(this.text.charAt(end))) {
      return this.consume({ kind: 'term', text: first, operator: null, offset, end });
    }
    return this.consume({ kind: first === '!' ? 'not' : first, offset, end });
  }

  private quoted(offset: number): Token {
    const { text } = this;
    for (let at = offset + 1; at < text.length; at += 1) {
      const char = text.charAt(at);
      if (char === '"') {
        const inner = unescapeText(text.slice(offset + 1, at), offset + 1);
        return this.consume({ kind: 'quoted', text: inner, offset, end: at + 1 });
      }
      if (char === '\\') at += 1;
    }
    throw queryFault(offset, 'this quote is not closed, expected a second "');
  }

  private regexp(offset: number): Token {
    const { text } = this;
    for (let at = offset + 1; at < text.length; at += 1) {
      const char = text.charAt(at);
      if (char === '/') {
        const pattern = text.slice(offset + 1, at);
        return this.consume({ kind: 'regexp', pattern, offset, end: at + 1 });
      }
      if (char === '\\') at += 1;
    }
    const hint = 'expected a second /; outside of a regular expression write \\/';
    throw queryFault(offset, `this regular expression is not closed, ${hint}`);
  }

  private boost(offset: number): Token {
    const number = this.number(offset + 1);
    if (number === null) throw queryFault(offset + 1, 'expected a number after ^');
    const value = Number(number);
    if (value > MAX_FLOAT) throw queryFault(offset + 1, 'this boost is too large');
    return this.consume({ kind: 'boost', value, offset, end: offset + 1 + number.length });
  }

  private fuzzy(offset: number): Token {
    const number = this.number(offset + 1) ?? '';
    const value = number === '' ? null : Math.min(Number(number), Number.MAX_SAFE_INTEGER);
    return this.consume({ kind: 'fuzzy', value, offset, end: offset + 1 + number.length });
  }

  private number(at: number): string | null {
    const reader = new RegExp(NUMBER, 'y');
    reader.lastIndex = at;
    return reader.exec(this.text)?.[0] ?? null;
  }

  private range(offset: number): Token {
    const inclusive = this.text.charAt(offset) === '[';
    this.at = offset + 1;
    const lower = this.bound('the lower bound of a range');
    const to = this.goop();
    if (to.raw !== 'TO') throw queryFault(to.offset, 'expected TO between the bounds of a range');
    const upper = this.bound('the upper bound of a range');
    this.skipBlanks();
    const close = this.text.charAt(this.at);
    if (close !== ']' && close !== '}') {
      throw queryFault(this.at, 'expected ] or } at the end of a range');
    }
    return this.consume({
      kind: 'range',
      ...(lower === null ? {} : { lower: { text: lower, inclusive } }),
      ...(upper === null ? {} : { upper: { text: upper, inclusive: close === ']' } }),
      offset,
      end: this.at + 1,
    });
  }

  /** Reads a bound; null for `*`. */
  private bound(what: string): string | null {
    this.skipBlanks();
    const { text, at } = this;
    if (text.charAt(at) === '"') {
      let end = at + 1;
      while (end < text.length && text.charAt(end) !== '"')
        end += text.charAt(end) === '\\' ? 2 : 1;
      if (end >= text.length) throw queryFault(at, 'this quote is not closed, expected a second "');
      this.at = end + 1;
      return unescapeText(text.slice(at + 1, end), at + 1);
    }
    const { raw, offset } = this.goop();
    if (raw === '' || raw === 'TO') throw queryFault(offset, `expected ${what}`);
    return raw === '*' ? null : unescapeText(raw, offset);
  }

  /** Reads up to the next blank or closing bracket (RANGE_GOOP in Lucene's grammar). */
  private goop(): { readonly raw: string; readonly offset: number } {
    this.skipBlanks();
    const offset = this.at;
    while (this.at < this.text.length && !/[ \t\n\r\u3000\]}]/.test(this.text.charAt(this.at))) {
      this.at += 1;
    }
    return { raw: this.text.slice(offset, this.at), offset };
  }

  private skipBlanks(): void {
    while (BLANK.test(this.text.charAt(this.at))) this.at += 1;
  }

  private term(offset: number): Token {
    const { text } = this;
    let end = offset;
    while (end < text.length && !NOT_IN_TERM.test(text.charAt(end))) {
      end += text.charAt(end) === '\\' ? 2 : 1;
    }
    if (end > text.length) throw queryFault(text.length - 1, 'expected a character after \\');
    const raw = text.slice(offset, end);
    const at = { offset, end };
    if (raw === 'AND' || raw === '&&') return this.consume({ kind: 'and', ...at });
    if (raw === 'OR' || raw === '||') return this.consume({ kind: 'or', ...at });
    if (raw === 'NOT') return this.consume({ kind: 'not', ...at });
    if (raw === '*') return this.consume({ kind: '*', ...at });
    if (!SPECIAL_IN_TERM.test(raw) && !raw.startsWith('@')) {
      return this.consume({ kind: 'term', text: raw, operator: operatorOf(raw), ...at });
    }
    const units = unitsOf(raw, offset);
    const wild = units.filter(isWild).length;
    const literal = units.map((unit) => unit.char).join('');
    if (wild === 0) {
      if (raw.startsWith('@')) return this.consume({ kind: 'at', text: literal, ...at });
      return this.consume({ kind: 'term', text: literal, operator: operatorOf(raw), ...at });
    }
    const last = units.at(-1);
    if (wild === 1 && last !== undefined && isWild(last) && last.char === '*') {
      return this.consume({ kind: 'prefix', text: literal.slice(0, -1), ...at });
    }
    return this.consume({ kind: 'wildcard', pattern: units.map(patternOf).join(''), ...at });
  }
}

interface Unit {
  readonly char: string;
  readonly escaped: boolean;
}

function isWild({ char, escaped }: Unit): boolean {
  return !escaped && (char === '*' || char === '?');
}

/** Escapes literal `*`, `?` and `\` in a pattern. */
function patternOf(unit: Unit): string {
  if (isWild(unit)) return unit.char;
  return /[*?\\]/.test(unit.char) ? `\\${unit.char}` : unit.char;
}

/** Returns the comparison that a term starts with, if a value follows it. */
function operatorOf(raw: string): Operator | null {
  if (!raw.startsWith('<') && !raw.startsWith('>')) return null;
  const operator = /^(>=|>|<=|<)/.exec(raw)?.[0];
  if (operator === undefined || operator.length === raw.length) return null;
  return operator as Operator;
}

function unescapeText(raw: string, offset: number): string {
  return raw.includes('\\')
    ? unitsOf(raw, offset)
        .map((unit) => unit.char)
        .join('')
    : raw;
}

/** Resolves escapes: `\c` is c, `\uXXXX` the UTF-16 unit of that number. */
function unitsOf(raw: string, offset: number): Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < raw.length; at += 1) {
    const char = raw.charAt(at);
    if (char !== '\\') {
      units.push({ char, escaped: false });
      continue;
    }
    at += 1;
    if (at === raw.length) throw queryFault(offset + at - 1, 'expected a character after \\');
    if (raw.charAt(at) !== 'u') {
      units.push({ char: raw.charAt(at), escaped: true });
      continue;
    }
    const digits = raw.slice(at + 1, at + 5);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) {
      throw queryFault(offset + at - 1, 'expected four hexadecimal digits after \\u');
    }
    units.push({ char: String.fromCharCode(parseInt(digits, 16)), escaped: true });
    at += 4;
  }
  return units;
}
